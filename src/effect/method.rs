//! Layers that look at the method of a request before they repeat it.

use crate::class::Endings;
use crate::name::Name;

/// Requests of which a layer repeats less, or nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct ByMethod {
    pub methods: Methods,
    /// After which endings these are tried again.
    pub again: Endings,
}

/// Methods in upper case.
#[derive(Clone, PartialEq, Debug)]
pub enum Methods {
    These(Vec<Name>),
    AllBut(Vec<Name>),
}

impl Methods {
    pub fn has(&self, method: &Name) -> bool {
        match self {
            Methods::These(all) => all.contains(method),
            Methods::AllBut(others) => !others.contains(method),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_lets_its_own_methods_pass_alone() {
        let [get, put, post] = ["GET", "PUT", "POST"].map(Name::new);
        let gate = Methods::AllBut(vec![get.clone()]);
        assert!(!gate.has(&get) && gate.has(&put) && gate.has(&post));
        assert!(!Methods::These(vec![post.clone()]).has(&put) && Methods::These(vec![post.clone()]).has(&post));
    }
}
