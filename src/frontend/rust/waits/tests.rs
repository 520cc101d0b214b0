//! Delays of loops: shape, numbers, jitter, overflow.

use super::*;
use crate::frontend::rust::values::tests::world;

fn delay(text: &str) -> Wait {
    let world = world(&format!("use std::time::Duration; {text}"));
    let values = world.values();
    let (body, duration) = world.argument_of("f", "sleep");
    let (_, the_loop) = world.first_loop("f");
    wait(&values, body, duration, Some(the_loop))
}

/// A loop of at most eight tries around that, after those variables.
fn looped(before: &str, turn: &str) -> String {
    format!(
        "async fn f(id: u64) {{ {before} let mut n = 0u32; loop {{ if call().await.is_ok() {{ return; }}
        if n >= 7 {{ return; }} {turn} n += 1; }} }}"
    )
}

fn shape(before: &str, turn: &str) -> (Shape, Option<u64>, Option<f64>, Option<u64>, Jitter) {
    let w = delay(&looped(before, turn));
    (w.shape, w.base_ms, w.factor, w.cap_ms, w.jitter)
}

const ASK: &str = "tokio::time::sleep";

#[test]
fn fixed_linear_exponential() {
    let none = Jitter::None;
    let with = |e: &str| shape("", &format!("{ASK}({e}).await;"));
    assert_eq!(with("Duration::from_millis(100)"), (Shape::Fixed, Some(100), None, None, none));
    assert_eq!(
        with("Duration::from_millis(100 * 2u64.pow(n))"),
        (Shape::Exponential, Some(100), Some(2.0), None, none)
    );
    assert_eq!(with("Duration::from_millis(50 << n)"), (Shape::Exponential, Some(50), Some(2.0), None, none));
    assert_eq!(with("Duration::from_secs(1) * 3u32.pow(n)"), (Shape::Exponential, Some(1_000), Some(3.0), None, none));
    let capped = with("Duration::from_millis((100 * 2u64.pow(n)).min(5_000))");
    assert_eq!(capped, (Shape::Exponential, Some(100), Some(2.0), Some(5_000), none));
    let float = with("Duration::from_secs_f64(0.5 * 2f64.powi(n as i32))");
    assert_eq!(float, (Shape::Exponential, Some(500), Some(2.0), None, none));
    assert_eq!(with("Duration::from_millis(100) * (n + 1)").0, Shape::Linear);
    assert_eq!(with("Duration::from_millis(100 * n as u64)").0, Shape::Linear);
}

#[test]
fn variables_that_the_loop_changes() {
    let none = Jitter::None;
    let start = "let mut d = Duration::from_millis(100);";
    let with = |turn: &str| shape(start, &format!("{ASK}(d).await; {turn}"));
    assert_eq!(with("d *= 2;"), (Shape::Exponential, Some(100), Some(2.0), None, none));
    assert_eq!(with("d = d * 3;"), (Shape::Exponential, Some(100), Some(3.0), None, none));
    let capped = (Shape::Exponential, Some(100), Some(2.0), Some(4_000), none);
    assert_eq!(with("d = (d * 2).min(Duration::from_secs(4));"), capped);
    assert_eq!(with("d = std::cmp::min(d * 2, Duration::from_secs(4));"), capped);
    assert_eq!(with("if d < Duration::from_secs(4) { d *= 2; }"), capped);
    assert_eq!(with("d = d.saturating_mul(2);").0, Shape::Exponential);
    assert_eq!(with("d += Duration::from_millis(50);").0, Shape::Linear);
    assert_eq!(with("").0, Shape::Fixed);
}

#[test]
fn tables_and_lists() {
    let table = shape("", "let p = [200u64, 800][n as usize]; tokio::time::sleep(Duration::from_millis(p)).await;");
    assert_eq!((table.0, table.4), (Shape::Custom, Jitter::None));
    assert_eq!(
        shape("", "let p = [7u64, 7][n as usize]; tokio::time::sleep(Duration::from_millis(p)).await;").0,
        Shape::Fixed
    );
    let text = "async fn f() { for d in [100, 200, 400] { if call().await.is_ok() { return; } tokio::time::sleep(Duration::from_millis(d)).await; } }";
    assert_eq!(delay(text).shape, Shape::Custom);
    let text = "async fn f() { for n in 0..5 { if call().await.is_ok() { return; } tokio::time::sleep(Duration::from_millis(100 << n)).await; } }";
    assert_eq!((delay(text).shape, delay(text).base_ms), (Shape::Exponential, Some(100)));
}

