//! `switchlab bench`.

use crate::cli::{Shape, bench as cli};
use crate::output;
use anyhow::Context;
use std::path::Path;
use std::time::Duration;
use switchlab_core::Seed;
use switchlab_lab::bench::{self, Bench, DEFINITIONS, Definitions, FLOOR, Machine, Record, Turns};
use switchlab_lab::files::{check, prepare_folder, replace};
use switchlab_lab::prose::wrap;
use switchlab_lab::registry::{switch, switches};
use switchlab_lab::text_table::{Column, TextTable};
use switchlab_lab::{LabError, Request};

pub(crate) fn bench(arguments: cli::BenchArgs) -> anyhow::Result<()> {
    if let Some(slots) = arguments.alone {
        return alone(arguments, slots);
    }
    if let Some(path) = &arguments.document {
        check(path)?;
    }
    if arguments.record {
        record(&arguments)?;
    }
    match &arguments.document {
        Some(path) => document(path, &arguments.benchmarks),
        None if arguments.record => Ok(()),
        None => compare(arguments),
    }
}

fn turns(arguments: &cli::BenchArgs) -> Turns {
    let count = arguments.turns.unwrap_or(if arguments.record { 41 } else { 11 });
    Turns { count: usize::from(count), length: Duration::from_millis(u64::from(arguments.turn)) }
}

/// Measures switches on this machine.
fn compare(arguments: cli::BenchArgs) -> anyhow::Result<()> {
    let shape = arguments.form.shape();
    let seed = Seed { seed: 1, replication: 0 };
    // Some fabrics exist only in some sizes.
    let fits =
        |name: &str| arguments.ports.iter().all(|&ports| switch(name).and_then(|it| it.build(ports, seed)).is_ok());
    let everything = || switches().iter().map(|entry| entry.name.to_string()).filter(|name| fits(name)).collect();
    let bench = Bench {
        turns: turns(&arguments),
        switches: if arguments.switches.is_empty() { everything() } else { arguments.switches },
        ports: arguments.ports,
        load: arguments.load,
        traffic: arguments.traffic,
    };
    let plans = bench.plans()?;
    let mut speeds = Vec::new();
    // The table shows switches as the user wrote them, without default parameters.
    let others = bench.switches.iter().map(String::as_str).filter(|&switch| switch != FLOOR);
    let mut names = std::iter::once(FLOOR).chain(others).cycle();
    let width = bench.switches.iter().map(String::len).max().unwrap_or(0);
    let mut table = TextTable::new([
        Column::left("switch").at_least(width),
        Column::right("ports").at_least(6),
        Column::right("ns/slot").at_least(12),
        Column::right("slots/s").at_least(14),
        Column::right("x floor").at_least(9),
    ])
    .gap(1);
    let machine = Machine::this();
    let head = format!(
        "speed of the simulator on {}, {} cores: traffic {}, load {}, medians of {} turns of {} ms",
        machine.processor, machine.cores, bench.traffic, bench.load, bench.turns.count, arguments.turn
    );
    let head = wrap(&head, output::width().min(100), 2);
    // As text, rows are printed as they are measured.
    let mut said = if shape == Shape::Text { output::say(&format!("{head}\n\n{}", table.header())) } else { Ok(()) };
    bench.run(&plans, |speed| {
        let row = [
            names.next().unwrap_or_default().to_string(),
            speed.ports.to_string(),
            format!("{:.0}", speed.nanoseconds_per_slot),
            format!("{:.0}", speed.slots_per_second),
            format!("{:.2}", speed.times_floor),
        ];
        if shape == Shape::Text && said.is_ok() {
            said = output::say(&table.line(&row));
        }
        table.push(row);
        speeds.push(speed.clone());
    })?;
    match shape {
        Shape::Text => said,
        Shape::Json => output::say_json(&speeds),
        Shape::Csv => output::say(&bench::data(&speeds).csv_text()),
        Shape::Markdown => output::say(&format!("{head}\n\n{}", table.markdown())),
    }
}

/// Measures the defined benchmarks, after a check of their departures.
fn record(arguments: &cli::BenchArgs) -> anyhow::Result<()> {
    let definitions = Definitions::load(&arguments.benchmarks.join(DEFINITIONS))?;
    prepare_folder(&arguments.benchmarks)?;
    output::note("departures of all benchmarks");
    let changed = bench::changed(&definitions.benchmarks)?;
    if !changed.is_empty() {
        let lines = changed.iter().fold(String::new(), |text, changed| text + &format!("{changed}\n"));
        return Err(
            output::CheckFailed(format!("{lines}nothing was measured: the departures are not those expected")).into()
        );
    }
    let program = std::env::current_exe().context("cannot find this program, to run it once more")?;
    let announce = |next: &str| output::note(next);
    let record =
        Record::measure(&definitions, turns(arguments), arguments.instructions, &program, &arguments.note, announce)?;
    let tables = bench::tables(&record).into_iter().map(|(_, table)| table).collect::<Vec<_>>().join("\n");
    match record.write(&arguments.benchmarks) {
        Ok(path) => output::say(&format!("{tables}\n{}\n", path.display())),
        Err(error) => output::say(&format!("{tables}\n")).and(Err(error.into())),
    }
}

/// Puts the tables of the newest record into a document.
fn document(path: &Path, benchmarks: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).map_err(|source| LabError::Read { path: path.to_owned(), source })?;
    let new = bench::document(&text, &bench::newest(benchmarks)?).with_context(|| path.display().to_string())?;
    replace(path, new.as_bytes())?;
    output::say(&format!("{}\n", path.display()))
}

/// One switch in this process.
fn alone(arguments: cli::BenchArgs, slots: u64) -> anyhow::Result<()> {
    let part = arguments.part;
    let request = Request {
        switches: arguments.switches,
        ports: arguments.ports.first().copied(),
        load: Some(arguments.load),
        traffic: arguments.traffic,
        arrivals: arguments.arrivals,
        seed: arguments.seed,
        slots: Some(slots),
        // The whole memory for a single run.
        replications: Some(1),
        ..Request::default()
    };
    let figures = bench::alone(&request.resolve()?, slots, part)?;
    output::say(&(serde_json::to_string(&figures)? + "\n"))
}
