//! SERENADE, message by message (paper 002).

pub mod rules;
pub mod sketch;

pub use rules::{Consistency, Leader, Populate, Prune, Rules, Tie, Variant};
