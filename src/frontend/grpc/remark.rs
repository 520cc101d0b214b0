//! What clients refuse, clamp, or do nothing with. A client that refuses one setting refuses the whole config.

use rustc_hash::FxHashMap;

use super::emit;
use super::read::{Config, Method, MethodConfig, Policy, Set, Throttling};
use super::rules::rules;
use crate::fact::{Facts, Remark, RemarkKind};
use crate::name::{Name, nearest};
use crate::source::Span;

/// Whether clients refuse the config.
pub fn remarks(config: &Config, facts: &mut Facts) -> bool {
    let mut said = Said { found: Vec::new(), refused: false };
    config.methods.iter().for_each(|m| said.method(m));
    said.twice(config);
    said.throttling(config);
    said.mistyped(
        &config.keys,
        "methodConfig",
        &["methodConfig", "retryThrottling", "loadBalancingConfig", "loadBalancingPolicy", "healthCheckConfig"],
    );
    facts.remarks.extend(said.found);
    said.refused
}

const A_DURATION: &str = "write seconds, such as `0.1s`";
const REST: &str = "clients refuse the whole config";

struct Said {
    found: Vec<Remark>,
    refused: bool,
}

impl Said {
    fn say(&mut self, is: RemarkKind, at: Span, context: String, message: String, help: &str) {
        self.found.push(Remark { is, at, context: Name::from(context), message, help: help.to_owned() });
    }

    fn refused(&mut self, at: Span, context: String, message: String, help: &str) {
        self.refused = true;
        self.say(RemarkKind::Rejected, at, context, format!("{message}: {REST}"), help);
    }

    fn method(&mut self, config: &MethodConfig) {
        let context = context(config);
        if let Some(Err(text)) = config.timeout.as_ref().map(|t| &t.value) {
            let at = config.timeout.as_ref().map_or(config.at, |t| t.at);
            self.refused(at, format!("{context}.timeout"), format!("`timeout: {text}` is no duration"), A_DURATION);
        }
        for name in config.names.iter().filter(|n| n.service.is_empty() && !n.method.is_empty()) {
            let message = format!("the method `{}` has no service", name.method);
            self.refused(name.at, format!("{context}.name"), message, "name its service");
        }
        self.policies(config, &context);
        let known = [
            "name",
            "timeout",
            "waitForReady",
            "retryPolicy",
            "hedgingPolicy",
            "maxRequestMessageBytes",
            "maxResponseMessageBytes",
        ];
        self.mistyped(&config.keys, &context, &known);
        if let Some(policy) = &config.retry {
            self.retry(policy, &format!("{context}.retryPolicy"));
        }
        if let Some(policy) = &config.hedging {
            self.attempts(policy, &format!("{context}.hedgingPolicy"));
            self.codes(policy, "nonFatalStatusCodes", &format!("{context}.hedgingPolicy"));
            self.mistyped(&policy.keys, &context, &["maxAttempts", "hedgingDelay", "nonFatalStatusCodes"]);
        }
    }

    /// Two policies, or one that is for nothing.
    fn policies(&mut self, config: &MethodConfig, context: &str) {
        if let (Some(_), Some(hedging)) = (&config.retry, &config.hedging) {
            let message = "a hedging policy beside a retry policy".to_owned();
            self.refused(hedging.at, format!("{context}.hedgingPolicy"), message, "keep one of them");
        }
        let policy = config.retry.as_ref().or(config.hedging.as_ref());
        if let Some(policy) = policy.filter(|_| config.names.is_empty()) {
            let message = "the policy does nothing: its entry names no method, so clients pass over it".to_owned();
            self.say(
                RemarkKind::Dead,
                policy.at,
                format!("{context}.name"),
                message,
                "list the services in `name`; `{}` is all",
            );
        }
    }

    fn retry(&mut self, policy: &Policy, context: &str) {
        let known = ["maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes"];
        if self.mistyped(&policy.keys, context, &known) {
            return;
        }
        self.attempts(policy, context);
        for (field, set) in [("initialBackoff", &policy.initial_backoff), ("maxBackoff", &policy.max_backoff)] {
            let wrong = match set.as_ref().map(|s| (&s.value, s.at)) {
                None => (policy.at, format!("a retry policy without `{field}`")),
                Some((Err(text), at)) => (at, format!("`{field}: {text}` is no duration")),
                Some((Ok(0), at)) => (at, format!("a `{field}` of 0 s")),
                Some(_) => continue,
            };
            self.refused(wrong.0, format!("{context}.{field}"), wrong.1, A_DURATION);
        }
        let multiplier = policy.multiplier.as_ref().and_then(Set::is);
        if multiplier.is_none_or(|m| *m <= 0.0 || m.is_nan()) {
            let at = policy.multiplier.as_ref().map_or(policy.at, |m| m.at);
            let message = "a retry policy without a `backoffMultiplier` above 0".to_owned();
            self.refused(at, format!("{context}.backoffMultiplier"), message, "write a number such as 2");
        }
        if policy.codes.as_ref().and_then(Set::is).is_none_or(Vec::is_empty) {
            let at = policy.codes.as_ref().map_or(policy.at, |c| c.at);
            let message = "a retry policy without a code in `retryableStatusCodes`".to_owned();
            self.refused(
                at,
                format!("{context}.retryableStatusCodes"),
                message,
                "list the codes, such as `UNAVAILABLE`",
            );
        }
        self.codes(policy, "retryableStatusCodes", context);
    }

