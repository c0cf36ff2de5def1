//! `switchlab deadlock`.

use crate::cli::deadlock::{Deadlock, Distribution, Merge};
use crate::output;
use anyhow::Context;
use switchlab_core::deadlock;
use switchlab_lab::deadlock::{Inquiry, draw};
use switchlab_lab::export::replace;
use switchlab_lab::report::deadlock::{DeadlockReport, circle, csv};

pub(crate) fn find(arguments: &Deadlock) -> anyhow::Result<()> {
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
    let finding = inquiry.answer()?;
    let mut trace = None;
    if let Some(out) = &arguments.out {
        std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        if let Some((_, waits)) = &finding.circle {
            replace(&out.join("model.svg"), draw(arguments.ports, arguments.radix, waits).as_bytes())?;
        }
        if let Some((_, _, Some(found))) = &finding.fabric {
            let file = out.join("trace.csv");
            replace(&file, csv(&found.arrivals).as_bytes())?;
            replace(&out.join("fabric.svg"), draw(arguments.ports, arguments.radix, circle(found)).as_bytes())?;
            trace = Some(file.display().to_string());
        }
    }
    let report = DeadlockReport::new(&finding);
    if arguments.json {
        output::say(&(serde_json::to_string_pretty(&report)? + "\n"))
    } else {
        output::say(&report.text(trace.as_deref()))
    }
}
