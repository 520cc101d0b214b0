//! Every node once, and positions.

use super::super::tree::*;
use super::lower;

fn body(text: &str) -> RustFile {
    let file = lower(&format!("async fn f() {{ {text} }}"));
    assert_eq!(file.problems, [], "{text}");
    file
}

/// Source text of every node of a kind.
fn texts(source: &str, wanted: impl Fn(&ExprKind) -> bool) -> Vec<String> {
    let file = lower(source);
    assert_eq!(file.problems, [], "{source}");
    let nodes = file.exprs.iter().filter(|e| wanted(&e.kind));
    nodes.map(|e| source[e.at.start as usize..e.at.end as usize].to_owned()).collect()
}

/// The kinds of a body's nodes as their debug names, children first.
fn kinds(text: &str) -> Vec<String> {
    let name = |e: &Expr| format!("{:?}", e.kind).chars().take_while(|c| c.is_alphanumeric()).collect();
    let mut kinds: Vec<String> = body(text).exprs.iter().map(name).collect();
    assert_eq!(kinds.pop().as_deref(), Some("Block"));
    kinds
}

/// Each form of expression, and the name of its kind.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("a::b", "Path"),
    ("f(1)", "Call"),
    ("a.f::<u8>(1)", "Method"),
    ("a.0", "Field"),
    ("a[0]", "Index"),
    ("a?", "Try"),
    ("a.await", "Await"),
    ("&mut a", "Ref"),
    ("&raw const a", "Ref"),
    ("!a", "Unary"),
    ("a << 2", "Binary"),
    ("a = 2", "Assign"),
    ("a += 2", "OpAssign"),
    ("A { b, c: 1, ..d }", "Struct"),
    ("(a, b)", "Tuple"),
    ("[a, b]", "Array"),
    ("vec![a, b,]", "Array"),
    ("[0; 2]", "Repeat"),
    ("vec![0; 2]", "Repeat"),
    ("0x1f_u8", "Lit"),
    ("a as u8", "Cast"),
    ("if a { 1 } else if b { 2 } else { 3 }", "If"),
    ("match a { 1 if b => 2, _ => 3 }", "Match"),
    ("unsafe { a }", "Block"),
    ("'a: { break 'a 1 }", "Block"),
    ("async move { a }", "Async"),
    ("'a: loop { break }", "Loop"),
    ("while let Some(a) = b {}", "While"),
    ("for (i, a) in b {}", "For"),
    ("move |a, b: u8| -> u8 { a }", "Closure"),
    ("async || a", "Closure"),
    ("break 'a 1", "Break"),
    ("continue 'a", "Continue"),
    ("return a", "Return"),
    ("yield a", "Yield"),
    ("a..=b", "Range"),
    ("..", "Range"),
    ("m!(a)", "Macro"),
    ("(((a)))", "Path"),
];

#[test]
fn every_expression() {
    for (text, last) in EXPRESSIONS.iter().copied() {
        assert_eq!(kinds(text).last().map(String::as_str), Some(last), "{text}");
        let source = format!("fn f() {{ g({text}); }}");
        let file = lower(&source);
        let Some(Expr { kind: ExprKind::Call { args, .. }, .. }) = file.exprs.iter().rev().nth(1) else {
            panic!("{text}: {:?}", file.problems)
        };
        let at = file.expr(args[0]).at;
        assert_eq!(&source[at.start as usize..at.end as usize], text);
    }
}

#[test]
fn children_come_before_parents() {
    assert_eq!(kinds("let x = a.b(1)?; f(x)"), ["Path", "Lit", "Method", "Try", "Path", "Path", "Call"]);
}

#[test]
fn else_if_chain() {
    let file = body("if a { 1 } else if b { 2 } else { 3 }");
    let ExprKind::If { otherwise: Some(second), .. } = &file.exprs[file.exprs.len() - 2].kind else { panic!() };
    let ExprKind::If { otherwise: Some(last), .. } = file.expr(*second).kind else { panic!() };
    assert!(matches!(file.expr(last).kind, ExprKind::Block(_)));
}

