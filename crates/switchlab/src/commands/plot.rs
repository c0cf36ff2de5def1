//! `switchlab plot`.

use crate::cli::{self, Logarithmic};
use crate::output;
use std::collections::BTreeMap;
use std::path::Path;
use switchlab_lab::LabError;
use switchlab_lab::experiment::{ResultPoint, Select};
use switchlab_lab::export::CSV;
use switchlab_lab::figure::{self, Target, data_of_results, of_results};
use switchlab_lab::files::{check, refuse_input, replace};
use switchlab_lab::manifest::read_experiment;
use switchlab_lab::picture::Picture;
use switchlab_lab::plot::Terminal;
use switchlab_lab::store::UNITS;
use switchlab_lab::sweep::{Sweep, known_results};
use switchlab_lab::tabulated::{View, chart, has_powers_of_two};

pub(crate) fn plot(arguments: &cli::PlotArgs) -> anyhow::Result<()> {
    let dir = &arguments.results;
    let file = if dir.is_dir() { dir.join(CSV) } else { dir.clone() };
    if dir.is_dir() && !file.exists() {
        let missing = if dir.join(UNITS).exists() {
            "some results are missing: let `switchlab sweep` finish, or join its parts with `switchlab merge`"
        } else {
            "there are no results in it; `switchlab sweep EXPERIMENT.toml --out DIR` makes them"
        };
        return Err(LabError::Request(format!("{}: {missing}", dir.display())).into());
    }
    let kind = arguments.look.kind.unwrap_or(cli::Kind::Curve);
    if arguments.term {
        if kind != cli::Kind::Curve {
            return Err(LabError::Request("--term draws curves only; leave out --kind".to_string()).into());
        }
        let chart = chart(&file, &view(arguments, &file))?;
        let (columns, rows) = output::screen();
        let terminal = Terminal { columns, rows, colour: output::is_coloured() };
        return output::say(&chart.to_terminal(&terminal));
    }
    let name = match kind {
        cli::Kind::Curve => arguments.y.replace(['/', '\\'], "_"),
        cli::Kind::Ccdf => "ccdf".to_string(),
        cli::Kind::Backlog => "backlog-over-time".to_string(),
        cli::Kind::Matrix => "matrix".to_string(),
        cli::Kind::Voq => "voq".to_string(),
    };
    let out = arguments.out.clone().unwrap_or_else(|| file.with_file_name(format!("{name}.svg")));
    refuse_input(&out, &file)?;
    check(&out)?;
    if Target::of(&out)? == Target::Csv {
        if kind == cli::Kind::Curve {
            let problem = "results.csv has the numbers of a curve already; --kind chooses what else to write as CSV";
            return Err(LabError::Request(problem.to_string()).into());
        }
        replace(&out, &of_folder(kind, arguments, data_of_results)?.csv())?;
        return output::say(&format!("{}\n", out.display()));
    }
    let picture = match kind {
        cli::Kind::Curve => Picture::Chart(chart(&file, &view(arguments, &file))?),
        kind => of_folder(kind, arguments, of_results)?,
    };
    arguments.look.apply(picture)?.write(&out, &arguments.look.size())?;
    output::say(&format!("{}\n", out.display()))
}

/// Which columns are drawn, and how.
fn view(arguments: &cli::PlotArgs, file: &Path) -> View {
    let grows = arguments.y.starts_with("delay") || arguments.y == "backlog";
    let (log_x, log_y) = match arguments.log {
        Some(log) => (matches!(log, Logarithmic::X | Logarithmic::Xy), matches!(log, Logarithmic::Y | Logarithmic::Xy)),
        None => (has_powers_of_two(file, &arguments.x), grows),
    };
    View {
        x: arguments.x.clone(),
        y: arguments.y.clone(),
        series: arguments.series.clone(),
        only: arguments.only.clone(),
        log_x,
        log_y,
        ratio: arguments.ratio.clone(),
    }
}

/// What is made of the runs that a folder of `sweep` keeps.
fn of_folder<T>(
    kind: cli::Kind,
    arguments: &cli::PlotArgs,
    make: fn(figure::Kind, &[&ResultPoint]) -> Result<T, LabError>,
) -> Result<T, LabError> {
    let dir = &arguments.results;
    let request = |problem: &str| LabError::Request(format!("{}: {problem}", dir.display()));
    let none = "it is not a directory of `switchlab sweep`, which keeps the runs that this picture is made of";
    if !dir.is_dir() {
        return Err(request(none));
    }
    let experiment = read_experiment(dir)?.ok_or_else(|| request(none))?;
    let results = known_results(&experiment, &Sweep::open(dir, Some(1))?)?
        .ok_or_else(|| request("results are missing; let `switchlab sweep` finish first"))?;
    let mut only: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (axis, value) in &arguments.only {
        only.entry(axis.clone()).or_default().push(value.clone());
    }
    let select = Select(only);
    let points: Vec<&ResultPoint> = results.iter().filter(|point| point.is_in(&select)).collect();
    make(kind.into(), &points)
}
