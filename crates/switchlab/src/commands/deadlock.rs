//! `switchlab deadlock`.

use crate::cli::deadlock::{DeadlockArgs, Distribution, Merge, Pointers};
use crate::interrupt;
use crate::output::{self, Incomplete};
use std::path::Path;
use switchlab_core::switch::failure::Wait;
use switchlab_lab::LabError;
use switchlab_lab::deadlock::{Inquiry, draw};
use switchlab_lab::files::{prepare_folder, replace};
use switchlab_lab::plot::Size;
use switchlab_lab::progress::SearchProgress;
use switchlab_lab::prose::wrap;
use switchlab_lab::report::deadlock::{DeadlockReport, circle, csv};
use switchlab_theory::deadlock;

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
        output_buffers: (arguments.distribution_output, arguments.routing_output),
        pointers: match arguments.pointers {
            Pointers::Zero => deadlock::search::Pointers::Zero,
            Pointers::All => deadlock::search::Pointers::All,
        },
        states: usize::try_from(arguments.states).unwrap_or(usize::MAX),
        steps: arguments.steps,
        slots: arguments.slots,
        seed: arguments.seed,
    };
    if let Some(out) = &arguments.out {
        prepare_folder(out)?;
    }
    let mut progress = SearchProgress::new(output::for_stderr(&inquiry.announcement()), interrupt::flag());
    let finding = inquiry.answer(&mut progress)?;
    let (mut trace, mut failed) = (None, Vec::new());
    let mut write = |file: &Path, bytes: Result<Vec<u8>, LabError>| {
        bytes.and_then(|bytes| replace(file, &bytes)).map_err(|error| failed.push(error)).is_ok()
    };
    let format = arguments.format;
    let picture =
        |waits: &[Wait]| format.encode(&draw(arguments.ports, arguments.radix, waits), Size::default().density());
    let named = |name: &str| format!("{name}.{}", format.extension());
    if let Some(out) = &arguments.out {
        if let Some((_, waits)) = &finding.circle {
            write(&out.join(named("model")), picture(waits));
        }
        if let Some((_, _, Some(found))) = &finding.fabric {
            let file = out.join("trace.csv");
            trace = write(&file, Ok(csv(&found.arrivals).into_bytes())).then(|| file.display().to_string());
            write(&out.join(named("fabric")), picture(circle(found)));
        }
    }
    let report = DeadlockReport::new(&finding);
    let said =
        if arguments.json { output::say_json(&report) } else { output::say(&wrapped(&report.text(trace.as_deref()))) };
    output::all_written(failed).and(said)?;
    if finding.stopped {
        return Err(Incomplete("stopped; the search is not finished".to_string()).into());
    }
    Ok(())
}

/// Text that fits the terminal, but for the command to copy.
fn wrapped(text: &str) -> String {
    let width = output::width().min(100);
    let line = |line: &str| match line.strip_prefix("  ") {
        _ if line.starts_with("Replay: ") => line.to_string(),
        Some(cell) => format!("  {}", wrap(cell, width - 2, 5)),
        None => wrap(line, width, 2),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}
