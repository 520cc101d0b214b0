//! Texts: `format!`, `concat!`, `env!`, with `{}` for what is not constant.

use super::Values;
use super::expr::{leaving_macro, never};
use crate::effect::variable;
use crate::frontend::rust::program::BodyId;
use crate::frontend::rust::tree::{ExprId, MacroArgs, MacroCall};
use crate::frontend::rust::val::Val;
use crate::name::Name;
use crate::value::Value;

impl Values<'_> {
    pub(super) fn macro_value(&self, body: BodyId, e: ExprId, call: &MacroCall) -> Val {
        let name = call.path.last().map(|s| s.name.as_str()).unwrap_or_default();
        if leaving_macro(name) {
            return never();
        }
        match (&call.args, name) {
            (MacroArgs::Format { text, args, .. }, "format" | "concat") => self.format(body, e, text, args),
            (MacroArgs::List(parts), "concat") => {
                Val::Text(Name::from(parts.iter().map(|p| self.as_text(body, *p)).collect::<String>()))
            }
            (MacroArgs::Format { text, .. }, "env" | "option_env") => Val::Env(text.clone()),
            (MacroArgs::List(parts), "env" | "option_env") => match parts.first().map(|p| self.eval(body, *p)) {
                Some(Val::Text(name)) => Val::Env(name),
                _ => Val::unknown("read from the environment"),
            },
            (MacroArgs::Select(arms), _) => super::any(arms.iter().map(|a| self.eval(body, a.body))),
            (MacroArgs::Block(inner), _) => self.eval(body, *inner),
            _ => Val::unknown(&format!("made by the macro `{name}`")),
        }
    }

    fn format(&self, body: BodyId, e: ExprId, text: &str, args: &[ExprId]) -> Val {
        let mut out = String::new();
        let mut next = args.iter();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(&rest[..at]);
            let tail = &rest[at..];
            if tail.starts_with("{{") || tail.starts_with("}}") {
                out.push_str(&tail[..1]);
                rest = &tail[2..];
                continue;
            }
            let Some(end) = tail.find('}') else { break };
            let hole = tail.get(1..end).unwrap_or_default().split(':').next().unwrap_or_default().trim();
            out.push_str(&self.hole(body, e, hole, &mut next, args));
            rest = &tail[end + 1..];
        }
        out.push_str(rest);
        Val::Text(Name::from(out))
    }

    fn hole<'e>(
        &self,
        body: BodyId,
        e: ExprId,
        hole: &str,
        next: &mut impl Iterator<Item = &'e ExprId>,
        args: &[ExprId],
    ) -> String {
        let open = || "{}".to_owned();
        match (hole, hole.parse::<usize>()) {
            ("", _) => next.next().map_or_else(open, |a| self.as_text(body, *a)),
            (_, Ok(i)) => args.get(i).map_or_else(open, |a| self.as_text(body, *a)),
            _ => {
                let captured = self.types(body).captures.get(&e).map(Vec::as_slice).unwrap_or_default();
                let pat = captured.iter().find(|p| self.is_named(body, **p, hole));
                pat.map_or_else(open, |p| self.shown(body, self.local(body, *p)))
            }
        }
    }

    fn is_named(&self, body: BodyId, pat: crate::frontend::rust::tree::PatId, text: &str) -> bool {
        use crate::frontend::rust::tree::PatKind;
        matches!(&self.tree(body).pat(pat).kind, PatKind::Ident { name, .. } if *name == *text)
    }

    fn as_text(&self, body: BodyId, e: ExprId) -> String {
        self.shown(body, self.eval(body, e))
    }

    /// A parameter is what all callers hand over, if they agree.
    fn shown(&self, body: BodyId, value: Val) -> String {
        match super::unwrap(value) {
            Val::Param(i) => shown(&super::unwrap(self.close(body, Val::Param(i)))),
            other => shown(&other),
        }
    }
}

fn shown(value: &Val) -> String {
    match value {
        Val::Text(text) => text.to_string(),
        Val::Env(name) => variable::variable(name),
        Val::Int(Value::Number(n), _) => n.to_string(),
        Val::Bool(b) => b.to_string(),
        Val::Wrapped(inner) => shown(inner),
        _ => "{}".to_owned(),
    }
}
