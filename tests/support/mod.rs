//! What the tests over inputs share: marks, runs, and the comparison of the two.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod compare;
pub mod marks;
pub mod names;
pub mod runs;
