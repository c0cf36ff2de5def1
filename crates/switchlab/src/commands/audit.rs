//! `switchlab audit`.

use crate::output::CheckFailed;
use crate::{cli, output};
use switchlab_lab::report::audit::{AuditReport, text};
use switchlab_lab::{Progress, Request};

pub(crate) fn audit(arguments: cli::Audit) -> anyhow::Result<()> {
    let request = Request {
        switches: arguments.switches,
        ports: arguments.ports,
        traffic: arguments.traffic,
        load: arguments.load,
        arrivals: arguments.arrivals,
        slots: Some(arguments.slots),
        seed: arguments.seed,
        ..Request::default()
    };
    let audits = switchlab_lab::audit::audit(&request, &Progress::new())?;
    if arguments.json {
        let reports: Vec<AuditReport> = audits.iter().map(AuditReport::new).collect();
        output::say(&(serde_json::to_string_pretty(&reports)? + "\n"))?;
    } else {
        output::say(&text(&audits))?;
    }
    let failed: Vec<&str> =
        audits.iter().filter(|audit| !audit.violations.is_empty()).map(|audit| audit.spec.as_str()).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(CheckFailed(format!("not as it must be or promises to be: {}", failed.join(", "))).into())
    }
}
