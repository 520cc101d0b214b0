//! Fields of the tree's own types: what a literal holds, and what any place of the tree may have put there.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::number::{any, with_origin};
use super::{PLACES, Values, attrs};
use crate::effect::variable;
use crate::frontend::rust::program::{AdtId, BodyId, Ty};
use crate::frontend::rust::tree::{ExprId, FieldDecl, Path, Type};
use crate::frontend::rust::val::{Field, Object, Val};
use crate::name::{Name, split_last};
use crate::value::{Origin, OriginKind, Value};

impl Values<'_> {
    pub(super) fn literal_struct(
        &self,
        body: BodyId,
        e: ExprId,
        path: &Path,
        fields: &[(Name, ExprId)],
        base: Option<ExprId>,
    ) -> Val {
        let written = || Name::from(path.segments.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("::"));
        let named = self.types(body).struct_paths.get(&e).cloned().unwrap_or_else(written);
        let what = self.canonical(&named);
        let model = self.models.type_model(&what);
        let mut all: FxHashMap<Name, Field> = match base.map(|b| self.eval(body, b)) {
            Some(Val::Object(o)) => o.fields.clone(),
            _ => FxHashMap::default(),
        };
        for (name, value) in fields {
            let name = model.and_then(|m| m.literal.get(name)).unwrap_or(name).clone();
            let field = Field { value: self.eval(body, *value), at: Some(self.span(body, *value)) };
            all.insert(name, field);
        }
        let built_at = Some(self.span(body, e));
        Val::Object(Rc::new(Object { what, fields: all, built_at, built_in: Some(body) }))
    }

    pub(super) fn eval_field(&self, adt: AdtId, name: &Name) -> Val {
        if let Some(n) = self.stated(name) {
            return Val::Int(Value::Number(n), Origin { kind: OriginKind::Stated, ..Origin::none() });
        }
        let places = self.index.fields.get(&(adt, name.clone())).map(Vec::as_slice).unwrap_or_default();
        let mut all: Vec<Val> = Vec::new();
        for (body, e) in places.iter().take(PLACES) {
            if self.copies_itself(*body, *e, adt, name) {
                continue;
            }
            let value = self.close(*body, self.eval(*body, *e));
            let default = matches!(body, BodyId::Fn(f) if self.index.defaults.get(&adt) == Some(f));
            all.push(if default { with_origin(value, OriginKind::FieldDefault) } else { value });
        }
        if let Some(default) = self.declared_default(adt, name) {
            all.push(default);
        }
        match all.is_empty() {
            true => Val::unknown(&format!("nothing in the tree sets the field `{name}`")),
            false if self.is_optional(adt, name) => any(all),
            // What fills a field that is no `Option` was taken out of one where it could be missing.
            false => present(any(all)),
        }
    }

    fn is_optional(&self, adt: AdtId, name: &Name) -> bool {
        let tree = self.program.tree(self.program.adt(adt).file);
        let decl = self.program.adt_decl(adt);
        let field = decl.variants.iter().flat_map(|v| &v.fields).find(|f| f.name == *name);
        field.is_none_or(|f| match tree.ty(f.ty) {
            Type::Path(path) => path.last().is_none_or(|s| s.name == "Option"),
            _ => true,
        })
    }

    /// `Delivery { tries: job.tries, .. }`, `self.n = self.n + 1`: says nothing new about the field.
    fn copies_itself(&self, body: BodyId, e: ExprId, adt: AdtId, name: &Name) -> bool {
        use crate::frontend::rust::tree::ExprKind;
        super::walk::any(self.tree(body), e, &mut |x| match &self.tree(body).expr(x).kind {
            ExprKind::Field { base, name: other } => {
                other == name && matches!(self.type_of(body, *base), Some(Ty::Adt(id, _)) if *id == adt)
            }
            _ => false,
        })
    }

    /// What attributes and derives give to a field that nobody sets.
    fn declared_default(&self, adt: AdtId, name: &Name) -> Option<Val> {
        let decl = self.program.adt_decl(adt);
        let field = decl.variants.iter().flat_map(|v| &v.fields).find(|f| f.name == *name)?;
        if let Some(value) = self.attribute_default(adt, field) {
            return Some(with_origin(value, OriginKind::FieldDefault));
        }
        let derives = |what: &str| {
            let derives = &self.program.adt(adt).attrs.derives;
            derives.iter().any(|d| d.rsplit("::").next() == Some(what))
        };
        if derives("Deserialize") || derives("Parser") || derives("Args") {
            return Some(Val::unknown(&format!("the field `{name}` is read when the program starts")));
        }
        match derives("Default") && !self.index.fields.contains_key(&(adt, name.clone())) {
            true => Some(with_origin(self.type_default(adt, field)?, OriginKind::FieldDefault)),
            false => None,
        }
    }

    fn attribute_default(&self, adt: AdtId, field: &FieldDecl) -> Option<Val> {
        for (attribute, text) in &field.attrs.others {
            let value = match attribute.as_str() {
                "serde" => match attrs::argument(text, "default") {
                    Some(attrs::Argument::Text(path)) => {
                        let f = self.function_near(adt, &path)?;
                        Some(self.result_of(f))
                    }
                    Some(attrs::Argument::Flag) => self.type_default(adt, field),
                    _ => None,
                },
                "arg" | "clap" | "structopt" | "command" => self.clap_value(adt, &field.name, text),
                _ => None,
            };
            if value.is_some() {
                return value;
            }
        }
        None
    }

    /// What stands in the environment, else the default.
    fn clap_value(&self, adt: AdtId, field: &str, text: &str) -> Option<Val> {
        let env = match attrs::argument(text, "env") {
            Some(attrs::Argument::Text(env)) => env,
            Some(attrs::Argument::Flag) => field.to_ascii_uppercase(),
            _ => return self.clap_default(adt, text),
        };
        if let Some(n) = self.stated(&env) {
            return Some(Val::Int(Value::Number(n), Origin { kind: OriginKind::Stated, ..Origin::none() }));
        }
        Some(match self.clap_default(adt, text) {
            Some(Val::Text(default)) => Val::Text(Name::from(variable::or_default(&env, &default))),
            Some(other) => other,
            None => Val::Env(Name::from(env)),
        })
    }

    fn clap_default(&self, adt: AdtId, text: &str) -> Option<Val> {
        let found = attrs::argument(text, "default_value_t").or_else(|| attrs::argument(text, "default_value"))?;
        match found {
            attrs::Argument::Text(text) => Some(number_text(&text).unwrap_or_else(|| Val::Text(Name::new(&text)))),
            attrs::Argument::Code(code) => number_text(&code).or_else(|| {
                let module = self.module_of(adt);
                let id = near(&module, &code, |path| self.index.consts.get(path).copied())?;
                Some(self.constant(id))
            }),
            attrs::Argument::Flag => None,
        }
    }

    fn module_of(&self, adt: AdtId) -> Name {
        let path = &self.program.adt(adt).path;
        split_last(path).map_or_else(|| path.clone(), |(module, _)| Name::new(module))
    }

    fn function_near(&self, adt: AdtId, path: &str) -> Option<crate::frontend::rust::program::FnId> {
        let name = path.replace("Self::", &format!("{}::", self.program.adt(adt).name));
        near(&self.module_of(adt), &name, |path| self.index.fns.get(path).copied())
    }

    /// `Default::default()` of a field's type.
    fn type_default(&self, adt: AdtId, field: &FieldDecl) -> Option<Val> {
        let tree = self.program.tree(self.program.adt(adt).file);
        let Type::Path(path) = tree.ty(field.ty) else {
            return None;
        };
        default_of_name(path.last()?.name.as_str())
    }

    /// The default of a tree type: its own implementation, else one built of the defaults of its fields.
    pub(super) fn default_object(&self, adt: AdtId) -> Val {
        if let Some(f) = self.index.defaults.get(&adt) {
            return self.result_of(*f);
        }
        let decl = self.program.adt_decl(adt);
        let fields = decl.variants.iter().take(1).flat_map(|v| &v.fields).filter_map(|f| {
            let value = self.type_default(adt, f)?;
            Some((f.name.clone(), Field { value, at: None }))
        });
        let what = self.program.adt(adt).path.clone();
        Val::Object(Rc::new(Object { what, fields: fields.collect(), built_at: None, built_in: None }))
    }
}

