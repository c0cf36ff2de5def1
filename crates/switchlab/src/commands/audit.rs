//! `switchlab audit`.

use crate::output::CheckFailed;
use crate::{cli, output};
use switchlab_lab::report::audit::{AuditReport, text};
use switchlab_lab::{Progress, Request};

pub(crate) fn audit(arguments: cli::AuditArgs) -> anyhow::Result<()> {
    let json = arguments.json.json;
    let audits = switchlab_lab::audit::audit(&Request::from(arguments), &Progress::new())?;
    if json {
        let reports: Vec<AuditReport> = audits.iter().map(AuditReport::new).collect();
        output::say_json(&reports)?;
    } else {
        output::say(&text(&audits))?;
    }
    let failed: Vec<&str> =
        audits.iter().filter(|audit| !audit.violations.is_empty()).map(|audit| audit.spec.as_str()).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(CheckFailed(format!("violations were found in: {}", failed.join(", "))).into())
    }
}
