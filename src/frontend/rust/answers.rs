//! What a handler answers when its work fails, where its code shows that: the status constants with which its errors become
//! answers. Where a status is computed, or nothing is shown, any failure of a server is possible.

use rustc_hash::FxHashMap;

use super::pats;
use super::program::{BodyId, BodyTypes, FnId, Owner, Program, TraitRef, Ty};
use super::tree::{ExprId, ExprKind};
use crate::class::{Endings, FailureClass};
use crate::model::Models;

pub struct Answers<'a> {
    pub program: &'a Program,
    pub bodies: &'a FxHashMap<BodyId, BodyTypes>,
    pub models: &'a Models,
}

impl Answers<'_> {
    /// The answers of a handler that fails; `None` where its code does not show them all.
    pub fn of(&self, handler: FnId) -> Option<Endings> {
        let body = self.program.function(handler).body?;
        let Ty::Foreign(name, args) = self.bodies.get(&BodyId::Fn(handler))?.types.get(&body)? else { return None };
        let error = args.get(1).filter(|_| *name == "Result")?;
        let found = match error {
            Ty::Adt(id, _) => {
                let turns = |owner: &Owner| match owner {
                    Owner::Impl { of: TraitRef::Foreign(_), for_type: Ty::Adt(adt, _) } => adt == id,
                    _ => false,
                };
                let all = (0..self.program.fns.len() as u32).map(FnId);
                let impls: Vec<FnId> = all.filter(|id| turns(&self.program.def(*id).owner)).collect();
                self.shown_in(&impls)?
            }
            _ if self.is_status(error) => self.shown_in(&[handler])?,
            Ty::Tuple(parts) if parts.first().is_some_and(|p| self.is_status(p)) => self.shown_in(&[handler])?,
            _ => return None,
        };
        (!found.is_empty()).then_some(found)
    }

    fn is_status(&self, ty: &Ty) -> bool {
        let Ty::Foreign(name, _) = ty else { return false };
        let path = self.models.canonical(name);
        self.models.type_model(&path).is_some_and(|model| !model.constants.is_empty())
    }

    /// The failures among the status constants of bodies; `None` where a status comes from elsewhere.
    fn shown_in(&self, bodies: &[FnId]) -> Option<Endings> {
        let mut found = Endings::NONE;
        for id in bodies {
            let body = BodyId::Fn(*id);
            let (Some(types), Some(root)) = (self.bodies.get(&body), self.program.function(*id).body) else { continue };
            let tree = self.program.tree_of(body);
            let mut open: Vec<ExprId> = vec![root];
            while let Some(e) = open.pop() {
                open.extend(pats::children(tree, e));
                match types.paths.get(&e).and_then(|path| self.constant(path)) {
                    Some(answer) => found |= answer,
                    None if types.types.get(&e).is_some_and(|ty| self.is_status(ty)) => {
                        let kind = &tree.expr(e).kind;
                        let computed = matches!(kind, ExprKind::Call { .. } | ExprKind::Method { .. });
                        if computed || types.locals.contains_key(&e) {
                            return None;
                        }
                    }
                    None => {}
                }
            }
        }
        Some(found)
    }

    /// The answer for which a constant stands; empty for one that is no failure.
    fn constant(&self, path: &str) -> Option<Endings> {
        let canonical = self.models.canonical(path);
        let (owner, name) = canonical.rsplit_once("::")?;
        let model = self.models.type_model(owner).filter(|model| !model.constants.is_empty())?;
        let class = model.constants.get(name).and_then(|class| FailureClass::from_name(class));
        Some(Endings::statuses_of(class))
    }
}
