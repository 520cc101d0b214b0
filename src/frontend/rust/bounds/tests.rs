//! Loops and the number of tries they allow; the off-by-ones against a direct simulation.

use super::*;
use crate::frontend::rust::values::tests::world;

fn all(text: &str) -> Bounds {
    let world = world(text);
    let values = world.values();
    let (body, the_loop) = world.first_loop("f");
    bounds(&values, body, the_loop)
}

fn counts(text: &str) -> Vec<Value> {
    let only = |s: Stop| {
        if let Stop::Count(v, _) = s { Some(v) } else { None }
    };
    all(text).stops.into_iter().filter_map(only).collect()
}

fn count(text: &str) -> Option<u64> {
    match &counts(text)[..] {
        [] => None,
        [one] => Some(one.number().unwrap_or_else(|| panic!("{one:?} is no number: {text}"))),
        more => panic!("{more:?}: {text}"),
    }
}

const OPS: [&str; 5] = ["<", "<=", "==", ">=", ">"];

fn compare(op: &str, a: i64, b: i64) -> bool {
    match op {
        "<" => a < b,
        "<=" => a <= b,
        "==" => a == b,
        ">=" => a >= b,
        _ => a > b,
    }
}

/// Three things happen in a turn in some order: the step, the try, the test that leaves. `None`: endless.
fn simulate(order: &str, op: &str, leave_when: bool, init: i64, step: i64, limit: i64) -> Option<u64> {
    let (mut n, mut tries) = (init, 0);
    for _ in 0..200 {
        for part in order.chars() {
            match part {
                's' => n += step,
                'w' => tries += 1,
                _ if compare(op, n, limit) == leave_when => return Some(tries),
                _ => {}
            }
        }
    }
    None
}

#[test]
fn loops_with_guards_count_as_they_run() {
    let mut seen = 0;
    for order in ["swt", "stw", "wst", "wts", "tsw", "tws"] {
        for op in OPS {
            for leave in [true, false] {
                for (init, step, limit) in [(0, 1, 3), (1, 1, 3), (0, 1, 4), (4, -1, 0), (3, -1, 1), (3, -1, 0)] {
                    let expected = simulate(order, op, leave, init, step, limit);
                    let test = match leave {
                        true => format!("if n {op} {limit} {{ return; }}"),
                        false => format!("if !(n {op} {limit}) {{ break; }}"),
                    };
                    let parts: String = order
                        .chars()
                        .map(|c| match c {
                            's' if step > 0 => "n += 1; ".to_owned(),
                            's' => "n = n - 1; ".to_owned(),
                            'w' => "let _ = call().await; ".to_owned(),
                            _ => test.clone(),
                        })
                        .collect();
                    let text = format!("async fn f() {{ let mut n = {init}; loop {{ {parts} }} }}");
                    assert_eq!(count(&text), expected, "{text}");
                    seen += usize::from(expected.is_some());
                }
            }
        }
    }
    assert!(seen > 100, "most of the matrix is endless: {seen}");
}

#[test]
fn while_heads_count_as_they_run() {
    for order in ["sw", "ws"] {
        for op in OPS {
            for (init, step, limit) in [(0, 1, 3), (1, 1, 3), (0, 1, 1), (3, -1, 0), (3, -1, 1)] {
                let expected = simulate(&format!("t{order}"), op, false, init, step, limit);
                let step = if step > 0 { "n += 1;" } else { "n -= 1;" };
                let parts: String =
                    order.chars().map(|c| if c == 's' { step } else { " call().await.ok(); " }).collect();
                let text = format!("async fn f() {{ let mut n = {init}; while n {op} {limit} {{ {parts} }} }}");
                assert_eq!(count(&text), expected, "{text}");
                if expected.is_some() {
                    assert!(all(&text).exhausts, "{text}");
                }
            }
        }
    }
}

#[test]
fn match_guards_count_as_they_run() {
    for op in OPS {
        for (init, limit) in [(0, 3), (1, 3), (0, 1)] {
            let expected = simulate("wts", op, false, init, 1, limit);
            let text = format!(
                "async fn f() {{ let mut n = {init}; loop {{ match call().await {{ Ok(v) => return v,
                    Err(e) if n {op} {limit} && odd(&e) => {{ n += 1; }} Err(e) => return e }} }} }}"
            );
            assert_eq!(count(&text), expected, "{text}");
            let expected = simulate("wts", op, true, init, 1, limit);
            let text = format!(
                "async fn f() {{ let mut n = {init}; loop {{ match call().await {{ Ok(v) => return v,
                    Err(e) if n {op} {limit} || odd(&e) => return e, Err(_) => n += 1 }} }} }}"
            );
            assert_eq!(count(&text), expected, "{text}");
        }
    }
}