#[test]
fn blocks() {
    let file = body("use a::b; let x: u8 = 1 else { return }; ; g(x); if a {} #[cfg(test)] let y = 1; m! { a }");
    let ExprKind::Block(block) = &file.exprs.last().unwrap().kind else { panic!() };
    assert_eq!((block.items.len(), block.stmts.len()), (1, 3));
    assert!(matches!(block.stmts[0], Stmt::Let { ty: Some(_), value: Some(_), otherwise: Some(_), .. }));
    assert!(block.tail.is_some_and(|t| matches!(file.expr(t).kind, ExprKind::Macro(_))));
}

#[test]
fn literals() {
    let file = body("(10_000u64, 0xff, 1.5, \"a\\n\", true, 'c', 340282366920938463463374607431768211456)");
    let lits: Vec<&Lit> =
        file.exprs.iter().filter_map(|e| if let ExprKind::Lit(l) = &e.kind { Some(l) } else { None }).collect();
    let expected = [
        Lit::Int(10_000, "u64".into()),
        Lit::Int(255, "".into()),
        Lit::Float(1.5),
        Lit::Str("a\n".into()),
        Lit::Bool(true),
        Lit::Other,
        Lit::Other,
    ];
    assert_eq!(lits, expected.iter().collect::<Vec<_>>());
}

#[test]
fn every_pattern() {
    for (text, kind) in [
        ("_", "Wild"),
        ("ref mut a @ 1", "Ident"),
        ("a::B", "Path"),
        ("a::B(x, ..)", "TupleStruct"),
        ("A { b, c: 1, .. }", "Struct"),
        ("(a, b)", "Tuple"),
        ("[a, ..]", "Slice"),
        ("1 | 2", "Or"),
        ("&a", "Ref"),
        ("-1", "Lit"),
        ("'a'..='z'", "Range"),
        ("((a))", "Ident"),
    ] {
        let source = format!("fn f() {{ match x {{ {text} => 1 }} }}");
        let file = lower(&source);
        assert_eq!(file.problems, [], "{text}");
        let pat = file.pats.last().unwrap();
        assert!(format!("{:?}", pat.kind).starts_with(kind), "{text}: {:?}", pat.kind);
        let from = if text.starts_with("ref") { "a @ 1" } else { text };
        assert_eq!(&source[pat.at.start as usize..pat.at.end as usize], from);
    }
    let file = body("let f = |a: u8| 1; match x { -1 if b => 1 }");
    let guarded = file.exprs.iter().any(|e| matches!(&e.kind, ExprKind::Match { arms, .. } if arms[0].guard.is_some()));
    assert!(guarded);
}

#[test]
fn every_type() {
    let file = lower(
        "type A = (&'a mut T, *const u8, [u8; 2], [u8], fn(u8) -> u8, impl A + 'a, dyn B, !, _, m!(), (u8), \
         <T as Tr>::X, V<u8, 3, I = T>, dyn Fn(u8) -> u8);",
    );
    assert_eq!(file.problems, []);
    let Some(Type::Tuple(parts)) = file.types.last() else { panic!() };
    let name = |t: &TypeId| format!("{:?}", file.ty(*t)).chars().take_while(|c| c.is_alphanumeric()).collect();
    let names: Vec<String> = parts.iter().map(name).collect();
    let expected = "Ref Ref Slice Slice Fn Impl Dyn Never Infer Other Path Qualified Path Dyn";
    assert_eq!(names.join(" "), expected);
    let Type::Path(path) = file.ty(parts[12]) else { panic!() };
    assert_eq!((path.segments[0].args().len(), path.segments[0].bindings().len()), (2, 1));
    let Type::Dyn(bounds) = file.ty(parts[13]) else { panic!() };
    let Type::Path(path) = file.ty(bounds[0]) else { panic!() };
    assert_eq!(path.segments[0].bindings()[0].0, "Output");
}

