//! Paths as descriptions write them, relative to a folder of the input.

/// The folder that holds a file or a folder, empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path as seen from a folder, without `.` and `..`. `None`: it is no path of the input (absolute, or an address).
pub fn join(folder: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) || path.contains("://") || path.contains("{}") || path.contains('\\') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// Whether a path is a folder or lies below it; the empty folder holds everything that is not above it.
pub fn within(path: &str, folder: &str) -> bool {
    if folder.is_empty() {
        return !path.starts_with("..");
    }
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_without_dots() {
        assert_eq!(join("deploy/dev", "../../services/a").as_deref(), Some("services/a"));
        assert_eq!(join("", ".").as_deref(), Some(""));
        assert_eq!(join("", "../x").as_deref(), Some("../x"));
        assert_eq!(join("a", "/etc/x"), None);
        assert_eq!(join("a", "https://github.com/x/y.git"), None);
        assert!(within("a/b", "a") && within("a", "a") && within("a", "") && !within("ab", "a") && !within("../a", ""));
    }
}
