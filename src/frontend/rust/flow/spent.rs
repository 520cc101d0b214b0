//! What a loop does when its attempts are spent: whether it waits once more before it gives up, and whether its failure is
//! dropped. Both are read from what stands behind the loop; where more than a value stands there, nothing is said.

use super::Flow;
use crate::frontend::rust::bounds::Bounds;
use crate::frontend::rust::program::Ty;
use crate::frontend::rust::tree::{Block, ExprId, ExprKind, Lit, MacroArgs, Stmt};
use crate::name::last_segment;
use crate::source::Span;

/// Functions without arguments that make an empty value.
const EMPTY: [&str; 2] = ["new", "default"];
/// Wrappers in which a failure can still look like success.
const WRAPS: [&str; 2] = ["Ok", "Some"];

/// What stands behind a loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Nothing is tried behind the loop: the last attempt was the loop's.
    pub ends: bool,
    /// The head alone counts: no turn knows whether it is the last one.
    pub by_head: bool,
    /// The value that is returned in place of the failure, and nothing says that there was one.
    pub dropped_at: Option<Span>,
}

impl Flow<'_> {
    pub(super) fn spent(&self, the_loop: ExprId, bounds: &Bounds) -> Spent {
        let behind = if bounds.exhausts { self.behind(the_loop) } else { None };
        let Some(behind) = behind else { return Spent::default() };
        let told = self.tells(the_loop) || !self.is_empty_value(behind);
        let dropped_at = (!told).then(|| behind.map_or(self.at(the_loop), |value| self.at(value)));
        Spent { ends: true, by_head: bounds.by_head, dropped_at }
    }

    /// The value of the function behind the loop, if nothing else stands there: `Some(None)` for no value.
    fn behind(&self, the_loop: ExprId) -> Option<Option<ExprId>> {
        let locals = self.world.values.locals(self.body);
        let mut at = the_loop;
        // Blocks that are themselves the value of what is around them.
        loop {
            let parent = locals.parents.get(&at).copied();
            match parent.map(|p| (p, &self.tree.expr(p).kind)) {
                None => return Some(None),
                Some((p, ExprKind::Block(block))) => match self.last_of(block, at)? {
                    Some(value) if value != at => return self.is_whole(p).then_some(Some(value)),
                    _ => at = p,
                },
                Some((p, ExprKind::Async { .. })) if self.own_future == Some(p) => return Some(None),
                Some(_) => return None,
            }
        }
    }

    /// What a block's value is, if the expression is its last but for that value.
    fn last_of(&self, block: &Block, e: ExprId) -> Option<Option<ExprId>> {
        if block.tail == Some(e) {
            return Some(None);
        }
        let last = matches!(block.stmts.last(), Some(Stmt::Expr(last)) if *last == e);
        last.then_some(block.tail)
    }

    /// A block whose value is that of the function.
    fn is_whole(&self, block: ExprId) -> bool {
        let locals = self.world.values.locals(self.body);
        let mut at = block;
        loop {
            match locals.parents.get(&at).map(|p| (*p, &self.tree.expr(*p).kind)) {
                None => return true,
                Some((p, ExprKind::Block(outer))) if outer.tail == Some(at) => at = p,
                Some((p, ExprKind::Async { .. })) => return self.own_future == Some(p),
                Some(_) => return false,
            }
        }
    }

    /// An empty value, or none: nobody can see in it that something failed. `None`, `false` and `Err` say so.
    fn is_empty_value(&self, value: Option<ExprId>) -> bool {
        let Some(value) = value else { return true };
        match &self.tree.expr(value).kind {
            ExprKind::Tuple(parts) => parts.is_empty(),
            ExprKind::Array(parts) => parts.is_empty(),
            ExprKind::Lit(Lit::Str(text)) => text.is_empty(),
            ExprKind::Block(block) => block.stmts.is_empty() && self.is_empty_value(block.tail),
            ExprKind::Call { callee, args } => {
                let ExprKind::Path(path) = &self.tree.expr(*callee).kind else { return false };
                let name = path.last().map_or("", |s| &*s.name);
                match args[..] {
                    [] => EMPTY.contains(&name) && self.is_collection(value),
                    [inner] => WRAPS.contains(&name) && self.is_empty_value(Some(inner)),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_collection(&self, e: ExprId) -> bool {
        let kinds = ["Vec", "String", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "VecDeque"];
        matches!(self.types.types.get(&e), Some(Ty::Foreign(name, _)) if kinds.contains(&last_segment(name)))
    }

    /// Whether anything in the loop may tell somebody about a failure: a message, a metric, a call whose value nobody
    /// uses, an error that is kept.
    fn tells(&self, the_loop: ExprId) -> bool {
        let mut open = vec![the_loop];
        while let Some(e) = open.pop() {
            let tells = match &self.tree.expr(e).kind {
                ExprKind::Macro(call) => {
                    !matches!(call.args, MacroArgs::Matches { .. } | MacroArgs::Select(_))
                        && !matches!(call.path.last().map(|s| &*s.name), Some("format" | "vec" | "concat"))
                }
                ExprKind::Block(block) => block.stmts.iter().any(|s| self.drops_a_call(s)),
                ExprKind::Assign { value, .. } => !self.is_plain(*value),
                _ => false,
            };
            if tells {
                return true;
            }
            crate::frontend::rust::pats::push_children(self.tree, e, &mut open);
        }
        false
    }

    fn drops_a_call(&self, stmt: &Stmt) -> bool {
        let Stmt::Expr(e) = stmt else { return false };
        matches!(self.tree.expr(*e).kind, ExprKind::Call { .. } | ExprKind::Method { .. })
    }

    /// A number, a flag, arithmetic: no error is kept by it.
    fn is_plain(&self, value: ExprId) -> bool {
        match self.types.types.get(&value) {
            Some(Ty::Foreign(name, _)) => super::fresh::is_number(name) || &**name == "bool",
            _ => matches!(self.tree.expr(value).kind, ExprKind::Lit(_) | ExprKind::Binary { .. }),
        }
    }
}
