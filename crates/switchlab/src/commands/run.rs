//! `switchlab run`.

use crate::{cli, output};
use switchlab_lab::files::{check, replace};
use switchlab_lab::memory::Needs;
use switchlab_lab::report::table::{self, Style};
use switchlab_lab::report::{Report, distribution};
use switchlab_lab::{Progress, Request, compare};

pub(crate) fn run(mut arguments: cli::RunArgs) -> anyhow::Result<()> {
    let (plot, json) = (arguments.plot.take(), arguments.json.json);
    let style = Style {
        width: output::width(),
        long: arguments.long,
        counters: arguments.counters,
        per_port: arguments.per_port,
        quiet: arguments.quiet,
    };
    let note = |text: &str| {
        if !style.quiet {
            output::note(text)
        }
    };
    let plan = Request::from(arguments).resolve()?;
    for text in &plan.notes {
        note(&format!("note: {text}"));
    }
    // Output files are checked before the run, and reported after its results were printed.
    if let Some(path) = &plot {
        plan.refuse_output(path)?;
        check(path)?;
    }
    if let Some(warning) = Needs::of(&plan)?.warning {
        note(&format!("warning: {warning}"));
    }
    let comparison = compare(&plan, &Progress::new())?;
    for warning in &comparison.warnings {
        note(&format!("warning: {warning}"));
    }
    let said = if json {
        let reports = Report::all(&plan, &comparison, style.per_port);
        output::say_json(&reports)
    } else {
        output::say(&output::coloured(&table::table(&plan, &comparison, style)))
    };
    let draw = |path| replace(path, distribution::chart(&plan, &comparison).to_svg().as_bytes());
    let drawn = plot.as_deref().map(draw);
    output::all_written(comparison.unwritten.into_iter().chain(drawn.and_then(Result::err))).and(said)
}