#[test]
fn every_item() {
    let file = lower(
        "mod a; mod b { fn c() {} } use d::{self, e as f, g::*}; extern crate h as i; pub async fn j<T: K>(&mut self, \
         x: T) -> u8 where T: L {} struct M(u8); enum N { O { p: u8 }, Q = 1 } trait R: S { type T: U; const V: u8; fn \
         w(&self); } impl<X> R for M { type T = u8; const V: u8 = 1; fn w(self: Box<Self>) {} } type Y = u8; const Z: u8 \
         = 1; static AA: u8 = 1; include!(\"ab.rs\"); include!(concat!(env!(\"OUT_DIR\"), \"/x.rs\")); \
         tonic::include_proto!(\"x\"); macro_rules! ac { ($d:expr) => { f($d) } } extern \"C\" { fn ad(); } union AE { a: u8 }",
    );
    assert_eq!(file.problems, []);
    let name = |i: &Item| format!("{:?}", i.kind).chars().take_while(|c| c.is_alphanumeric()).collect();
    let kinds: Vec<String> = file.items.iter().map(name).collect();
    let expected = "Mod Mod Use ExternCrate Fn Adt Adt Trait Impl Alias Const Static Include Generated Generated \
                    MacroRules Fn Adt";
    assert_eq!(kinds.join(" "), expected);
    let ItemKind::Use(leaves) = &file.items[2].kind else { panic!() };
    let shown: Vec<String> = leaves.iter().map(|l| format!("{} {} {}", l.path.join("::"), l.name, l.glob)).collect();
    assert_eq!(shown, ["d d false", "d::e f false", "d::g  true"]);
    let j = &file.functions[1];
    assert_eq!((j.is_async, j.receiver, j.params.len(), j.generics.bounds.len()), (true, Some(Receiver::Mut), 1, 2));
    assert_eq!(file.impls[0].items.len() + file.traits[0].items.len(), 6);
    assert!(file.adts[1].is_enum && !file.adts[1].variants[0].tuple);
}

trait Join {
    fn join(&self, by: &str) -> String;
}

impl Join for Vec<crate::name::Name> {
    fn join(&self, by: &str) -> String {
        self.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(by)
    }
}

#[test]
fn attributes() {
    let file = lower(
        "/// Docs\n#[tokio::test(flavor = \"x\")] fn a() {} #[cfg(all(unix, test))] mod b; #[cfg(any(unix, test))] mod \
         c; #[cfg(not(test))] mod d; #[path = \"e/f.rs\"] mod e; #[derive(Debug, clap::Parser)] struct G { \
         #[serde(default = \"three\")] h: u8 } #[get(\"/x/{id}\")] fn i() {}",
    );
    let tests: Vec<bool> = file.items.iter().map(|i| i.attrs.test).collect();
    assert_eq!(tests, [true, true, false, false, false, false, false]);
    assert_eq!(file.items[4].attrs.path.as_deref(), Some("e/f.rs"));
    assert_eq!(file.items[5].attrs.derives, ["Debug", "clap::Parser"]);
    assert_eq!(file.adts[0].variants[0].fields[0].attrs.others[0].1, "default = \"three\"");
    assert_eq!(file.items[6].attrs.others, [("get".into(), "\"/x/{id}\"".into())]);
}

#[test]
fn positions() {
    for (before, prefix) in [("", ""), ("\u{feff}", ""), ("#!/bin/sh é\n", ""), ("\u{feff}#!/bin/sh\n", "// é\n")] {
        let source = format!("{before}{prefix}fn é() {{ let ü = \"é→\"; ü.call(1).next(é)? }}\nfn g() {{ h!(f(é)) }}");
        assert_eq!(texts(&source, |k| matches!(k, ExprKind::Method { .. })), ["ü.call(1)", "ü.call(1).next(é)"]);
        assert_eq!(texts(&source, |k| matches!(k, ExprKind::Try(_))), ["ü.call(1).next(é)?"]);
        assert_eq!(texts(&source, |k| matches!(k, ExprKind::Call { .. })), ["f(é)"]);
        let file = lower(&source);
        let at = file.items[1].at;
        assert_eq!(&source[at.start as usize..at.end as usize], "fn g() { h!(f(é)) }");
        let name = file.functions[0].name_at;
        assert_eq!(&source[name.start as usize..name.end as usize], "é");
    }
    assert_eq!(lower("#![allow(x)]\nfn f() {}").items.len(), 1);
}

#[test]
fn parse_errors_have_a_place() {
    let file = lower("\u{feff}fn f() {}\nfn g( {}");
    assert_eq!(file.problems.len(), 1);
    assert!(file.items.is_empty());
    let file = lower("#!/bin/sh\nfn f() { let = 1; }");
    assert_eq!(file.problems[0].0, 23);
    assert_eq!(file.lines, 2);
    for text in ["", "\u{feff}", "#!", "#!x", "'", "\"", "r#\"", "/*", "b'", "1e", "\0", "r#", "'\\"] {
        lower(text);
    }
}

