//! `switchlab merge`.

use super::sweep::{finish, warn};
use crate::cli::Shape;
use crate::{cli, output};
use anyhow::{Context, bail};
use switchlab_lab::experiment::Experiment;
use switchlab_lab::manifest::{read_experiment, write_experiment};
use switchlab_lab::store::Store;
use switchlab_lab::sweep::{Sweep, known_results};

pub(crate) fn merge(arguments: &cli::MergeArgs) -> anyhow::Result<()> {
    let parts: Vec<Store> = arguments.parts.iter().map(|dir| Store::read(dir)).collect::<Result<_, _>>()?;
    let mut experiment: Option<Experiment> = None;
    for dir in &arguments.parts {
        let other = read_experiment(dir)?;
        if let (Some(one), Some(other)) = (&experiment, &other)
            && one != other
        {
            bail!("{} holds results of another experiment than the directories before it", dir.display());
        }
        if let Some(other) = &other {
            other.check().with_context(|| format!("{} cannot be joined", dir.display()))?;
        }
        experiment = experiment.or(other);
    }
    let sweep = Sweep::open(&arguments.out, None)?;
    warn(&sweep.damages());
    for mut part in parts {
        warn(&part.damages());
        let conflicts = sweep.store().import(&part)?;
        if let Some(key) = conflicts.first() {
            let (count, dir) = (conflicts.len(), part.dir().display());
            return Err(output::CheckFailed(format!(
                "{dir} contradicts what {} holds: {count} of its units have another result, the first with the key {key}",
                arguments.out.display()
            ))
            .into());
        }
    }
    sweep.store().sync()?;
    let units = sweep.store().keys().count();
    let Some(experiment) = experiment else {
        return output::say(&format!("{units} units joined in {}\n", arguments.out.display()));
    };
    write_experiment(&experiment, &mut sweep.store())?;
    let known = known_results(&experiment, &sweep);
    warn(&sweep.damages());
    if let Some(results) = known? {
        return finish(&experiment, &results, &sweep, Shape::Text, false);
    }
    let out = arguments.out.display();
    let left = "more are needed before there is a table: `switchlab sweep --out` goes on there";
    Err(output::Incomplete(format!("{units} units joined in {out}; {left}")).into())
}
