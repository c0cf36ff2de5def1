//! `switchlab sweep`.

use crate::cli::Shape;
use crate::output::command_line;
use crate::{cli, interrupt, output};
use std::path::{Path, PathBuf};
use std::time::Instant;
use switchlab_lab::claims::{Evaluation, evaluate};
use switchlab_lab::experiment::{Experiment, Mode, Results};
use switchlab_lab::export::Table;
use switchlab_lab::figure;
use switchlab_lab::grid::warnings;
use switchlab_lab::manifest::{write_experiment, write_results};
use switchlab_lab::report::claims;
use switchlab_lab::report::table::{self, Style};
use switchlab_lab::reproduce::Tally;
use switchlab_lab::store::{Damage, Sharing};
use switchlab_lab::sweep::{End, Sweep, run_experiment};
use switchlab_lab::{LabError, Progress};

pub(crate) fn sweep(arguments: &cli::SweepArgs) -> anyhow::Result<()> {
    let mode = if arguments.quick { Mode::Quick } else { Mode::Full };
    let experiment = Experiment::load_with(&arguments.experiment, mode, &arguments.settings())?;
    let dir = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(&experiment.id));
    let sharing = arguments.no_locks.then_some(Sharing::Files);
    let mut sweep = Sweep::open_as(&dir, arguments.threads.threads, sharing)?;
    if sweep.store().sharing() == Sharing::Files {
        let why = if arguments.no_locks { "as told" } else { "locks do not hold in this directory" };
        output::note(&format!("{why}: this process writes a file of units of its own, and reads those of others"));
    }
    sweep.end(End { asked: Some(interrupt::flag()), at: arguments.time_limit.map(|limit| Instant::now() + limit) });
    warn(&sweep.damages());
    write_experiment(&experiment, &mut sweep.store())?;
    let results = run_experiment(&experiment, &mut sweep, arguments.shard, &Progress::new());
    warn(&sweep.damages());
    let doubles = sweep.store().doubles();
    let twice = if doubles == 0 { String::new() } else { format!("; {doubles} were run by another process, too") };
    output::note(&format!("{}{twice}", output::units_run(sweep.ran())));
    let results = results?;
    if let Some((part, parts)) = arguments.shard {
        return output::say(&format!(
            "part {part} of {parts} is done; `switchlab merge` joins the parts\n{}\n",
            dir.display()
        ));
    }
    finish(&experiment, &results, &sweep, arguments.form.shape(), arguments.strict)
}

/// Shows the results, writes tables, manifest and figures, judges the claims, and says where
/// everything is. What is not asked for goes to stderr, unless the table is for people.
pub(super) fn finish(
    experiment: &Experiment,
    results: &Results,
    sweep: &Sweep,
    shape: Shape,
    strict: bool,
) -> anyhow::Result<()> {
    for warning in warnings(experiment, results)? {
        output::note(&format!("warning: {warning}"));
    }
    let evaluations: Vec<Evaluation> = experiment.claims.iter().map(|claim| evaluate(claim, results)).collect();
    let judged = || {
        let claims = experiment.claims.iter().zip(&evaluations);
        claims.map(|(claim, evaluation)| (claim.id.clone(), claim, evaluation))
    };
    let (claims, unexpected) = (claims::text(judged(), output::width()), claims::unexpected(judged()));
    let tally: Tally = evaluations.iter().map(|evaluation| Tally::from(evaluation.ruling)).sum();
    let judged = if evaluations.is_empty() { String::new() } else { format!("\n{claims}\n{tally}\n") };
    let style = Style { width: output::width(), markdown: shape == Shape::Markdown, ..Style::default() };
    let said = match shape {
        Shape::Json => output::say_json(&Table::of(experiment, results).json()),
        Shape::Csv => output::say(&Table::of(experiment, results).csv_text()),
        Shape::Markdown => output::say(&table::results(experiment, results, &[], style)),
        Shape::Text => output::say(&(output::coloured(&table::results(experiment, results, &[], style)) + &judged)),
    };
    // The store is locked until the end of the statement that borrows it.
    let dir = sweep.store().dir().to_owned();
    let tables = write_results(experiment, results, &mut sweep.store(), &command_line());
    said?;
    let mut written = tables?.1;
    written.extend(draw(experiment, results, &dir)?);
    match shape {
        Shape::Text => output::say(&format!("\n{}", list(&written)))?,
        _ if judged.is_empty() => {}
        _ => output::note(judged.trim()),
    }
    output::judge(&unexpected, tally, strict)
}

/// Draws the figures of an experiment beside its results.
fn draw(experiment: &Experiment, results: &Results, dir: &Path) -> Result<Vec<PathBuf>, LabError> {
    let mut files = Vec::new();
    for figure in &experiment.figures {
        let written = figure::write(figure, results, dir)?;
        for warning in &written.warnings {
            output::note(&format!("warning: {warning}"));
        }
        files.extend(written.files.iter().map(|(_, file)| dir.join(file)));
    }
    Ok(files)
}

pub(super) fn warn(damages: &[Damage]) {
    for damage in damages {
        output::note(&format!("warning: {damage}"));
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().fold(String::new(), |text, path| text + &format!("{}\n", path.display()))
}
