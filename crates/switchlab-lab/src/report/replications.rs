//! Single replications as text, for those who want to see what means are made of.

use crate::compare::Comparison;
use crate::numbers::significant;
use crate::outcome::Outcome;
use crate::run::Measured;
use crate::statistics::transient;
use crate::text_table::TextTable;

/// A table with a line for each replication of each switch. `warm-up` is what MSER-5 finds of the
/// measured slots to belong to it.
pub fn table(comparison: &Comparison) -> TextTable {
    let head = ["switch", "replication", "mean delay", "p99", "max", "throughput", "backlog", "at the end", "warm-up"];
    let mut table = TextTable::of_figures(head);
    for outcome in &comparison.switches {
        let name = outcome.label();
        for (replication, run) in outcome.runs.iter().enumerate() {
            table.push(row(&name, replication, run));
        }
    }
    table
}

fn row(name: &str, replication: usize, run: &Measured) -> [String; 9] {
    let none = || "none".to_string();
    let found = transient(&run.timeline);
    [
        name.to_string(),
        replication.to_string(),
        run.mean_delay().map_or_else(none, significant),
        run.delays.quantile(990).map_or_else(none, |delay| delay.to_string()),
        if run.delays.count() > 0 { run.delays.max().to_string() } else { none() },
        significant(run.throughput()),
        significant(run.mean_backlog()),
        run.backlog_end.to_string(),
        if found.reliable { found.slots.to_string() } else { "no end".to_string() },
    ]
}

/// How many slots were run in all, the warm-up included.
pub fn slots(comparison: &Comparison) -> u64 {
    let of = |outcome: &Outcome| outcome.runs.iter().map(|run| run.warmup + run.slots).sum::<u64>();
    comparison.switches.iter().map(of).sum()
}