/// One of several without those that are not there.
fn present(val: Val) -> Val {
    match val {
        Val::Any(parts) => any(parts.into_iter().filter(|p| *p != Val::Nothing)),
        other => other,
    }
}

pub(super) fn default_of_name(name: &str) -> Option<Val> {
    let origin = Origin { kind: OriginKind::FieldDefault, ..Origin::none() };
    Some(match name {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            Val::Int(Value::Number(0), origin)
        }
        "f32" | "f64" => Val::Float(0.0),
        "bool" => Val::Bool(false),
        "Duration" => Val::Duration(Value::Number(0), origin),
        "String" => Val::Text(Name::new("")),
        "Option" => Val::Nothing,
        _ => return None,
    })
}

/// A path as seen from a module: there, further out, or as it is.
fn near<T>(module: &str, path: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let krate = module.split("::").next().unwrap_or(module);
    if let Some(rest) = path.strip_prefix("crate::") {
        return find(&format!("{krate}::{rest}"));
    }
    let mut from = Some(module);
    while let Some(module) = from {
        if let Some(found) = find(&format!("{module}::{}", path.trim_start_matches("self::"))) {
            return Some(found);
        }
        from = split_last(module).map(|(outer, _)| outer);
    }
    find(path)
}

/// A number as text writes it: `3`, `1_000`, `5u32`.
pub(super) fn number_text(text: &str) -> Option<Val> {
    let plain = text.trim().replace('_', "");
    let digits = plain.trim_end_matches(|c: char| c.is_ascii_alphanumeric() && !c.is_ascii_digit());
    let digits = match plain.find(['u', 'i']) {
        Some(at) => &plain[..at],
        None => digits,
    };
    if let Ok(n) = digits.parse::<u64>() {
        return Some(Val::Int(Value::Number(n), Origin { kind: OriginKind::Literal, ..Origin::none() }));
    }
    plain.parse::<f64>().ok().filter(|f| f.is_finite()).map(Val::Float)
}
