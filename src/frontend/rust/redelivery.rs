//! Messages that are given back to their queue whenever they fail, while nothing limits how often they come (RL306).
//!
//! What the broker is told elsewhere is not seen: a queue that this tree does not declare, or declares with anything in the
//! table for limits, says nothing. Nor does a message that is given back under a condition of any kind: it may ask how often
//! the message has come, or what failed.

use super::program::{BodyId, CrateId, CrateKind, Target};
use super::tree::{Arm, At, ExprId, ExprKind, PatKind, RustFile};
use super::val::{Object, Val};
use super::values::Values;
use crate::fact::{Remark, RemarkKind};
use crate::model::{ArgRef, Does, FnModel};
use crate::name::last_segment;

/// Calls that give every failed message back.
pub fn remarks(values: &Values<'_>) -> Vec<Remark> {
    let calls = all_calls(values);
    let mut found = Vec::new();
    for (body, call, model) in &calls {
        let Some(Does::GivesBack { options, field }) = &model.does else { continue };
        let tree = values.program.tree_of(*body);
        let given = argument(tree, *call, *options).map(|arg| values.eval(*body, arg));
        let krate = krate(values, *body);
        if given.is_some_and(|g| says(&g, field)) && always(tree, *call) && declared_bare(values, &calls, krate) {
            found.push(remark(values, *body, *call));
        }
    }
    found.sort_by_key(|r| r.at);
    found
}

fn remark(values: &Values<'_>, body: BodyId, call: ExprId) -> Remark {
    let context = match body {
        BodyId::Fn(id) => values.program.def(id).path.clone(),
        BodyId::Const(_) => "".into(),
    };
    Remark {
        is: RemarkKind::Redelivered,
        at: values.span(body, call),
        message: format!(
            "`{context}` gives every message that fails back to its queue, which hands it out again at once and without end"
        ),
        context,
        help: "declare the queue with a dead letter exchange and a delivery limit, or give back without requeue what can never succeed"
            .to_owned(),
    }
}

/// Modelled calls of functions that are no tests.
fn all_calls<'v>(values: &'v Values<'_>) -> Vec<(BodyId, ExprId, &'v FnModel)> {
    let mut all = Vec::new();
    for (body, types) in values.bodies {
        let BodyId::Fn(id) = body else { continue };
        let def = values.program.def(*id);
        if def.test || values.program.crates[def.krate.0 as usize].kind == CrateKind::Other {
            continue;
        }
        for (call, target) in types.targets.iter() {
            let Target::Foreign(path) = target else { continue };
            let told = values.model_of(path);
            let tells = |m: &&FnModel| m.limits_redelivery.is_some() || matches!(m.does, Some(Does::GivesBack { .. }));
            all.extend(told.filter(tells).map(|model| (*body, *call, model)));
        }
    }
    all.sort_by_key(|(body, call, _)| (*body, *call));
    all
}

fn krate(values: &Values<'_>, body: BodyId) -> Option<CrateId> {
    match body {
        BodyId::Fn(id) => Some(values.program.def(id).krate),
        BodyId::Const(_) => None,
    }
}

fn argument(tree: &RustFile, call: ExprId, which: ArgRef) -> Option<ExprId> {
    match (&tree.expr(call).kind, which) {
        (ExprKind::Method { receiver, .. }, ArgRef::Receiver) => Some(*receiver),
        (ExprKind::Method { args, .. }, ArgRef::Arg(n)) => args.get(usize::from(n)).copied(),
        (ExprKind::Call { args, .. }, ArgRef::Arg(n)) => args.get(usize::from(n)).copied(),
        _ => None,
    }
}

fn says(options: &Val, field: &str) -> bool {
    let of = |o: &Object| o.fields.get(field).is_some_and(|f| f.value == Val::Bool(true));
    match options {
        Val::Object(o) => of(o),
        Val::Wrapped(inner) => says(inner, field),
        _ => false,
    }
}

/// The crate declares queues, and none with anything that may limit how often a message comes.
fn declared_bare(values: &Values<'_>, calls: &[(BodyId, ExprId, &FnModel)], of: Option<CrateId>) -> bool {
    let mut declared = calls.iter().filter_map(|(body, call, model)| {
        let which = model.limits_redelivery.filter(|_| krate(values, *body) == of)?;
        Some(argument(values.program.tree_of(*body), *call, ArgRef::Arg(which)).map(|arg| (*body, arg)))
    });
    let empty = |table: Option<(BodyId, ExprId)>| {
        table.is_some_and(|(body, arg)| match &values.program.tree_of(body).expr(arg).kind {
            ExprKind::Call { args, .. } => args.is_empty(),
            _ => false,
        })
    };
    let first = declared.next();
    first.is_some_and(empty) && declared.all(empty)
}

/// Nothing but the failure itself decides that the call is made: no guard, no test inside the arm, no other arm.
fn always(tree: &RustFile, call: ExprId) -> bool {
    let at = tree.expr(call).at;
    let mut fails = false;
    for e in &tree.exprs {
        if !holds(e.at, at) {
            continue;
        }
        match &e.kind {
            ExprKind::If { cond, then, .. } if !holds(tree.expr(*cond).at, at) => {
                let failure =
                    matches!(&tree.expr(*cond).kind, ExprKind::Let { pat, .. } if is_err(tree, &tree.pat(*pat).kind));
                match failure && holds(tree.expr(*then).at, at) {
                    true => fails = true,
                    false => return false,
                }
            }
            ExprKind::Match { value, arms } if !holds(tree.expr(*value).at, at) => {
                match arms.iter().any(|arm| failing(tree, arm, at)) {
                    true => fails = true,
                    false => return false,
                }
            }
            _ => {}
        }
    }
    fails
}

fn failing(tree: &RustFile, arm: &Arm, at: At) -> bool {
    holds(tree.expr(arm.body).at, at) && arm.guard.is_none() && is_err(tree, &tree.pat(arm.pat).kind)
}

/// `Err(e)` and `Err(_)`: whatever failed.
fn is_err(tree: &RustFile, pat: &PatKind) -> bool {
    let PatKind::TupleStruct { path, parts } = pat else { return false };
    let err = path.last().is_some_and(|s| last_segment(&s.name) == "Err");
    let any = |p: &super::tree::PatId| {
        matches!(tree.pat(*p).kind, PatKind::Wild | PatKind::Rest | PatKind::Ident { sub: None, .. })
    };
    err && parts.iter().all(any)
}

fn holds(outer: At, inner: At) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && outer != inner
}
