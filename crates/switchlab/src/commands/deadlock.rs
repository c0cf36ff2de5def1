//! `switchlab deadlock`.

use crate::cli::deadlock::{DeadlockArgs, Distribution, Merge};
use crate::interrupt;
use crate::output::{self, Incomplete};
use std::path::Path;
use switchlab_core::deadlock;
use switchlab_lab::deadlock::{Inquiry, draw};
use switchlab_lab::files::{prepare_folder, replace};
use switchlab_lab::progress::SearchProgress;
use switchlab_lab::report::deadlock::{DeadlockReport, circle, csv};

pub(crate) fn find(arguments: &DeadlockArgs) -> anyhow::Result<()> {
    let inquiry = Inquiry {
        ports: arguments.ports,
        radix: arguments.radix,
        distribution: match arguments.distribution {
            Distribution::Rr => deadlock::Distribution::RoundRobin,
            Distribution::Ic => deadlock::Distribution::ImbalanceCount,
        },
        merge: match arguments.merge {
            Merge::Any => "any",
            Merge::Random => "random",
            Merge::Fixed => "fixed",
            Merge::RoundRobin => "round-robin",
        }
        .to_string(),
        distribution_buffer: arguments.distribution_buffer,
        routing_buffer: arguments.routing_buffer,
        states: usize::try_from(arguments.states).unwrap_or(usize::MAX),
        steps: arguments.steps,
        slots: arguments.slots,
        seed: arguments.seed,
    };
    if let Some(out) = &arguments.out {
        prepare_folder(out)?;
    }
    let mut progress = SearchProgress::new(inquiry.announcement(), interrupt::flag());
    let finding = inquiry.answer(&mut progress)?;
    let (mut trace, mut failed) = (None, Vec::new());
    let mut write =
        |file: &Path, text: &str| replace(file, text.as_bytes()).map_err(|error| failed.push(error)).is_ok();
    if let Some(out) = &arguments.out {
        if let Some((_, waits)) = &finding.circle {
            write(&out.join("model.svg"), &draw(arguments.ports, arguments.radix, waits));
        }
        if let Some((_, _, Some(found))) = &finding.fabric {
            let file = out.join("trace.csv");
            trace = write(&file, &csv(&found.arrivals)).then(|| file.display().to_string());
            write(&out.join("fabric.svg"), &draw(arguments.ports, arguments.radix, circle(found)));
        }
    }
    let report = DeadlockReport::new(&finding);
    let said = if arguments.json { output::say_json(&report) } else { output::say(&report.text(trace.as_deref())) };
    output::all_written(failed).and(said)?;
    if finding.stopped {
        return Err(Incomplete("stopped; the search is not finished".to_string()).into());
    }
    Ok(())
}
