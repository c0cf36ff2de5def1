//! The command that matches rankings.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
The file is CSV or JSON. Rows and columns are numbered from 0; ranks begin with 1, the best, and equal ranks are ties. A pair that only one side ranks is absent. In CSV, \
blank lines and lines that begin with # are skipped.

Two lists of rankings, as CSV. After `rows: order` a line for each row names columns, the best first, 1=2 for a tie; `-` for an empty ranking. After `rows: ranks` a line for each \
row holds the rank of every column, `-` or nothing for an absent one. `columns: order` and `columns: ranks` likewise:
    rows: order          rows: ranks
    2,3,0,1              3,4,1,2
    0,1,2,3              1,2,3,4
    columns: order       columns: ranks
    1,0                  2,1
    ...                  ...
A ranking matrix, as CSV: a line for each row, in each field the row's rank and the column's, `-` or nothing for an absent pair:
    3/3, 4/1, 1/1, 2/3
JSON: {\"rows\": {\"order\": [[2,3,0,1], ...]}, \"columns\": {\"ranks\": [[3,2,1,4], ...]}} with [1,[2,3]] for a tie and null for an absent rank, \
or {\"matrix\": [[[3,3],[4,1],null], ...]}

Where FIND_ROOTS stops early, that is said, with a cycle as the reason, and Gale-Shapley finishes.

Examples:
  switchlab match example1.csv
  switchlab match example1.csv --steps --dot graph.dot
  switchlab match example1.csv --algorithm gale-shapley --json")]
pub(crate) struct MatchArgs {
    /// The rankings, as CSV or JSON
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// How to find the matching
    #[arg(long, value_enum, default_value_t = Algorithm::FindRoots)]
    pub(crate) algorithm: Algorithm,

    /// Show each iteration: its roots and the graph that is left; of Gale-Shapley, each round's
    /// proposals
    #[arg(long)]
    pub(crate) steps: bool,

    /// Write the dependency graph to this file, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,

    /// Print one JSON object on stdout, all steps included
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Match all pairs that rank each other first, repeatedly
    FindRoots,
    /// Rows propose, columns keep the best
    GaleShapley,
}
