//! Replays: what a manifest describes is run again, and compared.

use crate::error::LabError;
use crate::experiment::ResultPoint;
use crate::manifest::{MANIFEST, Manifest, write_experiment, write_results};
use crate::progress::Progress;
use crate::store::{Damage, UNITS};
use crate::sweep::Sweep;
use std::path::{Path, PathBuf};

/// What a replay found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The manifest or what it describes was altered: nothing was run.
    Altered(String),
    /// What was measured again is the same.
    Same {
        /// The points of the experiment.
        points: usize,
        /// The SHA-256 of results.csv.
        results_sha256: String,
    },
    /// What was measured again is not the same, a sentence for each difference.
    Different(Vec<String>),
}

/// Which files a manifest may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Those in its own folder: it may be a stranger's.
    Inside,
    /// Any.
    Anywhere,
}

/// Runs again what a manifest, or the one in a directory, describes. Results go to `dir`, which
/// must not hold any. `command` is what the new manifest names, `warn` is told of damage.
pub fn replay(
    manifest: &Path,
    paths: Paths,
    dir: &Path,
    threads: Option<usize>,
    command: &str,
    progress: &Progress,
    warn: impl Fn(&[Damage]),
) -> Result<Replayed, LabError> {
    let file = file(manifest)?;
    let path = file.display();
    let manifest = Manifest::load(&file)?;
    if !manifest.is_unaltered() {
        return Ok(Replayed::Altered(format!("{path} was altered: it does not match its own hash")));
    }
    // A forged manifest can have a right hash, so everything in it is checked.
    let beside = file.parent().unwrap_or(Path::new(""));
    if paths == Paths::Inside {
        stay_inside(&manifest, beside)?;
    }
    let contradictions = manifest.contradictions(beside)?;
    if !contradictions.is_empty() {
        return Ok(Replayed::Altered(format!("{path} was altered:\n  {}", contradictions.join("\n  "))));
    }
    // Results that are already there may be those in question, and would be compared with
    // themselves.
    if dir.join(UNITS).exists() {
        return Err(LabError::Request(format!(
            "{} holds results already; a replay begins from scratch, in a new directory",
            dir.display()
        )));
    }
    let sweep = Sweep::open(dir, threads)?;
    write_experiment(&manifest.experiment, &mut sweep.store())?;
    // As often as the manifest says: a claim may have asked for more replications of some points
    // than the experiment begins with.
    let points = manifest.work();
    let runs = sweep.complete(&points, progress)?;
    let results = points.into_iter().zip(runs).map(|((spec, _), runs)| ResultPoint::new(spec, &runs)).collect();
    warn(&sweep.damages());
    let (again, _) = write_results(&manifest.experiment, &results, &mut sweep.store(), command)?;
    let differences = manifest.differences(&again);
    if differences.is_empty() {
        return Ok(Replayed::Same { points: again.points.len(), results_sha256: again.results_sha256 });
    }
    Ok(Replayed::Different(differences))
}

/// Refuses a manifest that names a file outside its folder. Nothing of such a file is read: not
/// even a message about its content may tell what it holds.
fn stay_inside(manifest: &Manifest, folder: &Path) -> Result<(), LabError> {
    let read = |path: &Path, source| LabError::Read { path: path.to_owned(), source };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let inside = folder.canonicalize().map_err(|source| read(folder, source))?;
    for name in manifest.experiment.traffic_paths()? {
        // Symbolic links are followed first.
        let path = Path::new(&name).canonicalize().map_err(|source| read(Path::new(&name), source))?;
        if !path.starts_with(&inside) {
            return Err(LabError::Request(format!(
                "the manifest names {name}, which is outside its folder {}; if you trust it, add --trust-paths",
                folder.display()
            )));
        }
    }
    Ok(())
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
