//! Texts that nobody writes: whatever stands in a file, reading ends, and nothing but ranges of the file comes out.

use proptest::prelude::*;

use super::{HaProxy, lex};
use crate::fact::Facts;
use crate::frontend::{FrontEnd, World};
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

fn facts_of(files: Vec<SourceFile>) -> Facts {
    let (sources, settings) = (Sources::new(files), Settings::default());
    let mut facts = Facts::default();
    HaProxy.extract(&World { sources: &sources, settings: &settings }, &mut facts);
    facts
}

const WORDS: &str = "global defaults frontend backend listen from f b bind :80 server s 127.0.0.1:1 backup disabled weight 0 \
    default_backend use_backend if unless ! { } || acl path_beg /a hdr(host) -i -m end METH_POST retries 3 retry-on 503 none \
    all-retryable-errors option redispatch no timeout connect server 5s mode tcp http http-request disable-l7-retry set-path \
    %[path,regsub(^/a,/)] redirect server-template ' \" \\ # $ ${A-b} ${ \u{0} é";

fn words() -> impl Strategy<Value = String> {
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let word = (prop::sample::select(all), prop::sample::select(vec![" ", " ", " ", "\n", "\n "]));
    prop::collection::vec(word, 0..160)
        .prop_map(|words| words.into_iter().map(|(w, end)| format!("{w}{end}")).collect())
}

proptest! {
    #[test]
    fn every_text_is_read_to_an_end(text in prop_oneof![words(), any::<String>()]) {
        let (lines, wrong) = lex::lines(&text);
        for word in lines.iter().flat_map(|l| &l.words) {
            prop_assert!(word.start < word.end && text.get(word.start as usize..word.end as usize).is_some());
        }
        prop_assert!(lines.iter().filter_map(|l| l.comment).all(|(a, b)| text.get(a as usize..b as usize).is_some()));
        prop_assert!(wrong.is_none_or(|w| w.at as usize <= text.len()));
        let known = "backend b\n server s 127.0.0.1:1\n";
        let facts = facts_of(vec![SourceFile::new("a.cfg", format!("{known}{text}")), SourceFile::new("b.cfg", text)]);
        prop_assert!(facts.remarks.iter().all(|r| r.at.start <= r.at.end));
    }
}

#[test]
fn large_files_of_one_kind_end() {
    let many = |one: &dyn Fn(usize) -> String| (0..5_000).map(one).collect::<String>();
    let backends = many(&|i| format!("backend b{i}\n server s 10.0.0.1:{i}\n"));
    let rules = many(&|i| {
        format!(
            " use_backend b{i} if {{ path_beg /{i} }} {{ hdr(host) h{i} }}\n use_backend b{i} if {{ path /x{i} }}\n"
        )
    });
    let frontends = many(&|i| format!("frontend f{i}\n bind :{i}\n use_backend %[path]\n"));
    let servers = many(&|i| format!(" server s{i} 10.0.0.1:{i}\n"));
    let rewrites = many(&|_| " http-request set-path /a if METH_POST\n acl a path /b\n".to_owned());
    let text = format!(
        "frontend f\n bind :80\n{rules}{rewrites}default_backend many\nbackend many\n{servers}{backends}{frontends}"
    );
    let facts = facts_of(vec![SourceFile::new("haproxy.cfg", text)]);
    assert!(facts.places.len() >= 5_000 && facts.entrances.len() >= 5_000);
    let words = "backend b\n server s a:1\n retry-on ".to_owned() + &"503 ".repeat(200_000);
    assert!(facts_of(vec![SourceFile::new("haproxy.cfg", words)]).places.len() == 1);
    let quotes = "backend b\n server s a:1\n".to_owned() + &"'\n".repeat(200_000);
    assert_eq!(facts_of(vec![SourceFile::new("haproxy.cfg", quotes)]).problems.len(), 1);
}
