//! Texts that nobody writes: whatever stands in a file, reading ends, and nothing but ranges of the file comes out.

use proptest::prelude::*;

use super::{extract, lex, tree};
use crate::fact::Facts;
use crate::frontend::World;
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

fn facts_of(files: Vec<SourceFile>) -> Facts {
    let (sources, settings) = (Sources::new(files), Settings::default());
    let mut facts = Facts::default();
    extract(&World { sources: &sources, settings: &settings }, &mut facts);
    facts
}

const WORDS: &str = "http server stream location upstream u { } ; proxy_pass http://u/ $a set error_page 502 = @a / ~ ( \
    listen 80 return if include * map default rewrite last break try_files auth_request mirror keepalive 8 ' \" \\ # \
    proxy_next_upstream error non_idempotent proxy_next_upstream_tries x_by_lua_block [[ ${ é";

/// Words that mean something, put together at random, some with a line's end behind them.
fn words() -> impl Strategy<Value = String> {
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let word = (prop::sample::select(all), prop::sample::select(vec![" ", " ", " ", "\n"]));
    prop::collection::vec(word, 0..120)
        .prop_map(|words| words.into_iter().map(|(w, end)| format!("{w}{end}")).collect())
}

proptest! {
    #[test]
    fn every_text_is_read_to_an_end(text in prop_oneof![words(), any::<String>()]) {
        let (tree, wrong) = tree::parse(&text);
        for i in 0..tree.len() {
            let directive = tree.get(i);
            prop_assert!(directive.start <= directive.end && directive.end as usize <= text.len());
            prop_assert!(text.is_char_boundary(directive.start as usize) && text.is_char_boundary(directive.end as usize));
            prop_assert!(tree.args(i).iter().all(|a: &lex::Token| text.get(a.start as usize..a.end as usize).is_some()));
        }
        prop_assert!(wrong.is_none_or(|w| w.at as usize <= text.len()));
        facts_of(vec![SourceFile::new("nginx.conf", format!("{text} server {{ listen 80; }}")), SourceFile::new("conf/a.conf", text)]);
    }

    #[test]
    fn what_is_read_is_put_together(inside in words()) {
        facts_of(vec![SourceFile::new("nginx.conf", format!("http {{ upstream u {{ server a; }} server {{ {inside} }} }}"))]);
    }
}

#[test]
fn large_files_of_one_kind_end() {
    let many = |one: &dyn Fn(usize) -> String| (0..2_000).map(one).collect::<String>();
    let locations =
        many(&|i| format!("location ~ ^/x{i}$ {{ error_page 502 /y{i}; proxy_pass http://$v; }} set $v u;"));
    let upstreams = many(&|i| format!("upstream u{i} {{ server 10.0.0.1; }}"));
    let servers = many(&|i| format!("server {{ listen {}; location / {{ proxy_pass http://u{i}; }} }}", 1 + i));
    let text = format!("http {{ {upstreams} server {{ {locations} }} {servers} }}");
    let facts = facts_of(vec![SourceFile::new("nginx.conf", text)]);
    assert!(facts.places.len() >= 4_000 && facts.entrances.len() >= 2_000);
}
