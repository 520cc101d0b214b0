//! Files to plain data: every spelling, every kind of file.

use std::time::Duration;

use super::*;
use crate::frontend::envoy::config::{
    Action, FilterKind, Given, Listens, Manager, Pass, Path, Policy, Rewrite, Route, Routes, Server,
};
use crate::yaml;

fn read(text: &str) -> File {
    let tree = yaml::read(text);
    assert_eq!(tree.problems(), [], "{text}");
    file(FileId(0), &tree)
}

const MANAGER: &str =
    "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

fn listener(routes: &str) -> String {
    format!(
        "static_resources: {{listeners: [{{name: l, address: {{socket_address: {{address: 0.0.0.0, port_value: 80}}}}, \
         filter_chains: [{{filters: [{{name: x, typed_config: {{\"@type\": {MANAGER}, route_config: {{virtual_hosts: [\
         {{name: h, domains: [\"Shop.internal:8080\"], routes: [{routes}]}}]}}}}}}]}}]}}]}}"
    )
}

fn manager(file: &File) -> &Manager {
    file.managers().next().expect("a manager")
}

fn routes(file: &File) -> &[Route] {
    match &manager(file).routes {
        Routes::Inline(table) => &table.hosts[0].routes,
        _ => panic!("routes in the file"),
    }
}

fn pass(route: &Route) -> &Pass {
    match &route.action {
        Action::Pass(pass) => pass,
        other => panic!("a route that passes on: {other:?}"),
    }
}

fn policy(file: &File) -> &Policy {
    pass(&routes(file)[0]).policy.as_ref().expect("a policy")
}

#[test]
fn both_spellings_are_read() {
    let snake = read(&listener(
        "{match: {prefix: /a}, route: {cluster: c, timeout: 2s, retry_policy: {retry_on: 5xx, num_retries: 3, \
         per_try_timeout: 0.5s, retry_back_off: {base_interval: 0.1s}, retriable_status_codes: [503, 504]}}}",
    ));
    let camel = read(
        &listener(
            "{match: {prefix: /a}, route: {cluster: c, timeout: 2s, retryPolicy: {retryOn: 5xx, numRetries: 3, \
             perTryTimeout: 0.5s, retryBackOff: {baseInterval: 0.1s}, retriableStatusCodes: [503, 504]}}}",
        )
        .replace("static_resources", "staticResources")
        .replace("filter_chains", "filterChains")
        .replace("typed_config", "typedConfig")
        .replace("route_config", "routeConfig")
        .replace("virtual_hosts", "virtualHosts"),
    );
    for file in [&snake, &camel] {
        let policy = policy(file);
        assert_eq!(policy.retry_on.as_ref().and_then(|r| r.is()).map(|n| n.as_str()), Some("5xx"));
        assert_eq!(policy.num_retries.as_ref().and_then(|r| r.is()), Some(&3));
        assert_eq!(policy.per_try_timeout.as_ref().and_then(|r| r.is()), Some(&Duration::from_millis(500)));
        assert_eq!(policy.status_codes.as_ref().and_then(|r| r.is()), Some(&vec![503, 504]));
        assert!(policy.back_off.as_ref().is_some_and(|b| b.base.is_some() && b.max.is_none()));
        assert_eq!(pass(&routes(file)[0]).timeout.as_ref().and_then(|t| t.is()), Some(&Duration::from_secs(2)));
    }
}

#[test]
fn values_that_envoy_refuses_and_values_that_come_later() {
    let file = read(&listener(
        "{match: {prefix: /}, route: {cluster: c, retry_policy: {num_retries: '${N}', per_try_timeout: 250ms, retry_on: \"\"}}}",
    ));
    let policy = policy(&file);
    assert!(matches!(policy.num_retries.as_ref().map(|n| &n.value), Some(Given::Later(_))));
    assert!(matches!(policy.per_try_timeout.as_ref().map(|n| &n.value), Some(Given::Wrong(_))));
    assert_eq!(policy.retry_on.as_ref().and_then(|r| r.is()).map(|n| n.len()), Some(0));
}

#[test]
fn what_routes_match() {
    let file = read(&listener(
        "{match: {path: /a}}, {match: {path_separated_prefix: /b}}, {match: {safe_regex: {regex: '/c/[0-9]+'}}}, \
         {match: {prefix: /d, headers: [{name: ':method', string_match: {exact: post}}]}}, \
         {match: {prefix: /e, headers: [{name: ':method', safe_regex_match: {regex: '^(GET|HEAD)$'}}, {name: x, present_match: true}]}}, \
         {match: {connect_matcher: {}}}, {match: {prefix: /f, case_sensitive: false}}, \
         {match: {path_match_policy: {name: p}}}, {match: {prefix: /, grpc: {}}}",
    ));
    let said: Vec<(Path, Vec<&str>, bool)> = routes(&file)
        .iter()
        .map(|r| (r.matching.path.clone(), r.matching.methods.iter().map(|m| m.as_str()).collect(), r.matching.perhaps))
        .collect();
    let expected = [
        (Path::Exact("/a".into()), vec![], false),
        (Path::Segments("/b".into()), vec![], false),
        (Path::Pattern("/c/[0-9]+".into()), vec![], false),
        (Path::Prefix("/d".into()), vec!["POST"], false),
        (Path::Prefix("/e".into()), vec!["GET", "HEAD"], true),
        (Path::Any, vec!["CONNECT"], false),
        (Path::Unknown, vec![], false),
        (Path::Unknown, vec![], false),
        (Path::Any, vec![], false),
    ];
    assert_eq!(said, expected);
    assert!(routes(&file)[8].matching.grpc);
}