fn macro_args(text: &str) -> (RustFile, String) {
    let file = body(text);
    let shown = file.exprs.iter().rev().find_map(|e| match &e.kind {
        ExprKind::Macro(call) => Some(match &call.args {
            MacroArgs::List(list) => format!("list {}", list.len()),
            MacroArgs::Format { text, args, captures } => format!("format {text:?} {} {captures:?}", args.len()),
            MacroArgs::Matches { guard, .. } => format!("matches {}", guard.is_some()),
            MacroArgs::Select(arms) => {
                let arm = |a: &SelectArm| format!("{}{}", u8::from(a.future.is_some()), u8::from(a.cond.is_some()));
                format!("select {}", arms.iter().map(arm).collect::<Vec<_>>().join(" "))
            }
            MacroArgs::Block(_) => "block".to_owned(),
            MacroArgs::Opaque { may_call } => format!("opaque {may_call}"),
        }),
        _ => None,
    });
    (file, shown.unwrap_or_default())
}

#[test]
fn macros() {
    for (text, expected) in [
        ("format!(\"{host}/{}/{x}\", y, x = 1)", "format \"{host}/{}/{x}\" 2 [\"host\"]"),
        ("info!(target: \"t\", a = 1, %b, c.d = ?e.f(), \"text {g}\")", "format \"text {g}\" 4 [\"g\"]"),
        ("warn!(error = %e, attempt, \"again\"; \"k\" => v)", "format \"again\" 3 []"),
        ("assert_eq!(a, \"b\", \"why {c}\")", "format \"why {c}\" 2 [\"c\"]"),
        ("assert!(f(x))", "list 1"),
        ("anyhow!(e)", "list 1"),
        ("anyhow::bail!(\"no {e}\")", "format \"no {e}\" 0 [\"e\"]"),
        ("write!(f, \"{}\", g(x))?", "format \"{}\" 2 []"),
        ("matches!(f(x), Some(1) | None if y)", "matches true"),
        ("tokio::join!(biased; a(), b())", "list 2"),
        ("sqlx::query!(\"select\", id)", "list 2"),
        ("json!({\"a\": f(x), \"b\": [1, {\"c\": null}],})", "list 6"),
        ("stream! { for i in 0..3 { yield f(i).await?; } }", "block"),
        ("my!(x => f(y))", "opaque true"),
        ("my!(let x = f(y); x)", "block"),
        ("my!(x => y)", "list 2"),
        ("quote!(fn f() {})", "opaque true"),
        ("tokio::select! { biased; x = f(), if y => { g() } Some(z) = &mut w => z, else => break }", "select 11 10 00"),
        ("select! { a = b.next() => {}, complete => break, default => {} }", "select 10 00 00"),
    ] {
        assert_eq!(macro_args(text).1, expected, "{text}");
    }
}

#[test]
fn names_of_macros_without_calls() {
    let (file, _) = macro_args("my!(x => \"no \\\" name\" y 'z)");
    let names: Vec<&str> = file
        .exprs
        .iter()
        .filter_map(|e| match &e.kind {
            ExprKind::Path(p) => p.single().map(|n| n.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["x", "y"]);
}

#[test]
fn macro_rules() {
    let file = lower(
        "macro_rules! retry { ($n:expr, $op:expr $(, $rest:ident)* $(,)?) => {{ let mut i = 0; loop { match $op { Ok(v) => break \
         v, Err(e) if i < $n => { i += 1; log!($($rest),*) } } } }}; () => { => }; }",
    );
    assert_eq!(file.problems, []);
    let ItemKind::MacroRules { arms } = &file.items[0].kind else { panic!() };
    let params: Vec<&str> = arms[0].params.iter().map(|p| p.0.as_str()).collect();
    assert_eq!(params, ["n", "op", "rest"]);
    assert!(arms[0].body.is_some() && arms[1].body.is_none());
    assert!(file.exprs.iter().any(|e| matches!(e.kind, ExprKind::Loop { .. })));
}

#[test]
fn items_in_macros() {
    let file = lower(
        "cfg_if! { if #[cfg(unix)] { fn a() {} } else { mod b; } } lazy_static! { static ref C: u8 = f(); } \
         thread_local!(static D: u8 = 1); odd! { x => y } impl X { m!(); }",
    );
    let names: Vec<&str> = file.items.iter().map(|i| i.name.as_str()).filter(|n| !n.is_empty()).collect();
    assert_eq!(names, ["a", "b", "C", "D"]);
}
