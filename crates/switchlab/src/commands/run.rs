//! `switchlab run`.

use crate::{cli, output};
use switchlab_lab::files::{check, replace};
use switchlab_lab::memory::Needs;
use switchlab_lab::report::{Report, distribution, table};
use switchlab_lab::{Progress, Request, compare};

pub(crate) fn run(arguments: cli::Run) -> anyhow::Result<()> {
    let request = Request {
        switches: arguments.switches,
        ports: arguments.ports,
        traffic: arguments.traffic,
        load: arguments.load,
        arrivals: arguments.arrivals,
        slots: arguments.slots,
        warmup: arguments.warmup,
        replications: arguments.replications,
        seed: arguments.seed,
        until: arguments.until,
        memory: arguments.memory,
        departures: arguments.departures,
        threads: arguments.threads,
        oq_lag: arguments.oq_lag,
    };
    let plan = request.resolve()?;
    for note in &plan.notes {
        output::note(&format!("note: {note}"));
    }
    // Output files are checked before the run, and reported after its results were printed.
    if let Some(path) = &arguments.plot {
        plan.refuse_output(path)?;
        check(path)?;
    }
    if let Some(warning) = Needs::of(&plan)?.warning {
        output::note(&format!("warning: {warning}"));
    }
    let comparison = compare(&plan, &Progress::new())?;
    for warning in &comparison.warnings {
        output::note(&format!("warning: {warning}"));
    }
    let said = if arguments.json {
        let reports = Report::all(&plan, &comparison, arguments.per_port);
        output::say(&(serde_json::to_string_pretty(&reports)? + "\n"))
    } else {
        output::say(&table::table(&plan, &comparison, arguments.per_port))
    };
    let draw = |path| replace(path, distribution::chart(&plan, &comparison).to_svg().as_bytes());
    let drawn = arguments.plot.as_deref().map(draw);
    output::all_written(comparison.unwritten.into_iter().chain(drawn.and_then(Result::err))).and(said)
}
