//! What can be held without a browser; `tests/browser` opens the page in one.

use sha2::{Digest, Sha256};

use super::*;
use crate::name::Name;
use crate::report::tests_data::{empty, many, shop};

const HOSTILE: &str = "</script><script>alert(1)</script><!-- {{data}} \u{202e}\u{1b}[31m\u{2028}&amp;";

fn page(data: &crate::report::tests_data::Data) -> String {
    render(&data.view(), &Settings::default(), &Filter::default())
}

fn data_of(page: &str) -> &str {
    let from = page.split_once("id=\"data\">").expect("a page has data").1;
    from.split_once("</script>").expect("it ends").0
}

/// In base64.
fn hash(parts: &[&str]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = Sha256::digest(parts.concat());
    let letters = bytes.chunks(3).flat_map(|chunk| {
        let number = (0..3).fold(0u32, |n, i| n << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        (0..4usize).map(move |i| match i <= chunk.len() {
            true => char::from(LETTERS[(number >> (18 - 6 * i) & 63) as usize]),
            false => '=',
        })
    });
    letters.collect()
}

#[test]
fn the_policy_names_what_stands_in_the_page() {
    assert_eq!(STYLE_HASH, hash(&[STYLE]), "the style changed: this is its hash");
    assert_eq!(SCRIPT_HASH, hash(&[ALGEBRA, SCRIPT]), "the script changed: this is its hash");
}

#[test]
fn the_page_asks_for_nothing() {
    let page = page(&shop());
    assert!(page.contains("content=\"default-src 'none'; script-src 'sha256-"));
    let addresses = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "@import", "url(", " src=", " href=\"h", "unsafe-inline", "innerHTML", "{{"] {
        assert!(!addresses.contains(word), "the page holds `{word}`");
    }
}

#[test]
fn hostile_names_stay_in_the_data() {
    let mut data = shop();
    data.facts.operations[0].name = Name::new(HOSTILE);
    data.analysis.rows[0].dependency = Name::new(HOSTILE);
    data.analysis.rows[0].gaps = vec![Name::new(HOSTILE)];
    let page = page(&data);
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}') && !page.contains('\u{2028}'));
    let known: serde_json::Value = serde_json::from_str(data_of(&page)).expect("still JSON");
    let name = known["operations"][0]["name"].as_str().expect("a name");
    assert!(name.starts_with("</script><script>alert(1)"), "nothing is lost: {name}");
}

#[test]
fn the_rows_and_their_layers_are_there() {
    let page = page(&shop());
    let known: serde_json::Value = serde_json::from_str(data_of(&page)).expect("JSON");
    assert_eq!(known["rows"][0]["attempts"], serde_json::json!(["exactly", 9]));
    let layers: Vec<&str> =
        known["layers"].as_array().into_iter().flatten().filter_map(|l| l["function"].as_str()).collect();
    assert_eq!(layers, ["a::checkout", "b::save"]);
    assert!(page.contains("data-operation=\"0\""), "the picture is there");
}

#[test]
fn a_picture_of_too_many_boxes_is_cut_and_says_so() {
    let page = self::page(&many(400));
    assert!(page.contains("worst of 400 rows"), "{}", &page[..400]);
    let boxes = page.matches("<g class=\"").count();
    assert!(boxes > MOST_SHAPES / 2 && boxes <= MOST_SHAPES, "{boxes}");
    assert!(self::page(&empty()).contains("0 operations"));
}