#[test]
fn where_routes_go() {
    let file = read(&listener(
        "{match: {prefix: /}, route: {weighted_clusters: {clusters: [{name: a, weight: 90}, {name: b, weight: 10}, {name: c, weight: 0}]}, \
         prefix_rewrite: /x}}, {match: {prefix: /}, route: {cluster_header: x-to, regex_rewrite: {}}}, \
         {match: {prefix: /}, direct_response: {status: 503}}, {match: {prefix: /}, redirect: {}}, {match: {prefix: /}}",
    ));
    let all = routes(&file);
    let names: Vec<&str> = pass(&all[0]).to.clusters.iter().filter_map(|c| c.is()).map(|n| n.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(pass(&all[0]).rewrite, Rewrite::Matched("/x".into()));
    assert!(pass(&all[1]).to.clusters.is_empty() && pass(&all[1]).to.decided_by.is_some());
    assert_eq!(pass(&all[1]).rewrite, Rewrite::Unknown);
    assert!(matches!(all[2].action, Action::Answer(503)) && matches!(all[3].action, Action::Answer(301)));
    assert!(matches!(all[4].action, Action::Unknown));
}

#[test]
fn every_kind_of_file_is_known_by_its_types_or_fields() {
    let lds = read(
        "resources:\n- \"@type\": type.googleapis.com/envoy.config.listener.v3.Listener\n  name: a\n  internal_listener: {}\n",
    );
    assert_eq!(lds.listeners.iter().map(|l| l.listens.clone()).collect::<Vec<_>>(), [Listens::Internal]);
    let cds = read(
        "{\"resources\": [{\"@type\": \"type.googleapis.com/envoy.config.cluster.v3.Cluster\", \"name\": \"c\"}]}",
    );
    assert_eq!((cds.clusters.len(), cds.bootstrap), (1, false));
    let list = read(
        "- \"@type\": type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n  name: r\n  virtual_hosts: []\n",
    );
    assert_eq!(list.tables[0].name.as_deref(), Some("r"));
    let wrapped = read(
        "resources:\n- name: w\n  \"@type\": type.googleapis.com/envoy.service.discovery.v3.Resource\n  resource: {\"@type\": type.googleapis.com/envoy.config.cluster.v3.Cluster, name: c}\n",
    );
    assert_eq!(wrapped.clusters.len(), 1);
    assert_eq!(read("virtual_hosts: [{name: h, domains: ['*'], routes: []}]").tables.len(), 1);
    assert_eq!(read("name: c\nload_assignment: {endpoints: []}\n").clusters.len(), 1);
    let kubernetes = read("apiVersion: v1\nkind: X\nstatic_resources: {clusters: [{name: c}]}\n");
    assert!(kubernetes.clusters.is_empty() && !kubernetes.bootstrap);
    let other = read("resources: [{name: cpu}]\nvirtual: 1\n");
    assert!(other.clusters.is_empty() && other.listeners.is_empty() && other.tables.is_empty());
}

#[test]
fn servers_and_brakes_of_clusters() {
    let file = read(
        "static_resources: {clusters: [{name: c, load_assignment: {endpoints: [{lb_endpoints: [\
         {endpoint: {address: {socket_address: {address: '::1', port_value: 80}}}}, \
         {endpoint: {address: {envoy_internal_address: {server_listener_name: l}}}}, \
         {endpoint: {address: {socket_address: {address: '${HOST}', port_value: 80}}}}]}]}, \
         circuit_breakers: {thresholds: [{priority: HIGH, max_retries: 7}, {max_retries: 9, retry_budget: {budget_percent: {value: 5}}}]}, \
         typed_extension_protocol_options: {x: {common_http_protocol_options: {max_requests_per_connection: 1}}}}]}",
    );
    let cluster = &file.clusters[0];
    assert_eq!(cluster.servers, [Server::Address("[::1]:80".into()), Server::Internal("l".into())]);
    assert_eq!(cluster.max_retries.as_ref().and_then(|m| m.is()), Some(&9));
    assert_eq!(cluster.budget.as_ref().and_then(|b| b.percent.as_ref()?.is().copied()), Some(5.0));
    assert_eq!(cluster.max_requests_per_connection.as_ref().and_then(|m| m.is()), Some(&1));
}

#[test]
fn one_value_stands_for_a_list_of_one() {
    let file = read(
        "static_resources: {clusters: {name: c}, listeners: {name: l, filter_chains: {filters: {name: envoy.filters.network.tcp_proxy, typed_config: {cluster: c, max_connect_attempts: 3}}}}}",
    );
    assert_eq!(file.clusters.len(), 1);
    let FilterKind::Tcp(proxy) = &file.listeners[0].filters[0].what else { panic!("a TCP proxy") };
    assert_eq!(proxy.max_connect_attempts.as_ref().and_then(|m| m.is()), Some(&3));
}

#[test]
fn settings_behind_an_alias_stand_where_they_are_written() {
    let text = "x: !ignore\n  p: &p {retry_on: 5xx}\nstatic_resources: {listeners: [{filter_chains: [{filters: [{name: tcp_proxy, typed_config: {cluster: c}}, \
                {name: http_connection_manager, typed_config: {route_config: {virtual_hosts: [{routes: [{match: {prefix: /}, route: {cluster: c, retry_policy: *p}}]}]}}}]}]}]}";
    let file = read(text);
    let at = policy(&file).at;
    assert_eq!(text.get(at.start as usize..at.end as usize), Some("{retry_on: 5xx}"));
}
