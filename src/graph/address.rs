//! Addresses as code writes them, taken apart as far as they are constant: `{}` stands for what is not.

/// `http://payments:8080/orders/{}`: everything that is not known is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address {
    pub host: Option<String>,
    /// The port as written.
    pub port: Option<u16>,
    /// The port that the scheme means if none is written.
    pub usual: Option<u16>,
    /// Begins with `/`.
    pub path: Option<String>,
}

impl Address {
    pub fn parse(text: &str) -> Address {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(cut);
        let tail = tail.split(['?', '#']).next().unwrap_or_default();
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        // `http://payments{}`: what comes after the host is not known, so its path is not either.
        let (authority, open) = match authority.strip_suffix("{}") {
            Some(host) if !host.is_empty() && !host.ends_with([':', '.']) => (host, true),
            _ => (authority, false),
        };
        let (host, port) = split_port(authority);
        let known = !host.is_empty() && !host.contains("{}");
        Address {
            host: known.then(|| host.to_ascii_lowercase()),
            port: port.parse().ok(),
            usual: usual_port(scheme),
            path: (!open && tail.starts_with('/')).then(|| tail.to_owned()),
        }
    }

    /// `payments:8080`; the scheme's own port is left out.
    pub fn shown(&self) -> Option<String> {
        let host = self.host.as_ref()?;
        Some(match self.port {
            Some(port) if Some(port) != self.usual => format!("{host}:{port}"),
            _ => host.clone(),
        })
    }

    /// Whether a host of the settings means this address; without a port any port fits.
    pub fn is_at(&self, pattern: &str) -> bool {
        let (host, port) = split_port(pattern.trim());
        let same = self.host.as_deref().is_some_and(|h| h.eq_ignore_ascii_case(host));
        same && (port.is_empty() || port.parse().ok() == self.port.or(self.usual))
    }
}

/// Host and port; an IPv6 address keeps its brackets.
fn split_port(authority: &str) -> (&str, &str) {
    let from = authority.rfind(']').unwrap_or(0);
    match authority[from..].rfind(':') {
        Some(colon) => (&authority[..from + colon], &authority[from + colon + 1..]),
        None => (authority, ""),
    }
}

fn usual_port(scheme: &str) -> Option<u16> {
    Some(match scheme.split('+').next().unwrap_or_default() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "postgres" | "postgresql" => 5432,
        "mysql" | "mariadb" => 3306,
        "redis" | "rediss" => 6379,
        "amqp" => 5672,
        "amqps" => 5671,
        "mongodb" => 27017,
        "nats" => 4222,
        _ => return None,
    })
}

/// Whether a request's path can be one that a handler is registered for. `{}` fits any segment, `*` any rest.
pub fn paths_fit(asked: &str, registered: &str) -> bool {
    let segments = |path: &str| -> Vec<String> { path.trim_matches('/').split('/').map(str::to_owned).collect() };
    let (asked, registered) = (segments(asked), segments(registered));
    for (i, want) in registered.iter().enumerate() {
        // What is asked for may go on in any way from here: `/api/{*}`.
        if want.contains('*') || asked.get(i).is_some_and(|have| have == "{*}") {
            return true;
        }
        match asked.get(i) {
            Some(have) if have == want || have.contains("{}") || want.contains('{') => {}
            _ => return false,
        }
    }
    asked.len() == registered.len() || asked.get(registered.len()).is_some_and(|have| have == "{*}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_port_is_left_out() {
        assert_eq!(Address::parse("http://Payments:80/x?y=1").shown().as_deref(), Some("payments"));
        assert_eq!(Address::parse("http://payments:8080").shown().as_deref(), Some("payments:8080"));
        assert_eq!(Address::parse("postgres://u:p@db.internal:5432/app").shown().as_deref(), Some("db.internal"));
        assert_eq!(Address::parse("http://[::1]:8080/x").shown().as_deref(), Some("[::1]:8080"));
        assert_eq!(Address::parse("db.internal:5432").shown().as_deref(), Some("db.internal:5432"));
    }

    #[test]
    fn what_is_not_constant_is_not_known() {
        assert_eq!(Address::parse("http://{}/charge").host, None);
        assert_eq!(Address::parse("http://{}/charge").path.as_deref(), Some("/charge"));
        let open = Address::parse("http://payments:8080{}");
        assert_eq!((open.shown().as_deref(), open.path), (Some("payments:8080"), None));
        assert_eq!(Address::parse("").host, None);
    }

    #[test]
    fn hosts_of_the_settings() {
        let address = Address::parse("http://payments/charge");
        assert!(address.is_at("payments") && address.is_at("payments:80") && !address.is_at("payments:8080"));
        assert!(!address.is_at("payment"));
    }

    #[test]
    fn path_parameters_fit_any_segment() {
        assert!(paths_fit("/orders/7", "/orders/{}") && paths_fit("/orders/{}", "/orders/new"));
        assert!(paths_fit("/orders/", "/orders") && paths_fit("/files/a/b", "/files/{*}"));
        assert!(!paths_fit("/orders", "/orders/{}") && !paths_fit("/orders/7/items", "/orders/{}"));
    }
}
