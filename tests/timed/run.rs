//! An interpreter with a clock. It runs an effect step by step; whatever is open (does this try fail, which branch, how long
//! is this pause) is answered by a script, and every script is played.

use retrylint::class::{Ending, FailureClass, Scenario};
use retrylint::effect::*;
use retrylint::value::Value;

/// A deadline came: the one with that index, counted from the outermost.
struct Expired(usize);

type Out = Result<Ending, Expired>;

const LONGEST: usize = 60;
const MOST_RUNS: usize = 6000;

struct Run<'r> {
    given: &'r [usize],
    asked: Vec<(usize, usize)>,
    failing: &'r str,
    fails_with: Ending,
    tries: u64,
    now: u64,
    limits: Vec<u64>,
    /// Pauses are as short as can be, or of any length.
    shortest: bool,
}

impl Run<'_> {
    fn choose(&mut self, count: usize) -> usize {
        let answer = self.given.get(self.asked.len()).copied().unwrap_or(0);
        self.asked.push((answer, count));
        answer
    }

    /// Time passes, up to the first deadline; of two at once the outer one counts.
    fn wait(&mut self, ms: Option<u64>) -> Result<(), Expired> {
        let first = self.limits.iter().min().copied();
        let then = ms.map(|ms| self.now + ms);
        match (first, then) {
            (Some(first), then) if then.is_none_or(|then| then >= first) => {
                self.now = first;
                let index = self.limits.iter().position(|l| *l == first).expect("the smallest is among them");
                Err(Expired(index))
            }
            (_, then) => {
                self.now = then.unwrap_or(self.now);
                Ok(())
            }
        }
    }

    fn pause(&mut self, wait: &Wait, turn: u32) -> Result<(), Expired> {
        let base = wait.base_ms.unwrap_or(0);
        let full = match wait.shape {
            Shape::Fixed => base,
            Shape::Linear => base * u64::from(turn),
            Shape::Exponential => base * 2u64.pow(turn - 1),
            _ => 0,
        };
        let full = full.min(wait.cap_ms.unwrap_or(full));
        let least = match wait.jitter {
            Jitter::Full => 0,
            Jitter::Equal => full / 2,
            _ => full,
        };
        let more = if self.shortest { 0 } else { self.choose((full - least + 1) as usize) as u64 };
        self.wait(Some(least + more))
    }

    fn run(&mut self, effect: &Effect, caught: Option<Ending>) -> Out {
        match effect {
            Effect::End(ending) => Ok(*ending),
            Effect::Caught(_) => Ok(caught.expect("only in arms")),
            Effect::Sleep(wait) => self.pause(wait, 1).map(|()| Ending::Ok),
            Effect::Remote(remote) => self.attempt(remote),
            Effect::Seq(parts) => {
                let mut out = Ending::Ok;
                for part in parts {
                    out = self.run(part, caught)?;
                    if !out.goes_on() {
                        break;
                    }
                }
                Ok(out)
            }
            Effect::Branch(parts, _) => {
                let taken = self.choose(parts.len());
                self.run(&parts[taken], caught)
            }
            Effect::Map(rules, body) => {
                let ending = self.run(body, caught)?;
                let rule = rules.iter().find(|(from, _)| from.has(ending) && ending != Ending::Never);
                Ok(rule.and_then(|(_, to)| to.iter().next()).unwrap_or(ending))
            }
            Effect::Recover(body, arms) => {
                let ending = self.run(body, caught)?;
                let arm = arms.iter().find(|arm| arm.on.has(ending) && ending != Ending::Never);
                arm.map_or(Ok(ending), |arm| self.run(&arm.then, Some(ending)))
            }
            Effect::Repeat(repeat) => self.repeat(repeat, caught),
            Effect::Within(deadline, body) => self.within(deadline, body, caught),
            Effect::Outlives(body) => self.outlives(body, caught),
            other => unreachable!("not generated: {other:?}"),
        }
    }

    fn attempt(&mut self, remote: &Remote) -> Out {
        let to = remote.target.address.as_deref().unwrap_or_default();
        self.tries += u64::from(to == "d");
        if to != self.failing || self.choose(2) == 0 {
            return Ok(Ending::Ok);
        }
        if self.fails_with == Ending::Never {
            self.wait(None)?;
        }
        Ok(self.fails_with)
    }

    fn repeat(&mut self, repeat: &Repeat, caught: Option<Ending>) -> Out {
        let Some(Stop::Count(Value::Number(n), _)) = repeat.stops.first() else { unreachable!() };
        let elapsed = repeat.stops.iter().find_map(|stop| match stop {
            Stop::Elapsed(Value::Number(ms), _) => Some(*ms),
            _ => None,
        });
        let began = self.now;
        for turn in 1.. {
            let ending = self.run(&repeat.body, caught)?;
            if !repeat.again.has(ending) || ending == Ending::Never || turn == *n {
                return Ok(ending);
            }
            // A turn that would begin too late is not waited for.
            let (before, limits) = (self.now, std::mem::take(&mut self.limits));
            let _ = self.pause(&repeat.wait, turn as u32);
            self.limits = limits;
            let pause = self.now - before;
            self.now = before;
            if elapsed.is_some_and(|limit| before + pause - began >= limit) {
                return Ok(ending);
            }
            self.wait(Some(pause))?;
        }
        unreachable!("it returns at its last turn")
    }

    fn within(&mut self, deadline: &Deadline, body: &Effect, caught: Option<Ending>) -> Out {
        let Value::Number(ms) = deadline.limit else { unreachable!() };
        let depth = self.limits.len();
        self.limits.push(self.now + ms);
        let out = self.run(body, caught);
        self.limits.truncate(depth);
        match out {
            Err(Expired(index)) if index == depth => Ok(Ending::Error(FailureClass::Timeout)),
            other => other,
        }
    }

    /// It goes on without its caller, who is cut at its own deadline.
    fn outlives(&mut self, body: &Effect, caught: Option<Ending>) -> Out {
        let above = std::mem::take(&mut self.limits);
        let ending = self.run(body, caught).unwrap_or_else(|_| unreachable!("no deadline is above"));
        self.limits = above;
        match self.limits.iter().min().copied() {
            Some(first) if self.now >= first || ending == Ending::Never => {
                self.now = first;
                Err(Expired(self.limits.iter().position(|l| *l == first).expect("the smallest is among them")))
            }
            _ => Ok(ending),
        }
    }
}

