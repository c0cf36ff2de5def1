//! `switchlab audit`.

use crate::cli::Shape;
use crate::output::CheckFailed;
use crate::{cli, output};
use switchlab_lab::audit::{audit as audit_all, plan};
use switchlab_lab::report::audit::{AuditReport, data, text};
use switchlab_lab::{Progress, Request};

pub(crate) fn audit(arguments: cli::AuditArgs) -> anyhow::Result<()> {
    let shape = arguments.form.shape();
    let plan = plan(&Request::from(arguments))?;
    let audits = audit_all(&plan, &Progress::new())?;
    match shape {
        Shape::Json => output::say_json(&audits.iter().map(AuditReport::new).collect::<Vec<_>>())?,
        Shape::Csv => output::say(&data(&audits).csv_text())?,
        shape => output::say(&text(&plan, &audits, output::width(), shape == Shape::Markdown))?,
    }
    let failed: Vec<&str> =
        audits.iter().filter(|audit| !audit.violations.is_empty()).map(|audit| audit.spec.as_str()).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(CheckFailed(format!("violations were found in: {}", failed.join(", "))).into())
    }
}
