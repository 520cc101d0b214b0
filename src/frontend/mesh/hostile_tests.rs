//! Objects that were made to break the front-end: it ends soon and says what it can.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

const SOON: Duration = Duration::from_secs(90);

fn extract(text: &str) -> Facts {
    let sources = Sources::new(vec![SourceFile::new("a.yaml", text)]);
    let (settings, mut facts) = (Settings::default(), Facts::default());
    Meshes.extract(&World { sources: &sources, settings: &settings }, &mut facts);
    facts
}

#[test]
fn many_objects_and_routes_end_soon() {
    let start = Instant::now();
    let many = 3000;
    let route = "{retries: {attempts: 2}, route: [{destination: {host: a}}]},".repeat(many);
    let one = format!(
        "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {{name: a}}\nspec: {{hosts: [a], http: [{route}]}}\n"
    );
    let small: String = (0..many)
        .map(|i| {
            format!(
                "---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {{name: v{i}}}\nspec: {{hosts: [h{i}], http: [{{route: [{{destination: {{host: h{i}}}}}]}}]}}\n\
                 ---\napiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata: {{name: v{i}}}\nspec: {{host: h{i}, trafficPolicy: {{connectionPool: {{http: {{maxRetries: 3}}}}}}}}\n"
            )
        })
        .collect();
    assert_eq!(extract(&format!("{one}{small}")).places.len(), 2 * many);
    let routes: String = (0..many)
        .map(|i| {
            format!(
                "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: r{i}}}\nspec: {{parentRefs: [{{name: g{i}}}], rules: [{{backendRefs: [{{name: b}}]}}]}}\n\
                 ---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: g{i}}}\nspec: {{gatewayClassName: eg}}\n"
            )
        })
        .collect();
    assert_eq!(extract(&routes).places.len(), many);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn lists_in_lists_end() {
    let deep = "{kind: List, apiVersion: networking.istio.io/v1, items: [".repeat(200) + &"]}".repeat(200);
    assert!(extract(&format!("apiVersion: networking.istio.io/v1\nx: {deep}\n")).places.is_empty());
    assert!(extract(&deep).places.is_empty());
}

const KINDS: &[(&str, &str)] = &[
    ("networking.istio.io/v1", "VirtualService"),
    ("networking.istio.io/v1", "DestinationRule"),
    ("install.istio.io/v1alpha1", "IstioOperator"),
    ("gateway.networking.k8s.io/v1", "HTTPRoute"),
    ("gateway.networking.k8s.io/v1", "GRPCRoute"),
    ("gateway.networking.k8s.io/v1", "Gateway"),
    ("gateway.envoyproxy.io/v1alpha1", "BackendTrafficPolicy"),
    ("linkerd.io/v1alpha2", "ServiceProfile"),
    ("v1", "Service"),
];

const FIELDS: &[&str] = &[
    "hosts",
    "host",
    "http",
    "match",
    "uri",
    "prefix",
    "regex",
    "method",
    "exact",
    "route",
    "destination",
    "subset",
    "subsets",
    "retries",
    "attempts",
    "perTryTimeout",
    "retryOn",
    "backoff",
    "timeout",
    "mirror",
    "mirrors",
    "rewrite",
    "delegate",
    "trafficPolicy",
    "connectionPool",
    "maxRetries",
    "retryBudget",
    "percent",
    "meshConfig",
    "defaultHttpRetryPolicy",
    "parentRefs",
    "rules",
    "matches",
    "path",
    "type",
    "value",
    "backendRefs",
    "name",
    "namespace",
    "port",
    "kind",
    "filters",
    "requestMirror",
    "backendRef",
    "urlRewrite",
    "timeouts",
    "request",
    "backendRequest",
    "retry",
    "codes",
    "numRetries",
    "triggers",
    "httpStatusCodes",
    "perRetry",
    "backOff",
    "baseInterval",
    "targetRefs",
    "targetRef",
    "circuitBreaker",
    "numerator",
    "denominator",
    "routes",
    "condition",
    "pathRegex",
    "isRetryable",
    "retryRatio",
    "ttl",
    "listeners",
    "hostname",
    "gatewayClassName",
];

fn leaf() -> impl Strategy<Value = Value> {
    let numbers = prop_oneof![Just(i64::MIN), Just(-1), Just(0), Just(3), Just(i64::MAX)].prop_map(|n| json!(n));
    const WORDS: &[&str] = &[
        "a",
        "*",
        "a.b.svc.cluster.local",
        "5xx",
        "503, reset",
        "-1s",
        "9999999h",
        "1.5s",
        "POST",
        "(",
        "${X}",
        "Service",
        "eg",
        "99999",
        "ünï",
    ];
    prop_oneof![
        numbers,
        prop::sample::select(WORDS).prop_map(|w| json!(w)),
        Just(Value::Null),
        any::<bool>().prop_map(|b| json!(b))
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    let field = || prop::sample::select(FIELDS);
    leaf().prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::hash_map(field(), inner, 0..6)
                .prop_map(|m| Value::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn objects_with_anything_in_them_are_read(
        kind in prop::sample::select(KINDS),
        spec in tree(),
        annotations in prop::collection::hash_map(
            prop::sample::select(&["retry.linkerd.io/limit", "retry.linkerd.io/http", "retry.linkerd.io/timeout", "timeout.linkerd.io/request"][..]),
            leaf(),
            0..4,
        ),
    ) {
        let annotations: serde_json::Map<String, Value> =
            annotations.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        let object = json!({
            "apiVersion": kind.0,
            "kind": kind.1,
            "metadata": {"name": "x", "namespace": "n", "annotations": annotations},
            "spec": spec,
        });
        let facts = extract(&format!("# networking.istio.io/ retry.linkerd.io/\n{object}"));
        let length = facts.places.len();
        prop_assert!(facts.operations.iter().all(|o| (o.place.0 as usize) < length));
    }
}
