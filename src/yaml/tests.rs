//! What a tree says of ordinary files.

use std::time::Duration;

use super::*;

fn only(text: &str) -> Tree<'_> {
    let tree = read(text);
    assert_eq!(tree.problems(), [], "{text}");
    tree
}

fn root<'t>(tree: &'t Tree<'_>) -> Node<'t> {
    tree.documents().next().expect("one document")
}

fn slice<'s>(tree: &Tree<'s>, range: Range<u32>) -> &'s str {
    tree.text().get(range.start as usize..range.end as usize).expect("a range of the text")
}

#[test]
fn every_key_and_value_has_its_place() {
    let text =
        "route:\n  cluster: \"a\\tb\"\n  retry_policy: {num_retries: 3}\n  list:\n  - é\n  - 0.25s # quick\nlast:\n";
    let tree = only(text);
    let route = root(&tree).entry("route").expect("a route");
    assert_eq!(slice(&tree, route.key.range()), "route");
    assert!(slice(&tree, route.value.range()).starts_with("cluster") && route.value.range().end as usize <= text.len());
    let said = |path: &[&str]| root(&tree).at(path).map(|n| slice(&tree, n.range()));
    assert_eq!(said(&["route", "cluster"]), Some("\"a\\tb\""));
    assert_eq!(said(&["route", "retry_policy"]), Some("{num_retries: 3}"));
    let list: Vec<&str> =
        root(&tree).at(&["route", "list"]).expect("a list").items().map(|n| slice(&tree, n.range())).collect();
    assert_eq!(list, ["é", "0.25s"]);
    assert_eq!(slice(&tree, root(&tree).get("route").expect("a route").range()).lines().last(), Some("  - 0.25s"));
    let last = root(&tree).entry("last").expect("a key without a value");
    assert!(last.value.is_null() && last.value.range().start == last.key.range().end);
}

#[test]
fn empty_items_stand_at_their_dash() {
    let tree = only("- a\n-\n- b\n");
    let kinds: Vec<Kind> = root(&tree).items().map(Node::kind).collect();
    assert_eq!(kinds, [Kind::Scalar, Kind::Null, Kind::Scalar]);
    let middle = root(&tree).items().nth(1).expect("three items").range();
    assert!((4..=6).contains(&middle.start), "{middle:?}");
}

#[test]
fn places_count_bytes_behind_a_mark_and_with_crlf() {
    let tree = only("\u{feff}ä: ö\r\nb: 1\r\n");
    let b = root(&tree).entry("b").expect("b");
    assert_eq!((slice(&tree, b.key.range()), slice(&tree, b.value.range())), ("b", "1"));
    assert_eq!(slice(&tree, root(&tree).get("ä").expect("ä").range()), "ö");
}

#[test]
fn fields_answer_to_both_spellings() {
    let tree = only("{retryOn: 5xx, num_retries: 2, perTryTimeout: 1s, http2_options: 1, envoy5xx: 1}");
    let said = |field: &str| root(&tree).field(field).is_some();
    assert!(said("retry_on") && said("num_retries") && said("per_try_timeout") && said("http2_options"));
    assert!(said("envoy_5xx") && !said("retry") && !said("retry_on_more") && !said("numretries"));
    assert!(
        same_field("a_b", "aB") && !same_field("a_b", "ab") && !same_field("a_b", "aBc") && !same_field("ab", "a_b")
    );
}

#[test]
fn scalars_have_the_readers_types() {
    let tree = only("[3, '3', \"0x10\", 010, 3.0, 1e3, -2, 3s, yes, 'yes', true, TRUE, tRue, '', ~, .inf, 2.5, inf]");
    let items: Vec<Node<'_>> = root(&tree).items().collect();
    let integers: Vec<Option<i128>> = items.iter().take(9).map(|n| n.as_integer()).collect();
    let expected = [Some(3), Some(3), Some(16), Some(8), Some(3), Some(1000), Some(-2), None, None];
    assert_eq!(integers, expected);
    let words: Vec<Option<bool>> = items[8..13].iter().map(|n| n.as_bool()).collect();
    assert_eq!(words, [Some(true), None, Some(true), Some(true), None]);
    assert_eq!((items[13].as_str(), items[14].as_str()), (Some(""), None));
    let floats: Vec<Option<f64>> = items[15..].iter().map(|n| n.as_float()).collect();
    assert_eq!(floats, [Some(f64::INFINITY), Some(2.5), None]);
    assert_eq!((items[0].style(), items[1].style()), (Some(Style::Plain), Some(Style::SingleQuoted)));
    assert_eq!(items[6].as_count(), None);
}

