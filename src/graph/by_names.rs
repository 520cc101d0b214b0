//! Routes that are found by the name that is called: which of them mean a name, and whose calls they take.

use rustc_hash::FxHashMap;

use super::nearby::in_any_namespace;
use super::routes::is_named;
use crate::fact::{ByName, Callers, Sidecar};

#[derive(Default)]
pub struct ByNames<'a> {
    all: &'a [ByName],
    exact: FxHashMap<&'a str, Vec<usize>>,
    /// Those with a name that begins with `*`.
    wild: Vec<usize>,
}

impl<'a> ByNames<'a> {
    pub fn new(all: &'a [ByName]) -> ByNames<'a> {
        let mut found = ByNames { all, ..ByNames::default() };
        for (i, one) in all.iter().enumerate() {
            for name in one.entrance.hosts.iter().flat_map(|h| &h.names) {
                match name.starts_with('*') {
                    true => found.wild.push(i),
                    false => found.exact.entry(name).or_default().push(i),
                }
            }
        }
        found
    }

    /// Those that mean a name: exactly, in a namespace that they do not say, or by a wildcard.
    pub fn named(&self, name: &str) -> Vec<usize> {
        let exact = |name: &str| self.exact.get(name).cloned();
        let anywhere = || exact(&in_any_namespace(name)?);
        let wild = || -> Vec<usize> {
            let named = |i: &&usize| self.all[**i].entrance.hosts.iter().any(|h| is_named(h, name));
            self.wild.iter().filter(named).copied().collect()
        };
        exact(name).or_else(anywhere).unwrap_or_else(wild)
    }
}

/// Whether routes take the calls of one that has such a proxy beside it.
pub fn takes(callers: Callers, sidecar: Sidecar) -> bool {
    match (callers, sidecar) {
        (Callers::Everybody, _) => true,
        (Callers::MayHave(Some(mesh)), Sidecar::Of(own)) | (Callers::Has(mesh), Sidecar::Of(own)) => mesh == own,
        (Callers::MayHave(_), sidecar) => sidecar != Sidecar::None,
        (Callers::Has(_), Sidecar::Unknown | Sidecar::None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Entrance, Mesh, VirtualHost};
    use crate::source::FileId;

    fn named(names: &[&str]) -> ByName {
        let names = names.iter().map(|n| (*n).into()).collect();
        let hosts = vec![VirtualHost { names, routes: Vec::new() }];
        ByName { entrance: Entrance { file: FileId(0), listens: Vec::new(), hosts }, callers: Callers::Everybody }
    }

    #[test]
    fn names_are_exact_or_in_any_namespace_or_wild() {
        let all = [named(&["a", "a.*.svc"]), named(&["b.shop.svc"]), named(&["*.shop.example"])];
        let routes = ByNames::new(&all);
        assert_eq!(routes.named("a"), [0]);
        assert_eq!(routes.named("a.shop.svc.cluster.local"), [0]);
        assert_eq!(routes.named("b.shop.svc"), [1]);
        assert_eq!(routes.named("www.shop.example"), [2]);
        assert!(routes.named("b").is_empty() && routes.named("shop.example").is_empty());
    }

    #[test]
    fn what_nobody_wrote_needs_a_proxy_that_is_surely_there() {
        let (istio, linkerd) = (Sidecar::Of(Mesh::Istio), Sidecar::Of(Mesh::Linkerd));
        let may = Callers::MayHave(Some(Mesh::Istio));
        assert!(takes(may, istio) && takes(may, Sidecar::Unknown) && !takes(may, Sidecar::None));
        assert!(!takes(may, linkerd) && takes(Callers::MayHave(None), linkerd));
        let has = Callers::Has(Mesh::Istio);
        assert!(takes(has, istio) && !takes(has, linkerd) && !takes(has, Sidecar::Unknown));
        assert!(takes(Callers::Everybody, Sidecar::None));
    }
}
