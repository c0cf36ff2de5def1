//! `switchlab sweep`.

use crate::{cli, output};
use std::path::{Path, PathBuf};
use switchlab_lab::Progress;
use switchlab_lab::experiment::{Experiment, Mode, Results};
use switchlab_lab::manifest::{write_experiment, write_results};
use switchlab_lab::report::table;
use switchlab_lab::store::Damage;
use switchlab_lab::sweep::{Sweep, run_experiment};

pub(crate) fn sweep(arguments: &cli::SweepArgs) -> anyhow::Result<()> {
    let mode = if arguments.quick { Mode::Quick } else { Mode::Full };
    let experiment = Experiment::load(&arguments.experiment, mode)?;
    let dir = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(&experiment.id));
    let mut sweep = Sweep::open(&dir, arguments.threads.threads)?;
    warn(&sweep.damages());
    write_experiment(&experiment, &mut sweep.store())?;
    let results = run_experiment(&experiment, &mut sweep, arguments.shard, &Progress::new());
    warn(&sweep.damages());
    let results = results?;
    output::note(&format!("{} units run", sweep.ran()));
    if let Some((part, parts)) = arguments.shard {
        return output::say(&format!(
            "part {part} of {parts} is done; `switchlab merge` joins the parts\n{}\n",
            dir.display()
        ));
    }
    finish(&experiment, &results, &sweep)
}

/// Writes tables and manifest, shows the results, and says where everything is.
pub(super) fn finish(experiment: &Experiment, results: &Results, sweep: &Sweep) -> anyhow::Result<()> {
    let shown = table::results(experiment, results);
    match write_results(experiment, results, &mut sweep.store(), &command_line()) {
        Ok((_, written)) => output::say(&(shown + "\n" + &list(&written))),
        Err(error) => output::say(&shown).and(Err(error.into())),
    }
}

/// The command as it was given.
pub(super) fn command_line() -> String {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("switchlab".to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
}

pub(super) fn warn(damages: &[Damage]) {
    for damage in damages {
        output::note(&format!("warning: {damage}"));
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().fold(String::new(), |text, path| text + &format!("{}\n", path.display()))
}
