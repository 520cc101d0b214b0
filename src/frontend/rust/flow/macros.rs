//! Macros that run something: `join!`, `select!`, `bail!`, `stream!`.

use super::{Flow, tidy};
use crate::class::Endings;
use crate::effect::{Arm, Effect, Exit, Wins};
use crate::frontend::rust::pats;
use crate::frontend::rust::tree::{ExprId, MacroArgs, SelectArm};
use crate::name::last_segment;

impl Flow<'_> {
    pub(super) fn macro_call(&mut self, e: ExprId, args: &MacroArgs) -> Effect {
        let name = self.types.macros.get(&e).map(|n| last_segment(n).to_owned()).unwrap_or_default();
        match args {
            MacroArgs::List(parts) => match &*name {
                "join" => self.join(parts, true),
                "try_join" => self.join(parts, false),
                _ => tidy::seq(parts.iter().map(|p| tidy::dropped(self.expr(*p))).collect()),
            },
            MacroArgs::Format { args, .. } => {
                let parts: Vec<Effect> = args.iter().map(|p| tidy::dropped(self.expr(*p))).collect();
                let end = match &*name {
                    "bail" | "panic" | "unreachable" | "todo" | "unimplemented" => {
                        tidy::leave(Exit::Return, self.made_error(&[]))
                    }
                    _ => Effect::Nothing,
                };
                tidy::seq(parts.into_iter().chain([end]).collect())
            }
            MacroArgs::Matches { value, .. } => tidy::dropped(self.expr(*value)),
            MacroArgs::Select(arms) => self.select(arms),
            MacroArgs::Block(block) => tidy::dropped(self.expr(*block)),
            MacroArgs::Opaque { .. } => Effect::Nothing,
        }
    }

    /// `select!`: the first to end decides which handler runs. A handler runs outside the race: its work is not cut.
    fn select(&mut self, arms: &[SelectArm]) -> Effect {
        let mut sides = Vec::new();
        let mut fallback = None;
        for arm in arms {
            let Some(future) = arm.future else {
                fallback = Some(self.expr(arm.body));
                continue;
            };
            let effect = self.future(future, true);
            let names = arm.pat.map(|p| pats::bindings(self.tree, p)).unwrap_or_default();
            self.note_origin(&names, future);
            sides.push(self.select_side(arm, effect));
        }
        sides.extend(fallback);
        match sides.len() {
            0 => Effect::Nothing,
            1 => sides.remove(0),
            _ if sides.iter().all(tidy::is_pure) => Effect::Nothing,
            _ => Effect::Race(sides, Wins::First),
        }
    }

    fn select_side(&mut self, arm: &SelectArm, effect: Effect) -> Effect {
        if tidy::is_pure(&effect) || matches!(effect, Effect::Sleep(_)) {
            let body = self.expr(arm.body);
            return tidy::seq(vec![effect, body]);
        }
        let then = self.in_arm(|f, level| {
            if let Some(pat) = arm.pat {
                f.bind(pat, level);
            }
            f.expr(arm.body)
        });
        tidy::recover(effect, vec![Arm { on: Endings::ALL.without(Endings::NEVER), then }])
    }
}