#[derive(Default, Debug)]
pub struct Truth {
    pub tries: u64,
    /// `None`: it can hang.
    pub time: Option<u64>,
}

/// The most over every script; `None` where there are too many.
pub fn reached(effect: &Effect, failing: &str, scenario: Scenario, shortest: bool) -> Option<Truth> {
    let mut truth = Truth { tries: 0, time: Some(0) };
    let mut given = Vec::new();
    for _ in 0..MOST_RUNS {
        let mut run = Run {
            given: &given,
            asked: Vec::new(),
            failing,
            fails_with: scenario.ending(),
            tries: 0,
            now: 0,
            limits: Vec::new(),
            shortest,
        };
        let ending = run.run(effect, None).unwrap_or(Ending::Never);
        if run.asked.len() > LONGEST {
            return None;
        }
        truth.tries = truth.tries.max(run.tries);
        let now = run.now;
        truth.time = truth.time.filter(|_| ending != Ending::Never).map(|most| most.max(now));
        let mut next = run.asked;
        while next.last().is_some_and(|(answer, count)| answer + 1 == *count) {
            next.pop();
        }
        let Some(last) = next.last_mut() else {
            return Some(truth);
        };
        last.0 += 1;
        given = next.into_iter().map(|(answer, _)| answer).collect();
    }
    None
}
