//! Where code takes requests: calls that open a socket at a port that can be seen.

use crate::effect::variable;
use crate::fact::Socket;
use crate::frontend::rust::program::{BodyId, CrateKind, Program, Target};
use crate::frontend::rust::tree::ExprKind;
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::Values;
use crate::model::{Entry, Models};
use crate::name::Name;

/// The sockets that functions open, without those of tests, examples and benches.
pub fn sockets(program: &Program, values: &Values<'_>, models: &Models) -> Vec<Socket> {
    let mut rules: Vec<(&Name, u16)> = Vec::new();
    for entry in models.models.iter().flat_map(|m| &m.entries) {
        if let Entry::Listen { path, address } = entry {
            rules.push((path, *address));
        }
    }
    let mut found = Vec::new();
    for (body, types) in values.bodies {
        let BodyId::Fn(id) = *body else { continue };
        let def = program.def(id);
        if def.test || program.crates[def.krate.0 as usize].kind == CrateKind::Other {
            continue;
        }
        for (call, target) in types.targets.iter() {
            let Target::Foreign(path) = target else { continue };
            let Some((_, which)) = rules.iter().find(|(p, _)| *p == path) else { continue };
            let args: &[_] = match &program.tree_of(*body).expr(*call).kind {
                ExprKind::Call { args, .. } => args,
                ExprKind::Method { args, .. } => args,
                _ => continue,
            };
            let port = args.get(usize::from(*which)).and_then(|arg| port(&values.eval(*body, *arg)));
            found.extend(port.map(|port| Socket { at: values.span(*body, *call), port }));
        }
    }
    found.sort_by_key(|s| (s.at, s.port));
    found
}

/// The port of an address: a text, a pair of host and port. One of several is none.
fn port(address: &Val) -> Option<u16> {
    match address {
        Val::Text(text) => variable::defaults(text).rsplit_once(':')?.1.parse().ok(),
        Val::Wrapped(inner) => port(inner),
        Val::Object(pair) => number(&pair.fields.get("1")?.value),
        Val::List(pair) => number(pair.get(1)?),
        _ => None,
    }
}

fn number(value: &Val) -> Option<u16> {
    match value {
        Val::Int(n, _) => n.number().and_then(|n| u16::try_from(n).ok()),
        Val::Wrapped(inner) => number(inner),
        _ => None,
    }
}
