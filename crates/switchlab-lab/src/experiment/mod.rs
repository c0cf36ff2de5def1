//! Experiments: points to run, figures to draw, claims to evaluate.
//!
//! ```text
//!   TOML ──parse──► Experiment ──points──► Point specs
//!        ──sweep──► Results ──► figures, claims, tables
//! ```
//!
//! An experiment is a grid: every switch on every traffic, arrival process, number of ports and
//! load. Words in braces in a spec, as in `unbalanced(w={w})`, take the values that `[vary]` lists.

mod axes;
mod bound;
mod check;
mod claim;
mod length;
mod parse;
mod point;
mod read_claims;
mod read_figures;

pub use claim::{Claim, Expected, Predicate, Select};
pub use length::Length;
pub(crate) use parse::braced;
pub use parse::{Loaded, Mode, Origin};
pub(crate) use point::fill;
pub use point::{PointSpec, ResultPoint, Results};
pub(crate) use read_figures::known_metric;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A resolved experiment: every default filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// A short name, from the file's name: letters, digits and hyphens.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Where it is from: the paper and its figure, table or section.
    pub source: String,
    /// Switch specs.
    pub switches: Vec<String>,
    /// Numbers of ports. None for traces that have their own.
    pub ports: Vec<usize>,
    /// Traffic specs.
    pub traffic: Vec<String>,
    /// Arrival process specs.
    pub arrivals: Vec<String>,
    /// Loads. None for traces, which have their own.
    pub loads: Vec<f64>,
    /// Variables in braces, and their values.
    pub vary: BTreeMap<String, Vec<f64>>,
    /// Slots to measure; 0 for traces that are run until the switch is empty.
    pub slots: u64,
    /// Slots to run before.
    pub warmup: u64,
    /// Other lengths for some of the points. The last one that selects a point counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<Length>,
    /// Replications of each point.
    pub replications: u32,
    /// Go on until the relative half-width of the mean delay is this small.
    pub precision: Option<f64>,
    /// At most this many replications of a point, for precision or for a claim that is undecided.
    pub most_replications: u32,
    /// The seed.
    pub seed: u64,
    /// The figures to draw.
    pub figures: Vec<Figure>,
    /// The claims to evaluate.
    pub claims: Vec<Claim>,
}

/// A figure of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// A short name, unique in the experiment.
    pub id: String,
    /// The title above the chart.
    pub title: String,
    /// What is on the horizontal axis: `load`, `ports` or a variable of `[vary]`.
    pub x: String,
    /// The metric on the vertical axis, as [`ResultPoint::metric`] names it.
    pub y: String,
    /// What tells the lines apart: `switch`, `traffic`, `arrivals`, `ports`, `load` or a variable.
    pub series: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis.
    pub y_label: String,
    /// Which points are shown.
    pub select: Select,
    /// Curves to compare with: a name and (x, y) pairs, as printed in the source or in closed form.
    pub references: Vec<(String, Vec<(f64, f64)>)>,
    /// The line by which a second panel divides the others: a value of `series`, or the name of a
    /// spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<String>,
}
