//! Macro calls: their path, what stands inside, what they give.

use super::super::names::types::last_of;
use super::super::names::{Def, Guess, Ns};
use super::super::program::Ty;
use super::super::tree::{ExprId, MacroArgs, MacroCall, Path, SelectArm};
use super::{Walk, is_open, merge, unit};
use crate::name::Name;

impl Walk<'_> {
    pub(super) fn macro_call(&mut self, id: ExprId, call: &MacroCall, want: &Ty) -> Ty {
        let path = self.macro_path(&call.path);
        self.out.macros.insert(id, path.clone());
        let last = last_of(&path).to_owned();
        let ours = self.index.macros.get(last.as_str()).is_some_and(|p| *p == path);
        let given = match &call.args {
            MacroArgs::List(all) => all.iter().map(|a| self.expr(*a, &Ty::Unknown)).collect(),
            MacroArgs::Format { args, captures, .. } => {
                self.captures(id, captures);
                args.iter().for_each(|a| drop(self.expr(*a, &Ty::Unknown)));
                Vec::new()
            }
            MacroArgs::Matches { value, pat, guard } => {
                let mark = self.trail.len();
                let ty = self.expr(*value, &Ty::Unknown);
                self.pat(*pat, &ty);
                guard.iter().for_each(|g| drop(self.expr(*g, &Ty::Unknown)));
                self.leave(mark);
                Vec::new()
            }
            MacroArgs::Select(arms) => return self.select(arms, want),
            MacroArgs::Block(block) => {
                let ty = self.in_future(*block, &Ty::Unknown);
                vec![ty]
            }
            MacroArgs::Opaque { .. } => Vec::new(),
        };
        match macro_type(&last, given) {
            Some(ty) => ty,
            None if ours => Ty::Unknown,
            None if is_open(want) => Ty::ForeignValue(path),
            None => want.clone(),
        }
    }

    fn captures(&mut self, id: ExprId, names: &[Name]) {
        let found: Vec<_> = names.iter().filter_map(|n| self.local(n)).collect();
        if !found.is_empty() {
            self.out.captures.insert(id, found);
        }
    }

    fn select(&mut self, arms: &[SelectArm], want: &Ty) -> Ty {
        let mut found = Ty::Unknown;
        for arm in arms {
            let mark = self.trail.len();
            let ty = arm.future.map_or(Ty::Unknown, |f| self.expr(f, &Ty::Unknown));
            let ty = self.awaited(ty);
            arm.pat.iter().for_each(|p| self.pat(*p, &ty));
            arm.cond.iter().for_each(|c| drop(self.expr(*c, &Ty::Unknown)));
            let ty = self.expr(arm.body, want);
            found = merge(&found, &ty);
            self.leave(mark);
        }
        found
    }

    fn macro_path(&self, path: &Path) -> Name {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        let written = || Name::from(names.iter().map(|n| n.to_string()).collect::<Vec<_>>().join("::"));
        let Some(last) = names.last() else {
            return written();
        };
        if let Some(own) = self.index.macros.get(last) {
            let foreign = names.len() > 1
                && matches!(
                    self.index.resolve(self.module, &names[..1], Ns::Types, Guess::No),
                    Some((Def::Foreign(_), _))
                );
            if !foreign {
                return own.clone();
            }
        }
        let guess = if names.len() > 1 { Guess::Foreign } else { Guess::No };
        match self.index.resolve(self.module, &names, Ns::Types, guess) {
            Some((Def::Foreign(path), n)) if n == names.len() && !is_type(&path) => self.models.canonical(&path),
            _ if names.len() == 1 && is_std(last) => Name::from(format!("std::{last}")),
            _ => written(),
        }
    }
}

/// A prelude type that happens to have the macro's name is no macro.
fn is_type(path: &str) -> bool {
    !path.contains("::")
}

fn is_std(name: &str) -> bool {
    STD.split_whitespace().any(|n| n == name)
}

const STD: &str = "vec format println print eprintln eprint write writeln \
    panic todo unreachable unimplemented assert assert_eq assert_ne debug_assert \
    debug_assert_eq debug_assert_ne matches dbg env option_env concat stringify \
    include_str include_bytes include cfg line file column module_path \
    thread_local compile_error format_args try addr_of";

/// What well-known macros give.
fn macro_type(name: &str, mut given: Vec<Ty>) -> Option<Ty> {
    let plain = |name: &str| Some(Ty::Foreign(name.into(), Vec::new()));
    match name {
        "format" => plain("String"),
        "concat" | "stringify" | "env" | "include_str" | "file" | "module_path" => plain("str"),
        "matches" | "cfg" => plain("bool"),
        "option_env" => Some(Ty::Foreign("Option".into(), vec![Ty::Foreign("str".into(), Vec::new())])),
        "panic" | "todo" | "unreachable" | "unimplemented" | "bail" | "ensure_unreachable" => Some(Ty::Never),
        "anyhow" | "format_err" => plain("anyhow::Error"),
        "eyre" => plain("eyre::Report"),
        "json" => plain("serde_json::Value"),
        "write" | "writeln" => Some(Ty::Foreign("Result".into(), vec![unit(), Ty::Unknown])),
        "println" | "print" | "eprintln" | "eprint" | "assert" | "assert_eq" | "assert_ne" | "debug_assert"
        | "debug_assert_eq" | "debug_assert_ne" | "trace" | "debug" | "info" | "warn" | "error" | "ensure" => {
            Some(unit())
        }
        "join" => Some(Ty::Tuple(given)),
        "try_join" => Some(try_joined(&given)),
        "dbg" | "pin" | "ready" => given.pop(),
        "stream" | "try_stream" => Some(Ty::Foreign("Iterator".into(), vec![Ty::Unknown])),
        _ => None,
    }
}

/// All values, or the first error.
fn try_joined(given: &[Ty]) -> Ty {
    let first = |ty: &Ty| match ty {
        Ty::Foreign(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
        ty => ty.clone(),
    };
    let error = given.iter().find_map(|t| match t {
        Ty::Foreign(head, args) if *head == "Result" => args.get(1).cloned(),
        _ => None,
    });
    let all = Ty::Tuple(given.iter().map(first).collect());
    Ty::Foreign("Result".into(), vec![all, error.unwrap_or(Ty::Unknown)])
}
