//! `switchlab replay`.

use super::sweep::warn;
use crate::output::command_line;
use crate::{cli, output};
use anyhow::Context;
use switchlab_lab::Progress;
use switchlab_lab::replay::{Paths, Replayed, replay as replay_manifest};

pub(crate) fn replay(arguments: &cli::ReplayArgs) -> anyhow::Result<()> {
    let temporary;
    let dir = if let Some(dir) = &arguments.out {
        dir.as_path()
    } else {
        temporary = tempfile::tempdir().context("cannot make a temporary directory; give --out DIR")?;
        temporary.path()
    };
    let threads = arguments.threads.threads;
    let paths = if arguments.trust_paths { Paths::Anywhere } else { Paths::Inside };
    match replay_manifest(&arguments.manifest, paths, dir, threads, &command_line(), &Progress::new(), warn)? {
        Replayed::Altered(how) => Err(output::CheckFailed(how).into()),
        Replayed::Same { points, results_sha256: hash } => {
            let points = if points == 1 { "1 point".to_string() } else { format!("{points} points") };
            output::say(&format!("the same: {points}, results.csv has the SHA-256 {hash}\n"))
        }
        Replayed::Different(differences) => {
            Err(output::CheckFailed(format!("not the same:\n  {}", differences.join("\n  "))).into())
        }
    }
}
