//! Small programs and what their calls lead to.

use super::super::names::tests::one_crate;
use super::super::program::{BodyId, BodyTypes, FnId, Program, Target, Ty};
use super::super::tree::ExprKind;
use super::infer;
use crate::model::{Model, Models};

struct Seen {
    program: Program,
    models: Models,
    index: super::super::names::Index,
}

fn seen(text: &str) -> Seen {
    let model = r#"{"crate": "web", "versions": "*", "about": "", "sources": [],
        "aliases": {"web::client::Client": "web::Client"},
        "types": {
            "web::Client": {"methods": {"new": {"returns": "Self"}, "get": {"returns": "web::RequestBuilder"}}},
            "web::RequestBuilder": {"methods": {
                "send": {"async": true, "returns": "Result<web::Response, web::Error>"}}},
            "web::Response": {"methods": {"status": {"returns": "web::StatusCode"}}}},
        "traits": {"back::Retryable": {"methods": {"retry": {}}}}}"#;
    let model: Model = serde_json::from_str(model).expect("the model above is well formed");
    let (program, index) = one_crate(&[("src/lib.rs", text)]);
    Seen { program, models: Models::new(vec![model]), index }
}

impl Seen {
    fn types(&self, function: &str) -> (BodyId, BodyTypes) {
        let at = self.program.fns.iter().position(|f| f.name == function);
        let body = BodyId::Fn(FnId(at.expect("the function is in the text") as u32));
        (body, infer(&self.program, &self.index, &self.models, body))
    }

    /// The target of every call and method in a function, by name, in the order of the text.
    fn targets(&self, function: &str) -> Vec<String> {
        let (body, types) = self.types(function);
        let tree = self.program.tree_of(body);
        let mut all: Vec<(u32, String)> = Vec::new();
        for (id, target) in types.targets.iter() {
            let at = match &tree.expr(*id).kind {
                ExprKind::Method { name_at, .. } => name_at.start,
                ExprKind::Call { .. } => tree.expr(*id).at.start,
                _ => continue,
            };
            let shown = match target {
                Target::Fns(ids, through) => {
                    let ids: Vec<_> = ids.iter().map(|id| self.program.def(*id).path.to_string()).collect();
                    let through = through.as_ref().map_or(String::new(), |t| format!(" by {t}"));
                    format!("{}{through}", ids.join("|"))
                }
                Target::Foreign(path) => format!("~{path}"),
                Target::Constructor(path) => format!("+{path}"),
                other => format!("{other:?}"),
            };
            all.push((at, shown));
        }
        all.sort();
        all.into_iter().map(|(_, t)| t).collect()
    }
}

#[test]
fn parameters_fields_and_results_lead_to_methods() {
    let seen = seen(
        "struct A { b: std::sync::Arc<B<C>> } struct B<T> { inner: Vec<T> } struct C; \
         impl<T> B<T> { fn first(&self) -> Option<&T> { self.inner.first() } } \
         impl C { fn go(&self) -> Self { C } fn end(self) {} } \
         fn f(a: &A) { a.b.first().unwrap().go().end(); } \
         fn g(a: &A) { let Some(c) = a.b.inner.get(0) else { return }; c.go(); for c in &a.b.inner { c.go(); } }",
    );
    let expected = ["app::B::first", "~Option::unwrap", "app::C::go", "app::C::end"];
    assert_eq!(seen.targets("f"), expected);
    assert_eq!(seen.targets("g"), ["~Vec::get", "app::C::go", "app::C::go"]);
}

