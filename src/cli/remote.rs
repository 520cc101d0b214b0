//! The address under which a file of a remote repository can be looked at. What is not surely known gives none: a link goes
//! into a review comment, and the remote is text of the repository.

/// The address of files at a commit, ending in `/`; for GitHub and GitLab, whatever their host is called as long as it says so.
pub fn files_at(remote: &str, commit: &str) -> Option<String> {
    let (host, path) = host_and_path(remote)?;
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
    let parts: Vec<&str> = path.split('/').collect();
    let named = parts.iter().all(|p| !matches!(*p, "" | "." | "..") && plain(p));
    if parts.len() < 2 || !named || !plain(host) || !commit.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let says = |name: &str| host.split('.').any(|label| label == name);
    match (says("github"), says("gitlab")) {
        (true, false) => Some(format!("https://{host}/{path}/blob/{commit}/")),
        (false, true) => Some(format!("https://{host}/{path}/-/blob/{commit}/")),
        _ => None,
    }
}

/// Without user, password, port and `.git`.
fn host_and_path(remote: &str) -> Option<(&str, &str)> {
    let (authority, path) = match remote.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => remote.split_once(':')?,
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.trim_matches('/');
    Some((host, path.strip_suffix(".git").unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::files_at;

    #[test]
    fn forms() {
        let github = Some("https://github.com/o/r/blob/abc/".to_string());
        for remote in ["https://github.com/o/r", "https://github.com/o/r.git", "https://user:secret@github.com/o/r.git"]
        {
            assert_eq!(files_at(remote, "abc"), github, "{remote}");
        }
        // A host with a colon after it, as ssh has it.
        let with_colon = |before: &str, after: &str| [before, "github.com", ":", after].concat();
        assert_eq!(files_at(&with_colon("git@", "o/r.git"), "abc"), github);
        assert_eq!(files_at(&with_colon("ssh://git@", "22/o/r.git"), "abc"), github);
        let gitlab = Some("https://gitlab.x.org/g/s/r/-/blob/abc/".to_string());
        assert_eq!(files_at("git@gitlab.x.org:g/s/r.git", "abc"), gitlab);
        for remote in [
            "",
            "/srv/git/r.git",
            "ext::sh -c x",
            "https://x.org/o/r",
            "file://github.com/o/r",
            "https://github.com/o/r)](http://x",
            "https://github.com/../r",
            "https://evil.org/github.com/o/r",
            "https://gitlab.github.com/o/r",
        ] {
            assert_eq!(files_at(remote, "abc"), None, "{remote}");
        }
        assert_eq!(files_at("https://github.com/o/r", "a/b"), None);
    }
}
