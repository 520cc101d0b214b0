//! Paths as parts of addresses. Whatever is no plain letter, digit or one of `-._~` becomes an escape, so that no file name
//! can end an address, add to it or lead elsewhere.

/// A relative path, its folders kept apart by `/`.
pub fn path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes() {
        assert_eq!(super::path("a b/ü#?%:.rs"), "a%20b/%C3%BC%23%3F%25%3A.rs");
    }
}