#[test]
fn durations_are_those_of_protobuf() {
    assert_eq!(proto_duration("0.25s"), Some(Duration::from_millis(250)));
    assert_eq!(proto_duration("15s"), Some(Duration::from_secs(15)));
    assert_eq!(proto_duration("0s"), Some(Duration::ZERO));
    assert_eq!(proto_duration("1.000000001s"), Some(Duration::new(1, 1)));
    for wrong in ["250ms", "15", "-1s", "s", ".5s", "1.s", "1.0000000001s", "99999999999999999999s", "1e3s", "+1s"] {
        assert_eq!(proto_duration(wrong), None, "{wrong}");
    }
}

#[test]
fn aliases_are_looked_through_and_keep_their_place() {
    let tree = only("a: &policy {retry_on: 5xx}\nb: *policy\nc: &n 3\nd: *n\n");
    let b = root(&tree).get("b").expect("b");
    assert!(b.is_alias() && b.kind() == Kind::Mapping);
    assert_eq!((slice(&tree, b.range()), slice(&tree, b.value_range())), ("*policy", "{retry_on: 5xx}"));
    assert_eq!(b.field("retry_on").and_then(Node::as_str), Some("5xx"));
    assert_eq!(root(&tree).get("d").and_then(Node::as_count), Some(3));
}

#[test]
fn an_anchor_may_be_given_again() {
    let tree = only("- &a 1\n- *a\n- &a 2\n- *a\n");
    let numbers: Vec<Option<u64>> = root(&tree).items().map(Node::as_count).collect();
    assert_eq!(numbers, [Some(1), Some(1), Some(2), Some(2)]);
}

#[test]
fn merges_are_honoured_where_something_is_looked_up() {
    let text = "x: &x {n: 1, deep: 1, k: x}\ny: &y {<<: *x, n: 2}\nz: {k: z, <<: [*y, {k: no, m: 9}], '<<': text}\n";
    let tree = only(text);
    let z = root(&tree).get("z").expect("z");
    let said = |key: &str| z.get(key).and_then(Node::as_str);
    assert_eq!((said("k"), said("n"), said("deep"), said("m")), (Some("z"), Some("2"), Some("1"), Some("9")));
    let mut keys: Vec<&str> = z.entries().iter().filter_map(|e| e.key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["<<", "deep", "k", "m", "n"]);
}

#[test]
fn documents_stand_apart_and_a_broken_one_does_not_take_the_others_along() {
    let tree = read("a: 1\n---\nb: [1,\n---\nc: 3\n...\n---\n");
    let keys: Vec<Option<&str>> =
        tree.documents().map(|d| d.own_entries().next().and_then(|e| e.key.as_str())).collect();
    assert_eq!(keys, [Some("a"), Some("c"), None]);
    let [problem] = tree.problems() else { panic!("one problem: {:?}", tree.problems()) };
    assert_eq!(problem.kind, ProblemKind::Syntax);
    assert!((9..=18).contains(&problem.at.start) && !problem.message.contains('\n'), "{problem:?}");
}

#[test]
fn equal_keys_are_found_and_the_later_one_counts() {
    let tree = read("a: {k: 1, j: 2, k: 3}\nb: {? [x] : 1, ? [x] : 2}\n");
    let [problem] = tree.problems() else { panic!("one problem: {:?}", tree.problems()) };
    assert_eq!((problem.kind, problem.at.clone()), (ProblemKind::DuplicateKey, 16..17));
    assert_eq!(problem.first, Some(4..5));
    assert_eq!(root(&tree).at(&["a", "k"]).and_then(Node::as_count), Some(3));
}

#[test]
fn json_is_read_as_it_is_written() {
    let text = "{\n\t\"a\\/b\": \"\\ud83d\\ude00\\u00e9\\/\",\n\t\"n\" : -1.5e3,\t\"l\":[1,2 ,{\"x\":null}],\"t\":true,\"e\":{},\"u\":\"http://a:1/#b\"\n}\n";
    let tree = only(text);
    let json: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(root(&tree).get("a/b").and_then(Node::as_str), json["a/b"].as_str());
    assert_eq!(root(&tree).get("n").and_then(Node::as_float), json["n"].as_f64());
    assert_eq!(root(&tree).get("l").map(|l| l.items().count()), Some(3));
    assert_eq!(root(&tree).get("u").and_then(Node::as_str), json["u"].as_str());
    let key = "k".repeat(5000);
    let long = format!("{{\"{key}\": 1}}");
    assert_eq!(root(&only(&long)).get(&key).and_then(Node::as_count), Some(1));
}

