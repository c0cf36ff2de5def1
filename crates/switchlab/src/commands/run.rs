//! `switchlab run`.

use super::sweep::warn;
use crate::cli::Shape;
use crate::output::command_line;
use crate::{cli, output};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use switchlab_lab::compare::Comparison;
use switchlab_lab::experiment::ResultPoint;
use switchlab_lab::export::Table;
use switchlab_lab::figure::{Kind, Target, chart, csv, data_of_comparison, data_of_results, of_comparison, of_results};
use switchlab_lab::files::{check, refuse_input, replace, traffic_path};
use switchlab_lab::grid::{Grid, comparisons, figure, warnings};
use switchlab_lab::manifest::{write_experiment, write_results};
use switchlab_lab::memory::Needs;
use switchlab_lab::picture::Picture;
use switchlab_lab::plan::{Plan, Warmup, percentiles};
use switchlab_lab::report::table::{self, Style};
use switchlab_lab::report::{Report, replications};
use switchlab_lab::sweep::{Sweep, run_experiment};
use switchlab_lab::{LabError, Progress, Request, compare};

/// How results are shown.
struct Wishes {
    look: cli::Look,
    plot: Option<PathBuf>,
    /// What a curve is of.
    y: Option<String>,
    style: Style,
    shape: Shape,
    verbose: bool,
}

impl Wishes {
    /// A line on stderr, unless the user wants none.
    fn note(&self, text: &str) {
        if !self.style.quiet {
            output::note(text);
        }
    }
}

pub(crate) fn run(mut arguments: cli::RunArgs) -> anyhow::Result<()> {
    let shape = arguments.form.shape();
    let wishes = Wishes {
        look: arguments.look.clone(),
        plot: arguments.plot.take(),
        y: arguments.y.take(),
        style: Style {
            width: output::width(),
            long: arguments.long,
            counters: arguments.counters,
            per_port: arguments.per_port,
            quiet: arguments.quiet,
            markdown: shape == Shape::Markdown,
        },
        shape,
        verbose: arguments.verbose,
    };
    let names: Vec<&String> = arguments.variables.iter().map(|variable| &variable.0).collect();
    if let Some(index) = (1..names.len()).find(|&index| names[..index].contains(&names[index])) {
        return Err(LabError::Request(format!("--vary {} is given twice", names[index])).into());
    }
    let out = arguments.out.take();
    let grid = Grid::from(arguments);
    grid.check_variables()?;
    match grid.single() {
        Some(request) if out.is_none() => one_point(&request, &wishes),
        _ => several_points(&grid, out.as_deref(), &wishes),
    }
}

fn one_point(request: &Request, wishes: &Wishes) -> anyhow::Result<()> {
    let Wishes { look, style, shape, .. } = wishes;
    let kind = look.kind.map_or(Kind::Ccdf, Kind::from);
    if kind == Kind::Voq && request.switches.len() > 1 {
        return Err(LabError::Request("--kind voq draws one switch; name only one".to_string()).into());
    }
    if wishes.y.is_some() {
        let problem = "--y is for a curve; give several loads, ports or values of a variable";
        return Err(LabError::Request(problem.to_string()).into());
    }
    let plan = request.resolve()?;
    for text in &plan.notes {
        wishes.note(&format!("note: {text}"));
    }
    // Output files are checked before the run, and reported after its results were printed.
    if let Some(path) = &wishes.plot {
        plan.refuse_output(path)?;
        check(path)?;
        Target::of(path)?;
    }
    if let Some(warning) = Needs::of(&plan)?.warning {
        wishes.note(&format!("warning: {warning}"));
    }
    let begun = Instant::now();
    let comparison = compare(&plan, &Progress::new())?;
    if wishes.verbose {
        output::note(&told(&plan, &comparison, begun.elapsed()));
    }
    for warning in &comparison.warnings {
        wishes.note(&format!("warning: {warning}"));
    }
    let said = match shape {
        Shape::Json => output::say_json(&Report::all(&plan, &comparison, style.per_port)),
        Shape::Csv => output::say(&table::data(&plan, &comparison).csv_text()),
        Shape::Markdown => output::say(&table::table(&plan, &comparison, *style)),
        Shape::Text => output::say(&output::coloured(&table::table(&plan, &comparison, *style))),
    };
    let draw = |path: &Path| match Target::of(path)? {
        Target::Csv => replace(path, &data_of_comparison(kind, &plan, &comparison).csv()),
        Target::Picture => look.apply(of_comparison(kind, &plan, &comparison))?.write(path, &look.size()),
    };
    let drawn = wishes.plot.as_deref().map(draw);
    output::all_written(comparison.unwritten.into_iter().chain(drawn.and_then(Result::err))).and(said)
}

