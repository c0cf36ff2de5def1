//! `switchlab run`.

use crate::{cli, output};
use switchlab_lab::files::{check, replace};
use switchlab_lab::memory::Needs;
use switchlab_lab::report::{Report, distribution, table};
use switchlab_lab::{Progress, Request, compare};

pub(crate) fn run(mut arguments: cli::RunArgs) -> anyhow::Result<()> {
    let (plot, json, per_port) = (arguments.plot.take(), arguments.json.json, arguments.per_port);
    let plan = Request::from(arguments).resolve()?;
    for note in &plan.notes {
        output::note(&format!("note: {note}"));
    }
    // Output files are checked before the run, and reported after its results were printed.
    if let Some(path) = &plot {
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
    let said = if json {
        let reports = Report::all(&plan, &comparison, per_port);
        output::say_json(&reports)
    } else {
        output::say(&table::table(&plan, &comparison, per_port))
    };
    let draw = |path| replace(path, distribution::chart(&plan, &comparison).to_svg().as_bytes());
    let drawn = plot.as_deref().map(draw);
    output::all_written(comparison.unwritten.into_iter().chain(drawn.and_then(Result::err))).and(said)
}
