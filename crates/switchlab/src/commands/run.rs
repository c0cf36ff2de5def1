//! `switchlab run`.

use crate::{cli, output};
use std::path::Path;
use switchlab_lab::figure::{Kind, of_comparison};
use switchlab_lab::files::check;
use switchlab_lab::memory::Needs;
use switchlab_lab::picture::Format;
use switchlab_lab::report::Report;
use switchlab_lab::report::table::{self, Style};
use switchlab_lab::{Progress, Request, compare};

pub(crate) fn run(mut arguments: cli::RunArgs) -> anyhow::Result<()> {
    let look = arguments.look.clone();
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
            output::note(text);
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
        Format::of(path)?;
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
    let kind = look.kind.map_or(Kind::Ccdf, Kind::from);
    let draw = |path: &Path| look.apply(of_comparison(kind, &plan, &comparison))?.write(path, &look.size());
    let drawn = plot.as_deref().map(draw);
    output::all_written(comparison.unwritten.into_iter().chain(drawn.and_then(Result::err))).and(said)
}