#[test]
fn models_type_foreign_chains_and_question_marks() {
    let seen = seen(
        "use web::client::Client; struct Api { http: Client } \
         impl Api { async fn get(&self) -> Result<u16, web::Error> { \
             let r = self.http.get(\"x\").send().await?; Ok(r.status().as_u16()) } \
             fn new() -> Self { Self { http: Client::new() } } } \
         async fn f() { let r = Api::new().get().await; other::make().run().again(); match r { Err(e) => e.is_timeout(), _ => true }; }",
    );
    let get = [
        "~web::Client::get",
        "~web::RequestBuilder::send",
        "+Ok",
        "~web::Response::status",
        "~web::StatusCode::as_u16",
    ];
    assert_eq!(seen.targets("get"), get);
    let f = [
        "app::Api::new",
        "app::Api::get",
        "~other::make",
        "~other::make().run",
        "~other::make().run.again",
        "~web::Error::is_timeout",
    ];
    assert_eq!(seen.targets("f"), f);
}

#[test]
fn closures_give_their_results_through_bounds() {
    let seen = seen(
        "use std::future::Future; struct X; impl X { fn go(&self) {} } \
         async fn retry<F, Fut, T>(mut op: F) -> Option<T> where F: FnMut(u32) -> Fut, Fut: Future<Output = Result<T, ()>> \
         { op(1).await.ok() } \
         async fn make(n: u32) -> Result<X, ()> { Ok(X) } \
         async fn f() { let x = retry(|n| async move { let y = make(n).await?; y.go(); Ok(y) }).await.unwrap(); x.go(); } \
         async fn g() { retry(make).await.unwrap().go(); vec![X].iter().map(|x| x.go()).count(); }",
    );
    let f = ["app::retry", "app::make", "app::X::go", "+Ok", "~Option::unwrap", "app::X::go"];
    assert_eq!(seen.targets("f"), f);
    assert_eq!(seen.targets("retry"), ["Callable", "~Result::ok"]);
    assert!(seen.targets("g").contains(&"app::X::go".to_owned()));
    let (_, types) = seen.types("g");
    assert!(
        types.targets.values().any(|t| matches!(t, Target::Fns(ids, None) if seen.program.def(ids[0]).name == "make"))
    );
}

#[test]
fn bounds_lead_to_all_implementations_and_defaults() {
    let seen = seen(
        "trait Send2 { fn put(&self); fn twice(&self) { self.put(); } } struct A; struct B; \
         impl Send2 for A { fn put(&self) {} } impl Send2 for B { fn put(&self) {} fn twice(&self) {} } \
         fn f<S: Send2>(a: &dyn Send2, b: S, c: impl Send2, d: A) { a.put(); b.twice(); c.put(); d.twice(); S::put(&b); }",
    );
    let both = "app::A::put|app::B::put by app::Send2";
    let expected = [both, "app::Send2::twice|app::B::twice by app::Send2", both, "app::Send2::twice", both];
    assert_eq!(seen.targets("f"), expected);
    assert_eq!(seen.targets("twice"), [both]);
}

#[test]
fn extension_traits_need_to_be_in_scope_and_std_comes_first() {
    let seen = seen(
        "mod ext { pub trait Ext { fn len(&self) -> u8; fn shout(&self); } \
             impl Ext for Vec<u8> { fn len(&self) -> u8 { 0 } fn shout(&self) {} } } \
         mod with { use super::ext::Ext as _; use back::Retryable; fn f(v: Vec<u8>) { v.len(); v.shout(); (|| 1).retry(2); } } \
         mod without { fn g(v: Vec<u8>) { v.shout(); } }",
    );
    let f = ["~Vec::len", "app::ext::Vec::shout by app::ext::Ext", "~back::Retryable::retry"];
    assert_eq!(seen.targets("f"), f);
    assert_eq!(seen.targets("g"), ["~Vec::shout"]);
}