#[test]
fn randomness_is_followed() {
    let with = |e: &str| {
        let all = shape("", &format!("{ASK}({e}).await;"));
        (all.0, all.4)
    };
    assert_eq!(with("Duration::from_millis(rand::random::<u64>() % (100 << n))"), (Shape::Exponential, Jitter::Full));
    assert_eq!(with("Duration::from_millis(rand::random_range(0..=100 << n))"), (Shape::Exponential, Jitter::Full));
    assert_eq!(with("Duration::from_secs(1).mul_f64(rand::random::<f64>())"), (Shape::Fixed, Jitter::Full));
    assert_eq!(
        with("Duration::from_millis((100 << n) + rand::random_range(0..50))"),
        (Shape::Exponential, Jitter::Some)
    );
    assert_eq!(with("Duration::from_millis(100 + rand::random::<u64>() % 50)").1, Jitter::Some);
    let word = shape("let mut jitter = 10;", &format!("{ASK}(Duration::from_millis(jitter)).await;"));
    assert_eq!(word.4, Jitter::None, "a name is no randomness");
    let unknown = with("other::delay(n)");
    assert_eq!(unknown, (Shape::Unknown, Jitter::Unknown));
    let text = looped(
        "let mut d = 100u64;",
        "d = rand::random_range(100..d * 3).min(9_000); tokio::time::sleep(Duration::from_millis(d)).await;",
    );
    assert_eq!(delay(&text).jitter, Jitter::Decorrelated);
}

#[test]
fn functions_are_followed_with_their_arguments() {
    let helper =
        "fn pause(base: u64, n: u32) -> Duration { let d = base * 2u64.pow(n); Duration::from_millis(d.min(2_000)) }";
    let text = format!("{helper} {}", looped("", "tokio::time::sleep(pause(100, n)).await;"));
    let w = delay(&text);
    assert_eq!((w.shape, w.base_ms, w.factor, w.cap_ms), (Shape::Exponential, Some(100), Some(2.0), Some(2_000)));
    assert!(w.at.is_some());
    assert_eq!(w.overflows, None, "seven turns do not overflow");
}

#[test]
fn overflow_before_a_cap() {
    let with = |e: &str, head: &str| {
        let text = format!(
            "async fn f(max: u32, base: u64, cap: u64) {{ let mut n = 0u32; loop {{ if call().await.is_ok() || {head} {{ return; }}
            tokio::time::sleep(Duration::from_millis({e})).await; n += 1; }} }}"
        );
        delay(&text).overflows.is_some()
    };
    assert!(with("(base * 2u64.pow(n)).min(cap)", "n >= max"));
    assert!(with("(100u64 << n).min(cap)", "n >= max"));
    assert!(with("(100u64 << n).min(cap)", "n >= 90"));
    assert!(!with("(100u64 << n).min(cap)", "n >= 5"));
    assert!(!with("(100u64 << n.min(6)).min(cap)", "n >= max"));
    assert!(!with("base.saturating_mul(2u64.saturating_pow(n)).min(cap)", "n >= max"));
}

#[test]
fn a_helper_that_sleeps_is_seen_from_its_callers() {
    let text = "use std::time::Duration; async fn pause(n: u32) {
            tokio::time::sleep(Duration::from_millis((100u64 << n).min(5_000))).await; }
        async fn f() { let mut n = 0; loop { if call().await.is_ok() || n >= 4 { return; } pause(n).await; n += 1; } }";
    let world = world(text);
    let (body, duration) = world.argument_of("pause", "sleep");
    let w = wait(&world.values(), body, duration, None);
    assert_eq!((w.shape, w.base_ms, w.overflows), (Shape::Exponential, Some(100), None));
}
