//! Audits as JSON and as text.

use super::table::significant;
use crate::audit::Audit;
use crate::text_table::TextTable;
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

/// Audits as text.
pub fn text(audits: &[Audit]) -> String {
    let head =
        ["switch", "slots", "weight fell", "at most by", "promised", "maximum weight", "of the maximum", "violations"];
    let mut table = TextTable::of_figures(head);
    let dash = || "-".to_string();
    for audit in audits {
        let report = AuditReport::new(audit);
        let percent = |share: f64| format!("{} %", significant(100.0 * share));
        table.push([
            audit.spec.clone(),
            audit.slots.to_string(),
            audit.losses.map_or_else(dash, |(times, _)| format!("{times} times")),
            audit.losses.map_or_else(dash, |(_, most)| most.to_string()),
            match audit.promise {
                Promise::None => dash(),
                Promise::NonDegenerative => "never".to_string(),
                Promise::Degenerative(most) => format!("by {most}"),
            },
            report.maximum_weight.map_or_else(dash, percent),
            report.weight.map_or_else(dash, percent),
            (audit.violations.len() as u64 + audit.more_violations).to_string(),
        ]);
    }
    let mut text = table.to_string();
    for audit in audits {
        for violation in &audit.violations {
            let _ = writeln!(text, "{}, slot {}: {}", audit.spec, violation.slot, violation.what);
        }
        if audit.more_violations > 0 {
            let _ = writeln!(text, "{}: and {} more", audit.spec, audit.more_violations);
        }
    }
    text
}