#[test]
fn locals_shadow_and_captures_are_uses() {
    let seen = seen(
        "fn f(x: u8) { let x = Some(x); if let Some(x) = x { let c = |x: u8| x; c(x); println!(\"{x}\"); } let _ = x; }",
    );
    let (body, types) = seen.types("f");
    let tree = seen.program.tree_of(body);
    let x = |id| matches!(&tree.expr(id).kind, ExprKind::Path(p) if p.single().is_some_and(|n| *n == "x"));
    let mut uses: Vec<_> =
        types.locals.iter().filter(|(e, _)| x(**e)).map(|(e, p)| (tree.expr(*e).at.start, *p)).collect();
    uses.sort();
    let binders: Vec<u32> = uses.iter().map(|(_, p)| tree.pat(*p).at.start).collect();
    // the parameter, the `let`, the closure's parameter, the `if let`, the `let` again
    assert_eq!(uses.len(), 5);
    assert!(binders[0] < binders[1] && binders[1] < binders[3] && binders[3] < binders[2]);
    assert_eq!(binders[4], binders[1]);
    let captured: Vec<_> = types.captures.values().flatten().collect();
    assert_eq!(captured, [&uses[3].1]);
}

#[test]
fn patterns_name_variants_and_constants() {
    let seen = seen(
        "enum E { Taken, Other { code: u16 } } const LIMIT: u8 = 3; mod m { pub fn h() {} } \
         fn f(r: Result<u8, E>) -> u8 { fn inner() { crate::m::h(); } inner(); \
             match r { Ok(LIMIT) => 1, Err(E::Taken) => 2, Err(E::Other { code }) => 3, _ => LIMIT } }",
    );
    let (_, types) = seen.types("f");
    let mut paths: Vec<&str> = types.pat_paths.values().map(|p| p.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["Err", "Err", "Ok", "app::E::Other", "app::E::Taken", "app::LIMIT"]);
    assert_eq!(types.consts.len(), 1);
    assert_eq!(seen.targets("f"), ["app::f::inner"]);
    assert_eq!(seen.targets("inner"), ["app::m::h"]);
}

#[test]
fn generated_clients_stay_foreign_by_their_last_segments() {
    let seen = seen(
        "mod pb { tonic::include_proto!(\"ledger\"); } use pb::ledger_client::LedgerClient; \
         async fn f(mut c: LedgerClient<u8>) { c.get_height(1).await; missing(); }",
    );
    let expected = ["~pb::ledger_client::LedgerClient::get_height", "Unknown(\"name not found\")"];
    assert_eq!(seen.targets("f"), expected);
}

#[test]
fn types_that_double_are_given_up() {
    let mut text = String::from("fn f(a: u8) { let a0 = (a, a);");
    for i in 0..60 {
        text.push_str(&format!("let a{} = (a{i}, a{i});", i + 1));
    }
    text.push_str(
        "} type A<T> = (T, T); type B<T> = A<A<A<A<T>>>>; type C<T> = B<B<B<T>>>; fn g(x: C<C<u8>>) { x.y(); }",
    );
    let seen = seen(&text);
    let (_, types) = seen.types("f");
    assert!(types.types.values().all(|t| *t != Ty::Unknown));
    assert_eq!(seen.targets("g").len(), 1);
}

#[test]
fn projections_that_lead_in_a_circle_end() {
    let many = vec!["T::X"; 60].join(", ");
    let text = format!(
        "struct Z; struct A<T>(T); struct W<T>(T); trait Tr {{ type P; type X; }} \
         impl<T: Tr> Tr for A<T> {{ type P = u8; type X = <T::P as Tr>::X; }} \
         impl Tr for Z {{ type P = A<Z>; type X = A<Z>; }} \
         impl<T: Tr> Tr for W<T> {{ type P = u8; type X = ({many}); }} \
         impl std::ops::Deref for Z {{ type Target = A<Z>; }} \
         impl<T> std::ops::Deref for A<T> {{ type Target = Z; }} \
         fn f(a: <A<Z> as Tr>::X, b: <W<W<W<W<W<W<u8>>>>>> as Tr>::X, z: Z) {{ a.y(); b.y(); z.y(); }}",
    );
    assert_eq!(seen(&text).targets("f").len(), 3);
}
