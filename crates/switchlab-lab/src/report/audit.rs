//! Audits as JSON and as text.

use super::table::load;
use crate::audit::Audit;
use crate::export::Table;
use crate::numbers::significant;
use crate::plan::{Plan, Warmup};
use crate::prose::wrap;
use crate::text_table::{Column, TextTable};
use serde::Serialize;
use std::fmt::Write;
use switchlab_core::switch::Promise;

/// One audit, as JSON.
#[derive(Debug, Serialize)]
pub struct AuditReport {
    switch: String,
    slots: u64,
    /// The weight that the switch promises not to lose more of in a slot; null if it promises
    /// nothing.
    promised_loss: Option<u64>,
    losses: Option<u64>,
    largest_loss: Option<u64>,
    /// Of all slots, those with a matching of maximum weight.
    maximum_weight: Option<f64>,
    /// All weights over all maxima.
    weight: Option<f64>,
    violations: Vec<(u64, String)>,
    more_violations: u64,
}

impl AuditReport {
    /// The report of an audit.
    pub fn new(audit: &Audit) -> Self {
        Self {
            switch: audit.spec.clone(),
            slots: audit.slots,
            promised_loss: audit.promise.allowed_loss(),
            losses: audit.losses.map(|(times, _)| times),
            largest_loss: audit.losses.map(|(_, most)| most),
            maximum_weight: audit.maximum.map(|(times, _)| times as f64 / audit.slots.max(1) as f64),
            weight: audit.maximum.map(|(_, share)| share),
            violations: audit.violations.iter().map(|violation| (violation.slot, violation.what.clone())).collect(),
            more_violations: audit.more_violations,
        }
    }
}

/// Audits for programs: a row for each switch, without the violations themselves.
pub fn data(audits: &[Audit]) -> Table {
    let rows: Vec<AuditReport> = audits.iter().map(AuditReport::new).collect();
    let mut table = Table::new(rows.len());
    table.text("switch", &rows, |row| row.switch.clone());
    table.count("slots", &rows, |row| Some(row.slots));
    table.count("promised_loss", &rows, |row| row.promised_loss);
    table.count("losses", &rows, |row| row.losses);
    table.count("largest_loss", &rows, |row| row.largest_loss);
    table.real("maximum_weight", &rows, |row| row.maximum_weight);
    table.real("weight", &rows, |row| row.weight);
    table.count("violations", &rows, |row| Some(row.violations.len() as u64 + row.more_violations));
    table
}

/// Audits as text. `markdown` has tables in Markdown.
pub fn text(plan: &Plan, audits: &[Audit], width: usize, markdown: bool) -> String {
    let begin = match plan.warmup {
        Warmup::Slots(slots) if slots > 0 => format!("after a warm-up of {slots}"),
        _ => "from the empty switch on".to_string(),
    };
    let what = format!(
        "{} ports, traffic {}, arrivals {}, {}, seed {}; {} slots {begin}",
        plan.ports,
        plan.traffic_spec,
        plan.arrivals_spec,
        load(plan),
        plan.seed,
        plan.slots
    );
    let mut table = TextTable::new([
        Column::left("switch"),
        Column::right("weight fell").optional(1),
        Column::right("by at most").optional(2),
        Column::right("promised").optional(4),
        Column::right("at maximum").optional(3),
        Column::right("mean weight"),
        Column::right("violations"),
    ]);
    let dash = || "-".to_string();
    for audit in audits {
        let report = AuditReport::new(audit);
        let percent = |share: f64| significant(100.0 * share);
        table.push([
            audit.label(),
            audit.losses.map_or_else(dash, |(times, _)| format!("in {times} slots")),
            audit.losses.map_or_else(dash, |(_, most)| most.to_string()),
            match audit.promise {
                Promise::None => dash(),
                Promise::NonDegenerative => "never".to_string(),
                Promise::Degenerative(most) => format!("by {most}"),
            },
            report.maximum_weight.map_or_else(dash, |share| format!("{} % of slots", percent(share))),
            report.weight.map_or_else(dash, |share| format!("{} % of maximum", percent(share))),
            (audit.violations.len() as u64 + audit.more_violations).to_string(),
        ]);
    }
    let (table, left_out) = if markdown {
        (table.markdown(), Vec::new())
    } else {
        let (table, left_out) = table.fit(width);
        (table.to_string(), left_out)
    };
    let width = width.min(100);
    let mut text = format!("{}\n\n{table}", wrap(&what, width, 2));
    if !left_out.is_empty() {
        let note = format!("not shown for want of room: {}; --json has everything", left_out.join(", "));
        let _ = writeln!(text, "\n{}", wrap(&note, width, 2));
    }
    for audit in audits {
        for violation in &audit.violations {
            let line = format!("{}, slot {}: {}", audit.label(), violation.slot, violation.what);
            let _ = write!(text, "\n{}", wrap(&line, width, 2));
        }
        if audit.more_violations > 0 {
            let _ = write!(text, "\n{}: and {} more", audit.label(), audit.more_violations);
        }
    }
    if audits.iter().all(|audit| audit.violations.is_empty()) {
        let checked = "in every slot: no cell is lost or made, cells leave as they were matched, flows stay in order, and the weight of the matching falls by no more than is promised";
        let _ = write!(text, "\n{}", wrap(checked, width, 2));
    }
    text + "\n"
}