#[test]
fn heads_of_for() {
    let with = |iter: &str| format!("async fn f(k: usize) {{ for n in {iter} {{ call(n).await.ok(); }} }}");
    assert_eq!(count(&with("0..5")), Some(5));
    assert_eq!(count(&with("1..=5")), Some(5));
    assert_eq!(count(&with("0..=5")), Some(6));
    assert_eq!(count(&with("(0..5).rev()")), Some(5));
    assert_eq!(count(&with("(0..9).take(4)")), Some(4));
    assert_eq!(count(&with("[100, 200, 300]")), Some(3));
    assert_eq!(count(&with("[100, 200].iter().chain([300].iter())")), Some(3));
    assert_eq!(count(&with("plan::Steps::from_millis(5).take(3)")), Some(3));
    assert_eq!(counts(&with("0..k")), [Value::Param(0)]);
    assert_eq!(counts(&with("0..=k")), [Value::Param(0).plus(1)]);
    assert_eq!(counts(&with("1..k")), [Value::Param(0).plus(-1)]);
    assert_eq!(count(&with("0..")), None);
    let data = all("async fn f(hosts: Vec<String>) { for h in &hosts { call(h).await.ok(); } }");
    assert!(data.iterates.is_some() && data.exhausts);
    let guarded = "async fn f() { for n in 0.. { if call().await.is_ok() { return; } if n >= 4 { return; } } }";
    assert_eq!(count(guarded), Some(5));
}

#[test]
fn limits_that_are_parameters() {
    let text = "async fn f(max: u32) { let mut n = 0; loop { if n >= max { return; } n += 1; call().await.ok(); } }";
    assert_eq!(counts(text), [Value::Param(0)]);
    let text = "async fn f(max: u32) { let mut n = 0; loop { call().await.ok(); n += 1; if n > max { return; } } }";
    assert_eq!(counts(text), [Value::Param(0).plus(1)]);
    let text = "async fn f(mut left: u32) { loop { match call().await { Ok(v) => return v,
        Err(_) if left > 0 => left -= 1, Err(e) => return e } } }";
    assert_eq!(counts(text), [Value::Param(0).plus(1)]);
    let text = "async fn f(p: &P) { let mut n = 0; loop { match call().await { Ok(v) => return v,
        Err(e) if n >= p.max || odd(&e) => return e, Err(_) => { n += 1; } } } } struct P { max: u32 }";
    assert!(matches!(counts(text)[..], [Value::Unknown(_)]), "{:?}", counts(text));
}

#[test]
fn countdowns_and_iterators() {
    let text = "async fn f() { let mut left = 3u32; loop { if call().await.is_ok() { return; }
        left = match left.checked_sub(1) { Some(n) => n, None => return }; } }";
    assert_eq!(count(text), Some(4));
    let text = "async fn f() -> Option<u8> { let mut left = 3u32; loop { if call().await.is_ok() { return None; }
        left = left.checked_sub(1)?; } }";
    assert_eq!(count(text), Some(4));
    let text = "async fn f() { let mut d = [1, 2, 3].into_iter(); loop { match call().await { Ok(v) => return v,
        Err(e) => match d.next() { Some(p) => sleep(p).await, None => return e } } } }";
    assert_eq!(count(text), Some(4));
    let text = "async fn f() -> Result<u8, E> { let mut d = plan::Steps::from_millis(10).take(4); loop {
        if let Ok(v) = call().await { return Ok(v); } let Some(p) = d.next() else { return Err(E) }; sleep(p).await; } }";
    assert_eq!(count(text), Some(5));
}

#[test]
fn what_bounds_nothing() {
    assert_eq!(count("async fn f() { let mut n = 0; loop { call().await.ok(); if n > 3 { return; } } }"), None);
    assert_eq!(count("async fn f() { loop { let mut n = 0; call().await.ok(); n += 1; if n > 3 { return; } } }"), None);
    let reset = "async fn f() { let mut n = 0; loop { match call().await { Ok(_) => n = 0, Err(_) => n += 1 }
        if n > 3 { return; } } }";
    assert_eq!(count(reset), None);
    let logs = "async fn f() { let mut n = 0; loop { call().await.ok(); n += 1; if n > 3 { warn(); } } }";
    assert_eq!(count(logs), None);
}

#[test]
fn clocks_and_cancellation() {
    let head = "use std::time::{Duration, Instant};";
    for cond in [
        "start.elapsed() > Duration::from_secs(3)",
        "Instant::now() >= deadline",
        "deadline <= Instant::now()",
        "Duration::from_secs(3) < Instant::now() - start",
        "deadline.saturating_duration_since(Instant::now()).is_zero()",
    ] {
        let text = format!(
            "{head} async fn f() {{ let start = Instant::now(); let deadline = Instant::now() + Duration::from_secs(3);
            loop {{ call().await.ok(); if {cond} {{ return; }} }} }}"
        );
        let stops = all(&text).stops;
        assert!(matches!(&stops[..], [Stop::Elapsed(Value::Number(3_000), _)]), "{stops:?}: {cond}");
    }
    let text = format!(
        "{head} async fn f() {{ let start = Instant::now(); while start.elapsed() < Duration::from_secs(3) {{ call().await.ok(); }} }}"
    );
    assert!(matches!(&all(&text).stops[..], [Stop::Elapsed(Value::Number(3_000), _)]));
    let logs = format!(
        "{head} async fn f() {{ let start = Instant::now(); loop {{ call().await.ok(); if start.elapsed() > Duration::from_secs(3) {{ warn(); }} }} }}"
    );
    assert!(all(&logs).stops.is_empty());
    let text = "async fn f(t: T) { while !t.is_cancelled() { call().await.ok(); } }";
    assert_eq!(all(text).stops, [Stop::Cancelled]);
    let text =
        "async fn f(t: T) { loop { tokio::select! { _ = t.cancelled() => return, r = call() => { use_it(r); } } } }";
    assert_eq!(all(text).stops, [Stop::Cancelled]);
}
