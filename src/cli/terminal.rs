//! What the terminal can do: asked once, from the stream and the environment.

use std::io::IsTerminal;

use super::args::When;
use crate::report::human::Style;

/// Asked of standard output.
pub fn style(color: When) -> Style {
    let terminal = std::io::stdout().is_terminal();
    let variable = |name: &str| std::env::var(name).ok();
    decide(color, terminal, width(), &variable)
}

fn decide(color: When, terminal: bool, width: usize, variable: &dyn Fn(&str) -> Option<String>) -> Style {
    let set = |name: &str| variable(name).is_some_and(|v| !v.is_empty());
    let dumb = variable("TERM").is_some_and(|t| t == "dumb");
    let capable = terminal && !dumb;
    let forced = variable("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0");
    let color = match color {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR") => false,
        When::Auto => forced || capable,
    };
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| variable(n).filter(|v| !v.is_empty()));
    let utf8 = utf8.is_some_and(|v| v.to_lowercase().replace('-', "").contains("utf8"));
    Style { color, unicode: capable && utf8, width: if terminal { width } else { Style::PLAIN.width } }
}

/// The columns of the terminal, within what can be read.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns.or_else(asked).unwrap_or(Style::PLAIN.width).clamp(40, 140)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(color: When, terminal: bool, variables: &[(&str, &str)]) -> (bool, bool) {
        let look_up = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        let style = decide(color, terminal, 80, &look_up);
        (style.color, style.unicode)
    }

    #[test]
    fn colour_and_characters() {
        let utf8 = ("LANG", "en_US.UTF-8");
        assert_eq!(of(When::Auto, true, &[utf8]), (true, true));
        assert_eq!(of(When::Auto, true, &[]), (true, false));
        assert_eq!(of(When::Auto, false, &[utf8]), (false, false));
        assert_eq!(of(When::Auto, true, &[utf8, ("NO_COLOR", "1")]), (false, true));
        assert_eq!(of(When::Auto, true, &[utf8, ("TERM", "dumb")]), (false, false));
        assert_eq!(of(When::Auto, false, &[("CLICOLOR_FORCE", "1")]), (true, false));
        assert_eq!(of(When::Auto, false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), (false, false));
        assert_eq!(of(When::Always, false, &[("NO_COLOR", "1")]), (true, false));
        assert_eq!(of(When::Never, true, &[utf8]), (false, true));
    }
}
