//! Programs are put together by hand: what infers types is another layer's work.

use super::super::program::{Crate, CrateId, LoweredFile, ModId, Module, Ty};
use super::super::tree::{
    At, Attrs, Block, Expr, ExprId, ExprKind, Function, Generics, Lit, PatId, Path, RustFile, Stmt,
};
use super::*;
use crate::name::last_segment;
use crate::source::FileId;

struct Builder {
    program: Program,
    bodies: FxHashMap<BodyId, BodyTypes>,
}

impl Builder {
    fn new(kind: CrateKind) -> Builder {
        let krate = Crate {
            root_dir: "".into(),
            name: "shop".into(),
            package: "shop".into(),
            kind,
            root: FileId(0),
            dependencies: FxHashMap::default(),
            edition2015: false,
        };
        let root = Module { path: "shop".into(), krate: CrateId(0), parent: None, generated: false };
        let files = vec![LoweredFile { file: FileId(0), tree: RustFile::default() }];
        let program = Program { files, crates: vec![krate], modules: vec![root], ..Program::default() };
        Builder { program, bodies: FxHashMap::default() }
    }

    fn function(&mut self, name: &str, public: bool) -> FnId {
        let id = FnId(self.program.fns.len() as u32);
        let body = self.expr(ExprKind::Unknown, (0, 0));
        let tree = &mut self.program.files[0].tree;
        let decl = tree.functions.len() as u32;
        tree.functions.push(Function {
            is_async: false,
            generics: Generics::default(),
            receiver: None,
            params: Vec::new(),
            result: None,
            body: Some(body),
            name_at: At { start: id.0, end: id.0 + 1 },
        });
        self.program.fns.push(FnDef {
            path: Name::from(format!("shop::{name}")),
            name: name.into(),
            file: 0,
            module: ModId(0),
            krate: CrateId(0),
            owner: Owner::None,
            public,
            test: false,
            decl,
            of_impl: Vec::new(),
            attrs: Attrs::default(),
            at: At::default(),
        });
        self.bodies.insert(BodyId::Fn(id), BodyTypes::default());
        id
    }

    fn expr(&mut self, kind: ExprKind, at: (u32, u32)) -> ExprId {
        let tree = &mut self.program.files[0].tree;
        tree.exprs.push(Expr { kind, at: At { start: at.0, end: at.1 } });
        ExprId(tree.exprs.len() as u32 - 1)
    }

    fn text(&mut self, text: &str) -> ExprId {
        self.expr(ExprKind::Lit(Lit::Str(text.into())), (0, 0))
    }

    fn aim(&mut self, within: FnId, expr: ExprId, target: Target) -> ExprId {
        self.bodies.get_mut(&BodyId::Fn(within)).expect("made by function()").targets.insert(expr, target);
        expr
    }

    fn value(&mut self, within: FnId, function: FnId) -> ExprId {
        let expr = self.expr(ExprKind::Path(Path::default()), (0, 0));
        self.aim(within, expr, Target::Fns(vec![function], None))
    }

    fn call(&mut self, within: FnId, path: &str, args: Vec<ExprId>, at: (u32, u32)) -> ExprId {
        let callee = self.expr(ExprKind::Path(Path::default()), at);
        let expr = self.expr(ExprKind::Call { callee, args }, at);
        self.aim(within, expr, Target::Foreign(path.into()))
    }

    fn method(&mut self, within: FnId, receiver: ExprId, path: &str, args: Vec<ExprId>, at: (u32, u32)) -> ExprId {
        let name = Name::new(last_segment(path));
        let kind =
            ExprKind::Method { receiver, name, name_at: At::default(), turbofish: Box::default(), args: args.into() };
        let expr = self.expr(kind, at);
        self.aim(within, expr, Target::Foreign(path.into()))
    }

    fn entries(&self) -> Vec<String> {
        let mut models = Models::default();
        models.models.extend(crate::model::load::built_in().expect("the built-in models parse"));
        let found = entries(&self.program, &self.bodies, &models);
        let line = |e: &FoundEntry| {
            let path = e.path.as_ref().map_or("-", |p| p);
            format!("{} {} {} {path}", e.kind.name(), self.program.def(e.handler).name, e.name)
        };
        found.iter().map(line).collect()
    }
}

const ROUTE: &str = "axum::Router::route";
const NEST: &str = "axum::Router::nest";

#[test]
fn a_library_offers_what_nothing_else_calls() {
    let mut b = Builder::new(CrateKind::Lib);
    let pay = b.function("pay", true);
    let inner = b.function("inner", true);
    let again = b.function("again", true);
    b.function("private", false);
    let test = b.function("test", false);
    b.program.fns[test.0 as usize].test = true;
    b.value(pay, inner);
    b.value(again, again);
    b.value(test, pay);
    assert_eq!(b.entries(), ["api pay shop::pay -", "api again shop::again -"]);
}

#[test]
fn a_program_offers_main_alone_and_other_targets_nothing() {
    let mut b = Builder::new(CrateKind::Bin);
    b.function("main", false);
    b.function("unused", true);
    assert_eq!(b.entries(), ["main main main -"]);
    b.program.crates[0].kind = CrateKind::Other;
    assert!(b.entries().is_empty());
}

#[test]
fn foreign_traits_call_their_impls_but_plain_ones_hold_no_work() {
    let mut b = Builder::new(CrateKind::Bin);
    let impl_of = |path: &str| Owner::Impl { of: TraitRef::Foreign(path.into()), for_type: Ty::Unknown };
    for (name, path) in [("call", "tower::Service"), ("fmt", "std::fmt::Display"), ("idle", "tower::Service")] {
        let id = b.function(name, false);
        b.program.fns[id.0 as usize].owner = impl_of(path);
        if name != "idle" {
            b.call(id, "reqwest::get", Vec::new(), (0, 0));
        }
    }
    let rpc = b.function("get_height", false);
    b.program.fns[rpc.0 as usize].owner = impl_of("ledger::pb::ledger_server::Ledger");
    assert_eq!(b.entries(), ["api call shop::call -", "grpc get_height Ledger/GetHeight -"]);
}

