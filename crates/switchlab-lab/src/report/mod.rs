//! Results for programs and for people.

pub mod distribution;
pub mod json;
pub mod table;

pub use json::Report;
