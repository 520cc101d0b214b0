//! Blocks, branches, loops and closures.

use super::super::names::types::{element, last_of};
use super::super::program::Ty;
use super::super::tree::{Arm, Block, ExprId, ExprKind, PatId, Stmt, TypeId};
use super::{Walk, is_open, merge, unit};

impl Walk<'_> {
    pub(super) fn control(&mut self, id: ExprId, want: &Ty) -> Ty {
        match &self.tree.expr(id).kind {
            ExprKind::If { cond, then, otherwise } => self.branch(*cond, *then, *otherwise, want),
            ExprKind::Let { pat, value } => {
                let ty = self.expr(*value, &Ty::Unknown);
                self.pat(*pat, &ty);
                Ty::Foreign("bool".into(), Vec::new())
            }
            ExprKind::Match { value, arms } => self.arms(*value, arms, want),
            ExprKind::Block(block) => self.block(id, block, want),
            ExprKind::Async { block } => self.in_future(*block, want),
            ExprKind::Loop { body, .. } => self.turns(None, *body),
            ExprKind::While { cond, body, .. } => {
                self.turns(Some(*cond), *body);
                unit()
            }
            ExprKind::For { pat, iter, body, .. } => self.for_loop(*pat, *iter, *body),
            ExprKind::Closure { params, result, body, .. } => self.closure(params, *result, *body, want),
            _ => self.jump(id),
        }
    }

    fn jump(&mut self, id: ExprId) -> Ty {
        match &self.tree.expr(id).kind {
            ExprKind::Break { value, .. } => {
                if let Some(value) = value {
                    let ty = self.expr(*value, &Ty::Unknown);
                    self.broken = merge(&self.broken, &ty);
                }
                Ty::Never
            }
            ExprKind::Return(value) => {
                if let Some(value) = value {
                    let want = self.result.clone();
                    let ty = self.expr(*value, &want);
                    self.returned = merge(&self.returned, &ty);
                }
                Ty::Never
            }
            ExprKind::Yield(value) => {
                value.iter().for_each(|v| drop(self.expr(*v, &Ty::Unknown)));
                unit()
            }
            ExprKind::Continue { .. } => Ty::Never,
            _ => Ty::Unknown,
        }
    }

    /// The turns of a loop; what `break` gives.
    fn turns(&mut self, cond: Option<ExprId>, body: ExprId) -> Ty {
        let mark = self.trail.len();
        let outer = std::mem::replace(&mut self.broken, Ty::Unknown);
        cond.iter().for_each(|c| drop(self.expr(*c, &Ty::Unknown)));
        self.expr(body, &Ty::Unknown);
        self.leave(mark);
        std::mem::replace(&mut self.broken, outer)
    }

    fn branch(&mut self, cond: ExprId, then: ExprId, otherwise: Option<ExprId>, want: &Ty) -> Ty {
        let mark = self.trail.len();
        self.expr(cond, &Ty::Unknown);
        let first = self.expr(then, want);
        self.leave(mark);
        match otherwise {
            Some(otherwise) => {
                let second = self.expr(otherwise, if is_open(want) { &first } else { want });
                merge(&first, &second)
            }
            None => unit(),
        }
    }

    fn arms(&mut self, value: ExprId, arms: &[Arm], want: &Ty) -> Ty {
        let scrutinee = self.expr(value, &Ty::Unknown);
        let mut found = if arms.is_empty() { Ty::Never } else { Ty::Unknown };
        let mut all_never = true;
        for arm in arms {
            let mark = self.trail.len();
            self.pat(arm.pat, &scrutinee);
            arm.guard.iter().for_each(|g| drop(self.expr(*g, &Ty::Unknown)));
            let ty = self.expr(arm.body, if is_open(want) { &found } else { want });
            all_never &= ty == Ty::Never;
            found = merge(&found, &ty);
            self.leave(mark);
        }
        if found == Ty::Never && !all_never { Ty::Unknown } else { found }
    }

    fn block(&mut self, id: ExprId, block: &Block, want: &Ty) -> Ty {
        let mark = self.trail.len();
        let inner = self.index.block(self.file, id);
        let outer = inner.map(|m| self.enter_module(m));
        let mut diverges = false;
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, ty, value, otherwise, .. } => self.let_stmt(*pat, *ty, *value, *otherwise),
                Stmt::Expr(e) => diverges |= self.expr(*e, &Ty::Unknown) == Ty::Never,
            }
        }
        let found = match block.tail {
            Some(tail) => self.expr(tail, want),
            None if diverges => Ty::Never,
            None => unit(),
        };
        if let Some(outer) = outer {
            self.enter_module(outer);
        }
        self.leave(mark);
        if block.label.is_some() { merge(&found, &self.broken.clone()) } else { found }
    }

    fn let_stmt(&mut self, pat: PatId, ty: Option<TypeId>, value: Option<ExprId>, otherwise: Option<ExprId>) {
        let annotated = ty.map_or(Ty::Unknown, |t| self.written(t));
        let found = value.map_or(Ty::Unknown, |v| self.expr(v, &annotated));
        otherwise.iter().for_each(|o| drop(self.expr(*o, &Ty::Never)));
        let ty = merge(&annotated, &found);
        self.pat(pat, &ty);
    }

    fn for_loop(&mut self, pat: PatId, iter: ExprId, body: ExprId) -> Ty {
        let mark = self.trail.len();
        let over = self.expr(iter, &Ty::Unknown);
        let item = self.item_of(over);
        self.pat(pat, &item);
        let outer = std::mem::replace(&mut self.broken, Ty::Unknown);
        self.expr(body, &Ty::Unknown);
        self.broken = outer;
        self.leave(mark);
        unit()
    }

    /// What iterating over a value gives.
    pub(super) fn item_of(&self, over: Ty) -> Ty {
        match element(&over) {
            Some(item) => item,
            None if matches!(over, Ty::Adt(..)) => self.written.assoc(over, "Item"),
            None => match over {
                Ty::Foreign(path, args) if last_of(&path).starts_with("Range") => {
                    args.into_iter().next().unwrap_or(Ty::Unknown)
                }
                Ty::Foreign(path, _) => Ty::ForeignValue(path),
                _ => Ty::Unknown,
            },
        }
    }

    /// `return` and `?` inside belong to the future.
    pub(super) fn in_future(&mut self, block: ExprId, want: &Ty) -> Ty {
        let result = std::mem::replace(&mut self.result, want.clone());
        let returned = std::mem::replace(&mut self.returned, Ty::Unknown);
        let broken = std::mem::replace(&mut self.broken, Ty::Unknown);
        let found = self.expr(block, want);
        let found = merge(&found, &self.returned);
        self.result = result;
        self.returned = returned;
        self.broken = broken;
        found
    }

    fn closure(&mut self, params: &[(PatId, Option<TypeId>)], result: Option<TypeId>, body: ExprId, want: &Ty) -> Ty {
        let mark = self.trail.len();
        let mut given = Vec::new();
        for (i, (pat, ty)) in params.iter().enumerate() {
            let written = ty.map_or(Ty::Unknown, |t| self.written(t));
            let expected = match want {
                Ty::Fn(wanted, _) => wanted.get(i).cloned().unwrap_or(Ty::Unknown),
                Ty::ForeignValue(path) => Ty::ForeignValue(path.clone()),
                _ => Ty::Unknown,
            };
            let ty = merge(&written, &expected);
            self.pat(*pat, &ty);
            given.push(ty);
        }
        let wanted = match (result, want) {
            (Some(result), _) => self.written(result),
            (None, Ty::Fn(_, result)) => (**result).clone(),
            _ => Ty::Unknown,
        };
        let found = self.in_future(body, &wanted);
        self.leave(mark);
        Ty::Fn(given, Box::new(merge(&wanted, &found)))
    }
}