#[test]
fn routes_have_their_methods_and_the_prefixes_of_all_nests() {
    let mut b = Builder::new(CrateKind::Lib);
    let (list, pay) = (b.function("list", true), b.function("pay", false));
    let (api, app) = (b.function("api", true), b.function("app", true));
    // fn api() { Router::new().route("/orders/{id}", get(list).post(pay)) }
    let new = b.call(api, "axum::Router::new", Vec::new(), (0, 10));
    let (list_value, pay_value) = (b.value(api, list), b.value(api, pay));
    let get = b.call(api, "axum::routing::get", vec![list_value], (20, 30));
    let both = b.method(api, get, "axum::routing::MethodRouter::post", vec![pay_value], (20, 40));
    let path = b.text("/orders/{id}");
    b.method(api, new, ROUTE, vec![path, both], (0, 50));
    // fn app() { Router::new().nest("/v1", Router::new().nest("/shop", api())) }
    let call = b.expr(ExprKind::Path(Path::default()), (140, 145));
    let call = b.expr(ExprKind::Call { callee: call, args: Vec::new() }, (140, 147));
    b.aim(app, call, Target::Fns(vec![api], None));
    let inner_new = b.call(app, "axum::Router::new", Vec::new(), (120, 130));
    let shop = b.text("/shop");
    let inner = b.method(app, inner_new, NEST, vec![shop, call], (120, 150));
    let outer_new = b.call(app, "axum::Router::new", Vec::new(), (100, 110));
    let v1 = b.text("/v1/");
    b.method(app, outer_new, NEST, vec![v1, inner], (100, 160));
    let expected = [
        "http list GET /v1/shop/orders/{id} /v1/shop/orders/{}",
        "http pay POST /v1/shop/orders/{id} /v1/shop/orders/{}",
        "api app shop::app -",
    ];
    assert_eq!(b.entries(), expected);
}

#[test]
fn routers_kept_in_locals_are_followed() {
    let mut b = Builder::new(CrateKind::Bin);
    let (list, main) = (b.function("list", false), b.function("main", false));
    let new = b.call(main, "axum::Router::new", Vec::new(), (0, 10));
    let list_value = b.value(main, list);
    let path = b.text("/");
    let built = b.method(main, new, ROUTE, vec![path, list_value], (0, 30));
    let stmt = Stmt::Let { pat: PatId(7), ty: None, value: Some(built), otherwise: None, at: At::default() };
    b.expr(ExprKind::Block(Block { label: None, stmts: vec![stmt], tail: None, items: Box::default() }), (0, 90));
    let local = b.expr(ExprKind::Path(Path::default()), (60, 65));
    b.bodies.get_mut(&BodyId::Fn(main)).expect("made above").locals.insert(local, PatId(7));
    let outer = b.call(main, "axum::Router::new", Vec::new(), (40, 50));
    let prefix = b.text("/items");
    b.method(main, outer, NEST, vec![prefix, local], (40, 70));
    assert_eq!(b.entries(), ["http list /items /items", "main main main -"]);
}

#[test]
fn attributes_and_resources_of_scopes() {
    let mut b = Builder::new(CrateKind::Bin);
    let (index, pay, main) = (b.function("index", false), b.function("pay", false), b.function("main", false));
    b.program.fns[index.0 as usize].attrs.others.push(("get".into(), "\"/orders/{id}\"".into()));
    let api = b.text("/api");
    let scope = b.call(main, "actix_web::web::scope", vec![api], (0, 10));
    let value = b.value(main, index);
    let scope = b.method(main, scope, "actix_web::Scope::service", vec![value], (0, 20));
    let path = b.text("/pay");
    let resource = b.call(main, "actix_web::web::resource", vec![path], (30, 35));
    let post = b.call(main, "actix_web::web::post", Vec::new(), (36, 40));
    let value = b.value(main, pay);
    let route = b.method(main, post, "actix_web::Route::to", vec![value], (36, 45));
    let resource = b.method(main, resource, "actix_web::Resource::route", vec![route], (30, 50));
    b.method(main, scope, "actix_web::Scope::service", vec![resource], (0, 60));
    let expected =
        ["http index GET /api/orders/{id} /api/orders/{}", "http pay POST /api/pay /api/pay", "main main main -"];
    assert_eq!(b.entries(), expected);
}

#[test]
fn nests_in_a_circle_end() {
    let mut b = Builder::new(CrateKind::Lib);
    let (list, api) = (b.function("list", false), b.function("api", true));
    let new = b.call(api, "axum::Router::new", Vec::new(), (0, 10));
    let list_value = b.value(api, list);
    let path = b.text("/x");
    let route = b.method(api, new, ROUTE, vec![path, list_value], (0, 20));
    let own = b.value(api, api);
    let prefix = b.text("/again");
    b.method(api, route, NEST, vec![prefix, own], (0, 30));
    assert!(!b.entries().is_empty());
}

#[test]
fn words_of_paths() {
    assert_eq!(routes::with_holes("/orders/:id/items/{item:[0-9]{4}}.json"), "/orders/{}/items/{}.json");
    assert_eq!(named_method("\"/x\", method = \"put\""), Some("PUT".into()));
    assert_eq!(camel("get_height"), "GetHeight");
    assert!(fits("*_server::*", "a::ledger_server::Ledger") && !fits("*_server::*", "a::ledger::Ledger"));
}
