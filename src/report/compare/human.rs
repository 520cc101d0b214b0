//! The comparison for a terminal: one line for each thing that changed.

use super::{numbers, summary};
use crate::compare::saved::Found;
use crate::compare::{Change, Diff};
use crate::report::human::Style;
use crate::report::sanitise;

/// Operations first, then findings, then what somebody said.
pub fn human(diff: &Diff<'_>, style: Style) -> String {
    let mut out = String::new();
    for change in &diff.operations {
        operation(&mut out, change, style);
    }
    let mut say = |word: &str, found: &Found, was: &str| {
        let head = format!("{word:<8} {:<5} {} {}", found.level, found.code, found.name);
        let rest = format!("{}:{}: {}{was}", found.path, found.line, found.message);
        out.push_str(&format!("{} {}\n", style.bold(&sanitise::line(&head)), sanitise::line(&rest)));
    };
    diff.new.iter().for_each(|f| say("new", f, ""));
    diff.changed.iter().for_each(|p| say("changed", p.after, &format!(" (was: {})", p.before.message)));
    diff.accepted.iter().for_each(|f| say("accepted", f, &reason(f)));
    diff.moved.iter().for_each(|p| say("moved", p.after, &format!(" (was at {}:{})", p.before.path, p.before.line)));
    diff.fixed.iter().for_each(|f| say("fixed", f, ""));
    for said in &diff.statements {
        let line = format!("comment  {}:{}: retrylint: {}", said.path, said.line, said.says);
        out.push_str(&format!("{}\n", sanitise::line(&line)));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&format!("{}\n", style.bold(&summary(diff))));
    out
}

fn operation(out: &mut String, change: &Change<'_>, style: Style) {
    let arrow = style.arrow();
    let name = sanitise::line(change.operation);
    let dependency = sanitise::line(change.dependency);
    let numbers = numbers(change, arrow);
    let numbers = if change.is_worse() { style.red(&numbers) } else { numbers };
    out.push_str(&format!("{} {arrow} {dependency}: {numbers}\n", style.bold(&name)));
    for because in &change.because {
        out.push_str(&format!("  because {}\n", sanitise::line(because)));
    }
    for step in &change.layers {
        let factor = format!("{}{}", style.times(), step.attempts.words());
        let line = format!("{factor:<4} {}:{}  {}", step.path, step.line, step.function);
        out.push_str(&format!("    {}\n", sanitise::line(&line)));
    }
    out.push('\n');
}

fn reason(found: &Found) -> String {
    let reason = found.suppressed.as_ref().and_then(|s| s.reason.as_deref());
    format!(" ({})", reason.unwrap_or("no reason given"))
}