/// A sweep of all points. Its results are kept in `out`, or in a temporary directory until the end.
fn several_points(grid: &Grid, out: Option<&Path>, wishes: &Wishes) -> anyhow::Result<()> {
    let Wishes { look, style, shape, .. } = wishes;
    let experiment = grid.experiment()?;
    let curve = figure(&experiment, wishes.y.as_deref())?;
    let more = percentiles(&grid.request.percentiles)?;
    if let Some(path) = &wishes.plot {
        for traffic in &experiment.traffic {
            traffic_path(traffic)?.map_or(Ok(()), |input| refuse_input(path, Path::new(&input)))?;
        }
        check(path)?;
        Target::of(path)?;
    }
    let temporary;
    let dir = if let Some(dir) = out {
        dir
    } else {
        temporary = tempfile::tempdir().context("cannot make a temporary directory; give --out DIR")?;
        temporary.path()
    };
    let mut sweep = Sweep::open(dir, grid.request.threads)?;
    warn(&sweep.damages());
    write_experiment(&experiment, &mut sweep.store())?;
    let results = run_experiment(&experiment, &mut sweep, None, &Progress::new());
    warn(&sweep.damages());
    let results = results?;
    if wishes.verbose {
        output::note(&output::units_run(sweep.ran()));
    }
    for warning in warnings(&experiment, &results)? {
        wishes.note(&format!("warning: {warning}"));
    }
    let text = || table::results(&experiment, &results, &more, *style);
    let said = match shape {
        Shape::Json => {
            let mut reports = Vec::new();
            for compared in comparisons(&experiment, &results, &grid.request.percentiles) {
                let (plan, comparison) = compared?;
                reports.extend(Report::all(&plan, &comparison, false));
            }
            output::say_json(&reports)
        }
        Shape::Csv => output::say(&Table::of(&experiment, &results).csv_text()),
        Shape::Markdown => output::say(&text()),
        Shape::Text => output::say(&output::coloured(&text())),
    };
    let written = out.is_some().then(|| write_results(&experiment, &results, &mut sweep.store(), &command_line()));
    let draw = |path: &Path| {
        let points: Vec<&ResultPoint> = results.iter().collect();
        let kind = look.kind.map_or(Kind::Curve, Kind::from);
        match (Target::of(path)?, kind) {
            (Target::Csv, Kind::Curve) => replace(path, csv(&curve, &results).as_bytes()),
            (Target::Csv, kind) => replace(path, &data_of_results(kind, &points)?.csv()),
            (Target::Picture, Kind::Curve) => {
                let picture = Picture::Chart(chart(&curve, &results));
                look.apply(picture)?.write(path, &look.size())
            }
            (Target::Picture, kind) => look.apply(of_results(kind, &points)?)?.write(path, &look.size()),
        }
    };
    let drawn = wishes.plot.as_deref().map(draw);
    output::all_written(written.and_then(Result::err).into_iter().chain(drawn.and_then(Result::err))).and(said)
}

/// What --verbose says: the warm-up if it was found and not given, each replication, the speed.
fn told(plan: &Plan, comparison: &Comparison, time: Duration) -> String {
    let warmup = match plan.warmup {
        Warmup::Auto => format!("MSER-5 found a warm-up of {} slots\n", comparison.warmup),
        Warmup::Slots(_) => String::new(),
    };
    let (slots, seconds) = (replications::slots(comparison), time.as_secs_f64());
    let speed = slots as f64 / seconds.max(1e-9);
    let (table, threads) = (replications::table(comparison), plan.threads);
    format!("{warmup}{table}{slots} slots in {seconds:.2} s on up to {threads} threads, {speed:.3e} slots/s")
}
