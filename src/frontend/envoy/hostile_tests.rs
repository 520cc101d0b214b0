//! Files that were made to break the front-end: it ends soon and says what it can.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

const SOON: Duration = Duration::from_secs(90);

fn extract(files: &[(&str, &str)]) -> Facts {
    let sources = Sources::new(files.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect());
    let (settings, mut facts) = (Settings::default(), Facts::default());
    Envoy.extract(&World { sources: &sources, settings: &settings }, &mut facts);
    facts
}

fn bootstrap(routes: &str, clusters: &str) -> String {
    format!(
        "static_resources: {{listeners: [{{filter_chains: [{{filters: [{{name: http_connection_manager, typed_config: \
         {{route_config: {{virtual_hosts: [{{name: h, domains: ['*'], routes: [{routes}]}}]}}}}}}]}}]}}], \
         clusters: [{clusters}]}}"
    )
}

#[test]
fn many_routes_clusters_and_files_end_soon() {
    let start = Instant::now();
    let many = 20_000;
    let routes: String = (0..many)
        .map(|i| format!("{{match: {{prefix: /}}, route: {{cluster: c{i}, retry_policy: {{retry_on: 5xx}}}}}},"))
        .collect();
    let clusters: String = (0..many).map(|i| format!("{{name: c{i}}},")).collect();
    let facts = extract(&[("a.yaml", &bootstrap(&routes, &clusters))]);
    assert_eq!(facts.operations.len(), many);
    let table = |i: usize| {
        format!(
            "name: t{i}\nvirtual_hosts: [{{domains: ['*'], routes: [{{match: {{prefix: /}}, route: {{cluster: x}}}}]}}]\n"
        )
    };
    let files: Vec<(String, String)> = (0..500).map(|i| (format!("d{i}/r.yaml"), table(i))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    assert_eq!(extract(&files).places.len(), 500);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn aliases_of_aliases_do_not_multiply_without_end() {
    let start = Instant::now();
    let list = |name: &str, of: &str, n: usize| format!("  {name}: &{name} [{}]\n", vec![of; n].join(","));
    let text = format!(
        "x: !ignore\n  r0: &r0 {{match: {{prefix: /}}, route: {{cluster: c}}}}\n{}  h0: &h0 {{domains: ['*'], routes: *r}}\n{}\
         static_resources: {{listeners: [{{filter_chains: [{{filters: [{{name: http_connection_manager, typed_config: \
         {{route_config: {{virtual_hosts: *h}}}}}}]}}]}}]}}\n",
        list("r", "*r0", 2000),
        list("h", "*h0", 2000)
    );
    let facts = extract(&[("a.yaml", &text)]);
    assert!(facts.places.is_empty() && facts.problems.len() == 1, "{:?}", facts.problems);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn clusters_and_listeners_that_name_each_other_in_circles_end() {
    let text = "static_resources: {listeners: [{name: l, internal_listener: {}, filter_chains: [{filters: [{name: tcp_proxy, \
                typed_config: {cluster: c}}]}]}], clusters: [{name: c, load_assignment: {endpoints: [{lb_endpoints: [{endpoint: \
                {address: {envoy_internal_address: {server_listener_name: l}}}}]}]}}, {name: a, cluster_type: {typed_config: \
                {clusters: [a, b]}}}, {name: b, cluster_type: {typed_config: {clusters: [a]}}}]}";
    assert_eq!(extract(&[("a.yaml", text)]).places.len(), 1);
}

const FIELDS: &[&str] = &[
    "static_resources",
    "listeners",
    "clusters",
    "filter_chains",
    "filters",
    "name",
    "typed_config",
    "route_config",
    "virtual_hosts",
    "domains",
    "routes",
    "match",
    "prefix",
    "path",
    "headers",
    "route",
    "cluster",
    "timeout",
    "retry_policy",
    "retry_on",
    "num_retries",
    "per_try_timeout",
    "retry_back_off",
    "base_interval",
    "max_interval",
    "hedge_policy",
    "hedge_on_per_try_timeout",
    "request_mirror_policies",
    "weighted_clusters",
    "load_assignment",
    "endpoints",
    "lb_endpoints",
    "endpoint",
    "address",
    "socket_address",
    "port_value",
    "circuit_breakers",
    "thresholds",
    "max_retries",
    "retry_budget",
    "budget_percent",
    "value",
    "internal_listener",
    "internal_address_config",
    "cidr_ranges",
    "http_filters",
    "@type",
    "resources",
    "max_connect_attempts",
    "dynamic_resources",
    "retriable_status_codes",
    "direct_response",
    "status",
];

fn anything() -> impl Strategy<Value = Value> {
    let words = [
        "http_connection_manager",
        "tcp_proxy",
        "5xx",
        "0s",
        "1s",
        "-1",
        "x",
        "",
        "c",
        "*",
        "ext_authz",
        "type.x/Cluster",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Into::into),
        any::<bool>().prop_map(Into::into),
        proptest::sample::select(words.to_vec()).prop_map(Into::into),
    ];
    leaf.prop_recursive(8, 60, 5, |inner| {
        let field = proptest::sample::select(FIELDS.to_vec()).prop_map(str::to_string);
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            3 => proptest::collection::btree_map(field, inner, 0..5).prop_map(|m| m.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any values where Envoy's fields are expected: everything is looked at, nothing breaks.
    #[test]
    fn fields_of_any_shape_are_survived(a in anything(), b in anything(), c in anything()) {
        let route = json!({ "match": a, "route": b, "direct_response": c });
        let manager = json!({ "route_config": { "virtual_hosts": [{ "routes": [route, a, b] }, c] }, "http_filters": [a] });
        let filters = json!([{ "name": "http_connection_manager", "typed_config": manager }, { "name": "tcp_proxy", "typed_config": b }]);
        let listeners = json!([{ "address": a, "filter_chains": [{ "filters": filters }] }, c]);
        let text = json!({ "static_resources": { "listeners": listeners, "clusters": [a, b, c] } }).to_string();
        extract(&[("a.json", &text), ("b.yaml", &json!({ "resources": [a, b, c], "static_resources": b }).to_string())]);
    }
}