#[test]
fn a_path_says_the_way_to_a_node() {
    let tree = only("static_resources:\n  clusters:\n  - name: a\n  - name: b\n    hosts: [{port: 1}]\n");
    let clusters = root(&tree).at(&["static_resources", "clusters"]).expect("clusters");
    let port = clusters.items().nth(1).and_then(|c| c.get("hosts")?.items().next()?.get("port")).expect("a port");
    assert_eq!(port.path_text(), "static_resources.clusters[1].hosts[0].port");
    assert_eq!(root(&tree).path_text(), "");
}

#[test]
fn comments_are_kept_and_found_at_their_node() {
    let text = "# licence\n\n# about a\n# more\na: 1 # beside\nb: # of b\n  # inner\n  c: 'x # no'\n# end\n";
    let tree = only(text);
    let of = |key: &str| {
        let entry =
            root(&tree).at(&["b"]).and_then(|b| b.entry(key)).or_else(|| root(&tree).entry(key)).expect("a key");
        entry.key.comments().into_iter().map(|c| tree.comment_text(c)).collect::<Vec<_>>()
    };
    assert_eq!(of("a"), ["about a", "more", "beside"]);
    assert_eq!(of("b"), ["of b"]);
    assert_eq!(of("c"), ["inner"]);
    assert_eq!(tree.comments().len(), 7);
}

#[test]
fn a_comment_covers_the_entry_or_item_that_begins_behind_it() {
    let text = "r:\n  # one\n\n  # two\n  p:\n    n: 3\n    m: 4 # three\n  l:\n  - a: 1 # four\n    b: 2\n  # five\n  - c\n# six\n";
    let tree = only(text);
    let covered = |words: &str| {
        let comment = tree.comments().iter().find(|c| tree.comment_text(c) == words).expect("a comment");
        tree.covered_by(comment).map(|range| slice(&tree, range))
    };
    assert_eq!(covered("one"), Some("p:\n    n: 3\n    m: 4"));
    assert_eq!(covered("two"), covered("one"));
    assert_eq!(covered("three"), Some("m: 4"));
    assert_eq!(covered("four"), Some("a: 1 # four\n    b: 2"));
    assert_eq!(covered("five"), Some("c"));
    assert_eq!(covered("six"), None);
}

#[test]
fn templates_are_called_templates() {
    let templates = [
        "{{- if .Values.on }}\na: 1\n{{- end }}\n",
        "a:\n  port: {{ .Values.port }}\n",
        "a: 1\n{{- with .x }}\n  b: {{ . }}\n{{- end }}\nc: [\n",
        "clusters:\n{% for c in clusters %}\n  - name: {{ c }}\n{% endfor %}\n",
        "<% if x %>\na: 1\n<% end %>\nb: [1\n",
        "a: { port: ${PORT} }\n",
        "{{ define \"x\" }}",
    ];
    for text in templates {
        let tree = read(text);
        assert_eq!(tree.problems().iter().map(|p| p.kind).collect::<Vec<_>>(), [ProblemKind::Template], "{text}");
        assert_eq!(tree.documents().count(), 0, "{text}");
        let at = tree.problems()[0].at.clone();
        assert!(["{{", "{%", "<%", "${"].contains(&slice(&tree, at)), "{text}");
    }
    let values = [
        "a: '{{ x }}'\nb: text {{ $labels.x }}\nc: |\n  {{ y }}\nd: ${PORT}\n# {{ z }}\n",
        "a: { b: { c: 1 } }\n",
        "a: [{b: 1}]\n",
    ];
    for text in values {
        only(text);
    }
    let broken = read("a: '{{ x }}'\nb: text {{ $labels.x }}\nc: [1\n");
    assert_eq!(broken.problems()[0].kind, ProblemKind::Syntax);
}

#[test]
fn tags_are_kept_as_written() {
    let tree = only("a: !ignore\n  b: 1\nc: !!str 5\nd: 6\n");
    let tag = |key: &str| root(&tree).get(key).and_then(Node::tag);
    assert_eq!((tag("a"), tag("c"), tag("d")), (Some("!ignore"), Some("!!str"), None));
}

#[test]
fn nothing_is_a_document_of_nothing() {
    for text in ["", "\n", "# only a comment\n", "\u{feff}", "---\n", "...\n"] {
        assert!(only(text).documents().all(Node::is_null), "{text:?}");
    }
}
