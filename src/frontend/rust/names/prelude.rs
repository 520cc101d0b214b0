//! Names that are there without an import, and the one spelling of std paths.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::scope::Ns;
use crate::name::{Name, last_segment};

/// The canonical path of a prelude name.
pub fn name(name: &str, ns: Ns) -> Option<&'static str> {
    match ns {
        Ns::Values => value(name),
        Ns::Types => primitive(name).or_else(|| prelude_type(name)),
    }
}

fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "Ok" => "Ok",
        "Err" => "Err",
        "Some" => "Some",
        "None" => "None",
        "drop" => "std::mem::drop",
        _ => return None,
    })
}

pub fn primitive(name: &str) -> Option<&'static str> {
    const ALL: [&str; 17] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "bool",
        "char", "str",
    ];
    ALL.into_iter().find(|p| *p == name)
}

/// The types and traits of the prelude by their paths.
const PRELUDE: &str = "Option Result Vec String std::boxed::Box std::clone::Clone std::marker::Copy \
    std::marker::Send std::marker::Sync std::marker::Sized std::marker::Unpin std::ops::Drop \
    std::ops::Fn std::ops::FnMut std::ops::FnOnce std::ops::AsyncFn std::ops::AsyncFnMut \
    std::ops::AsyncFnOnce std::default::Default std::convert::From std::convert::Into \
    std::convert::TryFrom std::convert::TryInto std::convert::AsRef std::convert::AsMut \
    std::borrow::ToOwned std::string::ToString std::iter::Iterator std::iter::IntoIterator \
    std::iter::DoubleEndedIterator std::iter::ExactSizeIterator std::iter::Extend \
    std::iter::FromIterator std::future::Future std::future::IntoFuture std::cmp::PartialEq \
    std::cmp::Eq std::cmp::PartialOrd std::cmp::Ord";

fn prelude_type(name: &str) -> Option<&'static str> {
    static BY_NAME: OnceLock<FxHashMap<&str, &str>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let all = PRELUDE.split_whitespace();
        all.map(|path| (last_segment(path), path)).collect()
    });
    by_name.get(name).copied()
}

/// One spelling for std: `core` and `alloc` are `std`, and the types of the prelude have their short names.
pub fn normal(path: &str) -> Name {
    const SHORT: [(&str, &str); 7] = [
        ("std::option::Option", "Option"),
        ("std::result::Result", "Result"),
        ("std::vec::Vec", "Vec"),
        ("std::string::String", "String"),
        ("std::prelude::v1::", ""),
        ("std::primitive::", ""),
        ("std::str::str", "str"),
    ];
    let mut text = path.to_owned();
    for (old, new) in [("core::", "std::"), ("alloc::", "std::")] {
        if let Some(rest) = text.strip_prefix(old) {
            text = format!("{new}{rest}");
        }
    }
    for (long, short) in SHORT {
        if let Some(rest) = text.strip_prefix(long)
            && (rest.is_empty() || rest.starts_with("::") || short.is_empty())
        {
            text = format!("{short}{rest}");
        }
    }
    match text.as_str() {
        "Option::Some" => "Some".into(),
        "Option::None" => "None".into(),
        "Result::Ok" => "Ok".into(),
        "Result::Err" => "Err".into(),
        _ => text.into(),
    }
}
