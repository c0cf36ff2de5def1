//! `switchlab plot`.

use crate::cli::{self, Logarithmic};
use crate::output;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use switchlab_lab::LabError;
use switchlab_lab::experiment::{ResultPoint, Select};
use switchlab_lab::export::CSV;
use switchlab_lab::figure::of_results;
use switchlab_lab::files::{check, refuse_input};
use switchlab_lab::manifest::read_experiment;
use switchlab_lab::picture::{Format, Picture};
use switchlab_lab::plot::Terminal;
use switchlab_lab::sweep::{Sweep, known_results};
use switchlab_lab::tabulated::{View, chart, has_powers_of_two};

pub(crate) fn plot(arguments: &cli::PlotArgs) -> anyhow::Result<()> {
    let file = if arguments.results.is_dir() { arguments.results.join(CSV) } else { arguments.results.clone() };
    let kind = arguments.look.kind.unwrap_or(cli::Kind::Curve);
    if arguments.term {
        if kind != cli::Kind::Curve {
            return Err(LabError::Request("--term draws curves only; leave out --kind".to_string()).into());
        }
        let chart = chart(&file, &view(arguments, &file))?;
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80);
        let terminal = Terminal { columns, colour: std::io::stdout().is_terminal(), ..Terminal::default() };
        return output::say(&chart.to_terminal(&terminal));
    }
    let name = match kind {
        cli::Kind::Curve => arguments.y.replace(['/', '\\'], "_"),
        cli::Kind::Ccdf => "ccdf".to_string(),
        cli::Kind::Backlog => "backlog-over-time".to_string(),
        cli::Kind::Matrix => "matrix".to_string(),
    };
    let out = arguments.out.clone().unwrap_or_else(|| file.with_file_name(format!("{name}.svg")));
    refuse_input(&out, &file)?;
    check(&out)?;
    Format::of(&out)?;
    let picture = match kind {
        cli::Kind::Curve => Picture::Chart(chart(&file, &view(arguments, &file))?),
        kind => of_folder(kind, arguments)?,
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

/// A picture of the runs that a folder of `sweep` keeps.
fn of_folder(kind: cli::Kind, arguments: &cli::PlotArgs) -> Result<Picture, LabError> {
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
    of_results(kind.into(), &points)
}
