//! Results as JSON and as text.

pub mod audit;
pub mod deadlock;
pub mod distribution;
pub mod experiment;
pub mod json;
pub mod limit;
pub mod memories;
pub mod stable;
pub mod step;
pub mod table;

pub use json::Report;
