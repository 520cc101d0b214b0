//! Names that are there without an import, and the one spelling of std paths.

use super::scope::Ns;
use crate::name::Name;

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
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64", "bool", "char", "str",
    ];
    ALL.into_iter().find(|p| *p == name)
}

fn prelude_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "Option" => "Option",
        "Result" => "Result",
        "Vec" => "Vec",
        "String" => "String",
        "Box" => "std::boxed::Box",
        "Clone" => "std::clone::Clone",
        "Copy" => "std::marker::Copy",
        "Send" => "std::marker::Send",
        "Sync" => "std::marker::Sync",
        "Sized" => "std::marker::Sized",
        "Unpin" => "std::marker::Unpin",
        "Drop" => "std::ops::Drop",
        "Fn" => "std::ops::Fn",
        "FnMut" => "std::ops::FnMut",
        "FnOnce" => "std::ops::FnOnce",
        "AsyncFn" => "std::ops::AsyncFn",
        "AsyncFnMut" => "std::ops::AsyncFnMut",
        "AsyncFnOnce" => "std::ops::AsyncFnOnce",
        "Default" => "std::default::Default",
        "From" => "std::convert::From",
        "Into" => "std::convert::Into",
        "TryFrom" => "std::convert::TryFrom",
        "TryInto" => "std::convert::TryInto",
        "AsRef" => "std::convert::AsRef",
        "AsMut" => "std::convert::AsMut",
        "ToOwned" => "std::borrow::ToOwned",
        "ToString" => "std::string::ToString",
        "Iterator" => "std::iter::Iterator",
        "IntoIterator" => "std::iter::IntoIterator",
        "DoubleEndedIterator" => "std::iter::DoubleEndedIterator",
        "ExactSizeIterator" => "std::iter::ExactSizeIterator",
        "Extend" => "std::iter::Extend",
        "FromIterator" => "std::iter::FromIterator",
        "Future" => "std::future::Future",
        "IntoFuture" => "std::future::IntoFuture",
        "PartialEq" => "std::cmp::PartialEq",
        "Eq" => "std::cmp::Eq",
        "PartialOrd" => "std::cmp::PartialOrd",
        "Ord" => "std::cmp::Ord",
        _ => return None,
    })
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
        if let Some(rest) = text.strip_prefix(long) {
            if rest.is_empty() || rest.starts_with("::") || short.is_empty() {
                text = format!("{short}{rest}");
            }
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