    fn attempts(&mut self, policy: &Policy, context: &str) {
        let least = rules().defaults.least_attempts.value;
        let most = rules().defaults.max_attempts.value;
        let (at, context) =
            (policy.max_attempts.as_ref().map_or(policy.at, |m| m.at), format!("{context}.maxAttempts"));
        let help = "it counts the first attempt too: 2 to 5; for no retry take the policy out";
        match policy.max_attempts.as_ref().map(|m| &m.value) {
            None => self.refused(at, context, "a policy without `maxAttempts`".to_owned(), help),
            Some(Err(text)) => self.refused(at, context, format!("`maxAttempts: {text}` is no whole number"), help),
            Some(Ok(n)) if *n < least => {
                self.refused(at, context, format!("`maxAttempts: {n}` is below {least}"), help)
            }
            Some(Ok(n)) if *n > most => {
                let message =
                    format!("clients make {most} attempts, not `maxAttempts: {n}`, unless their own limit is raised");
                self.say(RemarkKind::Rejected, at, context, message, help);
            }
            Some(Ok(_)) => {}
        }
    }

    fn codes(&mut self, policy: &Policy, field: &str, context: &str) {
        for (code, at) in policy.codes.as_ref().and_then(Set::is).into_iter().flatten() {
            if rules().code(code).is_some() || matches!(code.as_str(), "OK" | "0") {
                continue;
            }
            let help = match nearest(code, rules().codes()) {
                Some(near) => format!("write `{near}`"),
                None => "codes are those of gRPC, such as `UNAVAILABLE`".to_owned(),
            };
            self.refused(*at, format!("{context}.{field}"), format!("`{code}` is no code of gRPC"), &help);
        }
    }

    /// A name stands in two entries.
    fn twice(&mut self, config: &Config) {
        let mut seen: FxHashMap<(&Name, &Name), &Method> = FxHashMap::default();
        for entry in &config.methods {
            for name in &entry.names {
                if seen.insert((&name.service, &name.method), name).is_some() {
                    let message = format!("`{}` is named twice", emit::label(name));
                    self.refused(name.at, format!("{}.name", context(entry)), message, "name each method once");
                }
            }
        }
    }

    fn throttling(&mut self, config: &Config) {
        let policies = || config.methods.iter().filter_map(|m| Some((m, emit::works(m)?)));
        let Some(throttling) = &config.throttling else {
            for (method, works) in policies() {
                let context = format!("{}.budget", context(method));
                let message = "a retry policy without `retryThrottling`: when a server is down, every call is repeated"
                    .to_owned();
                let help =
                    "add `retryThrottling`, such as `{\"maxTokens\": 10, \"tokenRatio\": 0.1}`, beside methodConfig";
                self.say(RemarkKind::NoBudget, works.policy.at, context, message, help);
            }
            return;
        };
        self.tokens(throttling);
        if let Some(at) = emit::forbids(config).filter(|_| policies().next().is_some()) {
            let tokens = throttling.max_tokens.as_ref().and_then(Set::is).copied().unwrap_or_default();
            let message = format!(
                "maxTokens {tokens} stops every retry: the first failure leaves half of the tokens, so 1 attempt is made"
            );
            self.say(
                RemarkKind::Dead,
                at,
                "retryThrottling.maxTokens".to_owned(),
                message,
                "raise maxTokens, such as to 10, or take the policies out",
            );
        }
    }

    fn tokens(&mut self, throttling: &Throttling) {
        let most = rules().defaults.most_tokens.value;
        let context = |field: &str| format!("retryThrottling.{field}");
        match throttling.max_tokens.as_ref().map(|t| &t.value) {
            Some(Ok(n)) if (1..=most).contains(n) => {}
            _ => {
                let at = throttling.max_tokens.as_ref().map_or(throttling.at, |t| t.at);
                let message = format!("`retryThrottling` without `maxTokens` of 1 to {most}");
                self.refused(at, context("maxTokens"), message, "write a whole number, such as 10");
            }
        }
        if throttling.token_ratio.as_ref().and_then(Set::is).is_none_or(|r| *r <= 0.0 || r.is_nan()) {
            let at = throttling.token_ratio.as_ref().map_or(throttling.at, |t| t.at);
            let message = "`retryThrottling` without a `tokenRatio` above 0".to_owned();
            self.refused(at, context("tokenRatio"), message, "write a number such as 0.1");
        }
    }

    /// Keys that are near to a known one are passed over by clients; whether there was one.
    fn mistyped(&mut self, keys: &[(Name, Span)], context: &str, known: &[&str]) -> bool {
        let before = self.found.len();
        let is_known = |key: &Name| known.iter().any(|k| k.eq_ignore_ascii_case(key));
        for (key, at) in keys.iter().filter(|(key, _)| !is_known(key)) {
            let Some(near) = nearest(key, known.iter().copied()) else { continue };
            let message = format!("clients pass over `{key}`: no setting has that name");
            self.say(RemarkKind::Dead, *at, format!("{context}.{near}"), message, &format!("write `{near}`"));
        }
        self.found.len() > before
    }
}

/// The way to an entry by the first method that it names.
fn context(config: &MethodConfig) -> String {
    let name = config.names.first().map(|n| format!("{}/{}", n.service, n.method)).unwrap_or_default();
    format!("methodConfig.{name}")
}
