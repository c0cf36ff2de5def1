//! `switchlab replay`.

use super::sweep::{command_line, warn};
use crate::{cli, output};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use switchlab_lab::experiment::ResultPoint;
use switchlab_lab::manifest::{MANIFEST, Manifest, write_experiment, write_results};
use switchlab_lab::store::UNITS;
use switchlab_lab::sweep::Sweep;
use switchlab_lab::{LabError, Progress};

pub(crate) fn replay(arguments: &cli::ReplayArgs) -> anyhow::Result<()> {
    let file = file(&arguments.manifest)?;
    let path = file.display();
    let manifest = Manifest::load(&file)?;
    if !manifest.is_unaltered() {
        return Err(output::CheckFailed(format!("{path} was altered: it does not match its own hash")).into());
    }
    // A forged manifest can have a right hash, so everything in it is checked.
    let beside = file.parent().unwrap_or(Path::new(""));
    let contradictions = manifest.contradictions(beside)?;
    if !contradictions.is_empty() {
        return Err(output::CheckFailed(format!("{path} was altered:\n  {}", contradictions.join("\n  "))).into());
    }
    let temporary;
    let dir = if let Some(dir) = &arguments.out {
        // Results that are already there may be those in question, and would be compared with
        // themselves.
        if dir.join(UNITS).exists() {
            bail!("{} holds results already; a replay begins from scratch, in a new directory", dir.display());
        }
        dir.as_path()
    } else {
        temporary = tempfile::tempdir().context("cannot make a temporary directory; give --out DIR")?;
        temporary.path()
    };
    let sweep = Sweep::open(dir, arguments.threads.threads)?;
    write_experiment(&manifest.experiment, &mut sweep.store())?;
    // As often as the manifest says: a claim may have asked for more replications of some points
    // than the experiment begins with.
    let points = manifest.work();
    let runs = sweep.complete(&points, &Progress::new())?;
    let results = points.into_iter().zip(runs).map(|((spec, _), runs)| ResultPoint::new(spec, &runs)).collect();
    warn(&sweep.damages());
    let (again, _) = write_results(&manifest.experiment, &results, &mut sweep.store(), &command_line())?;
    let differences = manifest.differences(&again);
    if differences.is_empty() {
        let (points, hash) = (again.points.len(), &again.results_sha256);
        return output::say(&format!("the same: {points} points, results.csv has the SHA-256 {hash}\n"));
    }
    Err(output::CheckFailed(format!("not the same:\n  {}", differences.join("\n  "))).into())
}

/// The manifest that a path means: a directory has one in it.
fn file(path: &Path) -> Result<PathBuf, LabError> {
    let request = |problem: &str| Err(LabError::Request(format!("{} {problem}", path.display())));
    if path.is_dir() {
        let inside = path.join(MANIFEST);
        if !inside.exists() {
            return request("holds no manifest.json; `switchlab sweep` writes one when all its results are there");
        }
        return Ok(inside);
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return request("is an experiment, and no manifest; use `switchlab sweep`");
    }
    Ok(path.to_owned())
}
