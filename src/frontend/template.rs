//! Marks of template languages in configuration files: such a file is no configuration before somebody has rendered it.

/// The template language whose marks a text holds, outside of lines that are comments.
pub fn language(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().filter(|l| !l.trim_start().starts_with('#'));
    lines.find_map(|line| {
        let holds = |open: &str, close: &str| line.find(open).is_some_and(|at| line[at..].contains(close));
        if holds("{%", "%}") {
            return Some("Jinja");
        }
        if holds("<%", "%>") {
            return Some("ERB");
        }
        (holds("{{", "}}") && inside_braces(line)).then_some("double braces")
    })
}

/// `{{ name`, `{{- if`, `{{ .Values`, `{{ $all`: what stands behind the braces is an expression, not a quoted word.
fn inside_braces(line: &str) -> bool {
    line.match_indices("{{").any(|(at, _)| {
        let inner = line[at + 2..].trim_start_matches(['-', '~', ' ', '\t']);
        inner.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.' | '$' | '/' | '('))
    })
}
