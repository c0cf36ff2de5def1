//! `switchlab rtl`.

use crate::cli::rtl::{Design, RtlArgs, Scheduler};
use crate::output;
use std::io::IsTerminal;
use std::path::PathBuf;
use switchlab_lab::files::{check, prepare_folder, replace};
use switchlab_rtl::report::{Row, page, table};
use switchlab_rtl::timing::{self, Technology};
use switchlab_rtl::vectors::Plan;
use switchlab_rtl::{Circuit, synthesis};

pub(crate) fn rtl(arguments: &RtlArgs) -> anyhow::Result<()> {
    let Scheduler::FindRoots = arguments.scheduler;
    let circuits = circuits(arguments)?;
    let plan = Plan { rooted: arguments.vectors, seed: arguments.seed };
    let page_file = arguments.out.join("hardware.md");
    for (circuit, directory) in &circuits {
        let files = circuit.files_with_vectors(&plan)?;
        prepare_folder(directory)?;
        for file in files {
            replace(&directory.join(file.name), file.text.as_bytes())?;
        }
    }
    if !arguments.synthesize {
        let written = circuits.iter().map(|(_, directory)| format!("{}\n", directory.display()));
        return output::say(&written.collect::<String>());
    }
    check(&page_file)?;
    let technology = match &arguments.liberty {
        Some(liberty) => Some(Technology::new(liberty)?),
        None => Technology::installed(),
    };
    for (_, directory) in &circuits {
        let timed = if technology.is_some() { &timing::WRITTEN[..] } else { &[] };
        synthesis::WRITTEN.iter().chain(timed).try_for_each(|name| check(&directory.join(name)))?;
    }
    let tool = synthesis::version(&arguments.out)?;
    let mut rows = Vec::new();
    for (circuit, directory) in &circuits {
        if std::io::stderr().is_terminal() {
            output::note(&format!("{}: synthesis", directory.display()));
        }
        let netlist = synthesis::synthesize(directory)?;
        let period =
            technology.as_ref().map(|technology| timing::shortest_period(directory, technology)).transpose()?;
        rows.push(Row { circuit: *circuit, netlist, period });
    }
    let about = technology.as_ref().map(Technology::about);
    let said = output::say(&table(&rows));
    replace(&page_file, page(&rows, &command(arguments), &tool, about.as_deref()).as_bytes())?;
    said
}

/// The circuits asked for, design by design, and where each goes: to the directory itself if it is
/// the only one.
fn circuits(arguments: &RtlArgs) -> anyhow::Result<Vec<(Circuit, PathBuf)>> {
    let (designs, ports) = (sorted(&arguments.design), sorted(&arguments.ports));
    let alone = designs.len() * ports.len() == 1;
    let mut circuits = Vec::new();
    for &design in &designs {
        for &rows in &ports {
            let design = match design {
                Design::Literal => switchlab_rtl::Design::Literal,
                Design::Optimised => switchlab_rtl::Design::Optimised,
                Design::Pipelined => switchlab_rtl::Design::Pipelined,
            };
            let circuit = Circuit::new(design, rows, arguments.columns.unwrap_or(rows))?;
            let name = format!("{}-{rows}", design.name());
            let directory = if alone { arguments.out.clone() } else { arguments.out.join(name) };
            let circuit = circuit.with(!arguments.strict, !arguments.complete).overlapped(arguments.overlap);
            circuits.push((circuit, directory));
        }
    }
    Ok(circuits)
}

fn sorted<T: Copy + Ord>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    values
}

/// The command line again, but for the place of the output, so that the page does not depend on it.
fn command(arguments: &RtlArgs) -> String {
    let list = |values: Vec<String>| values.join(",");
    let ports = list(sorted(&arguments.ports).iter().map(ToString::to_string).collect());
    let designs = list(sorted(&arguments.design).iter().map(|design| format!("{design:?}").to_lowercase()).collect());
    let mut command = format!("switchlab rtl find-roots --ports {ports} --design {designs}");
    if let Some(columns) = arguments.columns {
        command += &format!(" --columns {columns}");
    }
    let flags =
        [(arguments.strict, " --strict"), (arguments.complete, " --complete"), (arguments.overlap, " --overlap")];
    for (given, flag) in flags {
        command += if given { flag } else { "" };
    }
    command + " --synthesize --out DIR"
}
