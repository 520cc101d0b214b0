//! Macros that take a text with values: `format!`, `panic!`, `bail!`, `info!` and their kin.
//!
//! Besides positional and named arguments this reads the fields of tracing (`name = %value`, `?value`, `a.b`) and of
//! log (`target: "x"`, `"a" => b`).

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Lit, Token};

use super::context::Lower;
use crate::frontend::rust::tree::MacroArgs;
use crate::name::Name;

/// How many values stand before the text may come; `None` for other macros.
pub fn leading_values(name: &str) -> Option<usize> {
    Some(match name {
        "format" | "print" | "println" | "eprint" | "eprintln" | "panic" | "todo" | "unimplemented" | "unreachable"
        | "format_args" | "anyhow" | "eyre" | "bail" | "format_err" | "trace" | "debug" | "info" | "warn" | "error"
        | "log" | "event" | "span" | "trace_span" | "debug_span" | "info_span" | "warn_span" | "error_span" => 0,
        "write" | "writeln" | "assert" | "debug_assert" | "ensure" => 1,
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => 2,
        _ => return None,
    })
}

/// What is read of the arguments.
#[derive(Default)]
struct Parsed {
    text: Option<String>,
    args: Vec<Expr>,
    /// Names given to arguments: not captured from outside.
    named: Vec<String>,
}

impl Lower<'_> {
    pub fn format(&mut self, tokens: TokenStream, leading: usize) -> Option<MacroArgs> {
        let parsed = (|input: ParseStream| elements(input, leading)).parse2(tokens).ok()?;
        let args = self.exprs(parsed.args.iter());
        let Some(text) = parsed.text else {
            return Some(MacroArgs::List(args));
        };
        let mut captures: Vec<Name> = Vec::new();
        for name in captured(&text) {
            let name = self.name(name);
            if !parsed.named.iter().any(|n| name == n.as_str()) && !captures.contains(&name) {
                captures.push(name);
            }
        }
        Some(MacroArgs::Format { text: self.name(&text), args, captures })
    }
}

fn elements(input: ParseStream, leading: usize) -> syn::Result<Parsed> {
    let mut parsed = Parsed::default();
    while !input.is_empty() {
        element(input, leading, &mut parsed)?;
        if input.is_empty() {
            break;
        }
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
        } else {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(parsed)
}

fn element(input: ParseStream, leading: usize, parsed: &mut Parsed) -> syn::Result<()> {
    // `target: "x"`, `parent: span`
    if input.peek(Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        parsed.args.push(input.parse()?);
        return Ok(());
    }
    if let Some(name) = field_name(input)? {
        parsed.named.push(name);
    } else if input.peek(syn::LitStr) && input.peek2(Token![=]) {
        input.parse::<syn::LitStr>()?;
        skip_sign(input)?;
    } else if parsed.text.is_none() && parsed.args.len() >= leading && text_follows(input) {
        parsed.text = Some(input.parse::<syn::LitStr>()?.value());
        return Ok(());
    }
    // Sigils of tracing: `%` and `?` begin no expression.
    if input.peek(Token![%]) {
        input.parse::<Token![%]>()?;
    } else if input.peek(Token![?]) {
        input.parse::<Token![?]>()?;
    }
    parsed.args.push(input.parse()?);
    Ok(())
}

fn text_follows(input: ParseStream) -> bool {
    let end = input.fork();
    matches!(end.parse::<Lit>(), Ok(Lit::Str(_))) && (end.is_empty() || end.peek(Token![,]) || end.peek(Token![;]))
}

/// `name =`, `http.status =`; takes nothing if something else stands there.
fn field_name(input: ParseStream) -> syn::Result<Option<String>> {
    if !input.peek(Ident::peek_any) || !(input.peek2(Token![=]) || input.peek2(Token![.])) {
        return Ok(None);
    }
    let ahead = input.fork();
    let mut name = ahead.call(Ident::parse_any)?.to_string();
    while ahead.peek(Token![.]) && ahead.peek2(Ident::peek_any) {
        ahead.parse::<Token![.]>()?;
        name = ahead.call(Ident::parse_any)?.to_string();
    }
    if !ahead.peek(Token![=]) || ahead.peek(Token![==]) || ahead.peek(Token![=>]) {
        return Ok(None);
    }
    skip_sign(&ahead)?;
    syn::parse::discouraged::Speculative::advance_to(input, &ahead);
    Ok(Some(name))
}

/// `=` or `=>`.
fn skip_sign(input: ParseStream) -> syn::Result<()> {
    if input.peek(Token![=>]) {
        input.parse::<Token![=>]>()?;
    } else {
        input.parse::<Token![=]>()?;
    }
    Ok(())
}

/// Names inside of the braces of a format text: `{host}`, `{x:>width$}`.
fn captured(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let (name, spec) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        found.extend(identifier(name.trim()));
        for part in spec.split('$').rev().skip(1) {
            let start = part.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |i| i + 1);
            found.extend(part.get(start..).and_then(identifier));
        }
        rest = &rest[close + 1..];
    }
    found
}

fn identifier(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let whole = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (whole && (first.is_alphabetic() || first == '_')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::captured;

    #[test]
    fn captures() {
        assert_eq!(
            captured("http://{host}:{port:?}/{{id}}/{0}/{}/{x:>width$.prec$}"),
            ["host", "port", "x", "prec", "width"]
        );
        assert_eq!(captured("{é} {a.b} {"), ["é"]);
    }
}
