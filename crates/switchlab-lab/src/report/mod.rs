//! Results as JSON and as text.

pub mod audit;
pub mod claims;
pub mod deadlock;
mod decision;
pub mod experiment;
pub mod json;
pub mod limit;
pub mod memories;
pub mod replications;
pub mod stable;
pub mod step;
pub mod table;

pub use json::Report;
