//! What the terminal can do: asked once, from the stream and the environment.

use std::io::IsTerminal;
use std::sync::OnceLock;

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
    let links = if capable && links(variable) { here() } else { None };
    Style { color, unicode: capable && utf8, width: if terminal { width } else { Style::PLAIN.width }, links }
}

/// Terminals that are known to open addresses; `FORCE_HYPERLINK` decides where it is set.
fn links(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    if let Some(forced) = variable("FORCE_HYPERLINK") {
        return !forced.is_empty() && forced != "0";
    }
    let says = |name: &str, words: &[&str]| variable(name).is_some_and(|v| words.iter().any(|w| v.contains(w)));
    let vte = variable("VTE_VERSION").and_then(|v| v.parse::<u32>().ok()).is_some_and(|v| v >= 5000);
    let program = says("TERM_PROGRAM", &["iTerm", "WezTerm", "vscode", "ghostty", "Hyper"]);
    let named = says("TERM", &["kitty", "alacritty", "foot", "ghostty"]);
    vte || program || named || ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].iter().any(|n| variable(n).is_some())
}

/// The working directory, with `/`.
fn here() -> Option<&'static str> {
    static HERE: OnceLock<Option<String>> = OnceLock::new();
    let ask = || Some(std::env::current_dir().ok()?.to_str()?.replace('\\', "/"));
    HERE.get_or_init(ask).as_deref()
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
    fn hyperlinks_where_the_terminal_has_them() {
        let links = |terminal: bool, variables: &[(&str, &str)]| {
            let look_up = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
            decide(When::Auto, terminal, 80, &look_up).links.is_some()
        };
        assert!(links(true, &[("VTE_VERSION", "7200")]) && links(true, &[("TERM", "xterm-kitty")]));
        assert!(!links(true, &[]) && !links(true, &[("VTE_VERSION", "4200")]));
        assert!(!links(false, &[("WT_SESSION", "1")]) && !links(true, &[("WT_SESSION", "1"), ("TERM", "dumb")]));
        assert!(!links(true, &[("WT_SESSION", "1"), ("FORCE_HYPERLINK", "0")]));
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
