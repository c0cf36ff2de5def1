//! Job scripts for engines that run many machines. They are printed and never submitted.
//!
//! The store is what joins the workers: each computes units that no other has leased, in one
//! directory that all see. So a worker may be killed at any moment, and the others take its units.
//! Parts of a fixed size were rejected as the default: the engines do not begin a task again whose
//! process was killed, and its part would be missing. They remain for machines that share nothing.

mod hyperqueue;
mod kubernetes;
mod slurm;

#[cfg(test)]
mod tests;

use crate::error::LabError;
use std::path::PathBuf;
use std::time::Duration;

/// An engine that runs jobs on many machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Slurm: a script that submits an array of workers, and a job after them.
    Slurm,
    /// `HyperQueue`: the same with `hq`.
    HyperQueue,
    /// Kubernetes: an Indexed Job.
    Kubernetes,
}

/// What is to be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// An experiment's file.
    Sweep {
        /// The file, as the workers find it.
        file: PathBuf,
        /// What it says.
        text: String,
        /// The name of the experiment, for that of the job.
        id: String,
        /// Options for `sweep` that change the experiment: `--set KEY=VALUE`, `--quick`.
        options: Vec<String>,
    },
    /// Papers, or single experiments of them, at full length.
    Reproduce {
        /// Which; empty for all.
        wanted: Vec<String>,
    },
}

/// A job for a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What is to be computed.
    pub work: Work,
    /// The directory of the results.
    pub out: PathBuf,
    /// How many workers.
    pub workers: u32,
    /// Threads of each.
    pub threads: u32,
    /// How long a worker may run.
    pub time: Duration,
    /// Bytes of memory that each worker is given.
    pub memory: u64,
    /// Each worker computes a part of its own, in a directory of its own.
    pub shards: bool,
    /// The program, as the workers find it.
    pub program: String,
    /// The image and the volume claim of pods.
    pub pods: Pods,
}

/// What pods of Kubernetes need besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pods {
    /// The image, with the program inside.
    pub image: String,
    /// The claim of a volume that many pods may write to.
    pub claim: String,
}

/// The most workers of a job. Slurm's default limit of an array is below it.
pub const MOST_WORKERS: u32 = 10_000;
/// The least time of a worker: what it needs besides its units, twice.
pub const LEAST_TIME: Duration = Duration::from_mins(2);
/// The least memory of a worker: the default of `--memory` for its runs, and the program.
pub const LEAST_MEMORY: u64 = 1 << 30;

impl Job {
    /// The script, or for Kubernetes the manifests.
    pub fn script(&self, engine: Engine) -> Result<String, LabError> {
        self.check(engine)?;
        Ok(match engine {
            Engine::Slurm => slurm::script(self),
            Engine::HyperQueue => hyperqueue::script(self),
            Engine::Kubernetes => kubernetes::manifests(self),
        })
    }

    fn check(&self, engine: Engine) -> Result<(), LabError> {
        let refuse = |problem: String| Err(LabError::Request(problem));
        if self.workers == 0 || self.workers > MOST_WORKERS {
            return refuse(format!("--workers must be from 1 to {MOST_WORKERS}"));
        }
        if self.threads == 0 || self.threads > 4096 {
            return refuse("--threads must be from 1 to 4096".to_string());
        }
        if self.time < LEAST_TIME {
            return refuse("--time must be at least 2m: a worker stops before it, to finish its units".to_string());
        }
        if self.memory < LEAST_MEMORY {
            return refuse("--memory must be at least 1GiB: the runs of a worker may take as much".to_string());
        }
        let sweeps = matches!(self.work, Work::Sweep { .. });
        if self.shards && !sweeps {
            return refuse("--shards divides an experiment's file; leave it out for papers".to_string());
        }
        if engine == Engine::Kubernetes && (self.shards || !sweeps) {
            return refuse(
                "for Kubernetes there are experiments' files on a shared volume only; name a file, and leave out --shards"
                    .to_string(),
            );
        }
        let mut texts = vec![self.program.clone(), self.out.display().to_string()];
        match &self.work {
            Work::Sweep { file, options, .. } => {
                texts.push(file.display().to_string());
                texts.extend(options.iter().cloned());
            }
            Work::Reproduce { wanted } => texts.extend(wanted.iter().cloned()),
        }
        match texts.iter().find(|text| text.chars().any(char::is_control)) {
            Some(text) => refuse(format!("{text:?} has a control character, and a script could not be read")),
            None => Ok(()),
        }
    }

    /// The name of the job: letters, digits and hyphens, at most 40.
    fn name(&self) -> String {
        let id = match &self.work {
            Work::Sweep { id, .. } => id.clone(),
            Work::Reproduce { wanted } if wanted.is_empty() => "papers".to_string(),
            Work::Reproduce { wanted } => wanted.join("-"),
        };
        let plain = id.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let name = format!("switchlab-{}", plain.trim_matches('-'));
        let end = name.len().min(40);
        name.get(..end).unwrap_or(&name).trim_end_matches('-').to_string()
    }

    /// Where the workers write what they say.
    fn logs(&self) -> PathBuf {
        self.out.join("logs")
    }

    /// How long a worker begins units: less than its time by a tenth, at most five minutes, so that
    /// it ends by itself.
    fn limit(&self) -> Duration {
        self.time.saturating_sub((self.time / 10).min(Duration::from_mins(5)))
    }

    /// The command of a worker. It computes units and writes no tables: it ends with 0 when none is
    /// left, with 3 when its time is over.
    fn worker(&self, shard: &Shard) -> String {
        match &self.work {
            Work::Sweep { .. } => {
                let (part, out) = match shard {
                    Shard::All => ("1/1".to_string(), quoted(&self.out.display().to_string())),
                    Shard::Part(variable) => (
                        format!("\"${{{variable}}}/{}\"", self.workers),
                        format!("{}\"${{{variable}}}\"", quoted(&self.part(""))),
                    ),
                };
                format!("{} --shard {part} {}", self.sweep(&out), self.limits())
            }
            Work::Reproduce { .. } => self.closing(),
        }
    }

    /// The command that follows the workers. It finishes what they left, as far as its time goes,
    /// and writes tables, figures and rulings.
    fn closing(&self) -> String {
        match &self.work {
            Work::Sweep { .. } => {
                format!("{} {}", self.sweep(&quoted(&self.out.display().to_string())), self.limits())
            }
            Work::Reproduce { wanted } => {
                let wanted = words(wanted);
                let out = quoted(&self.out.display().to_string());
                let (program, threads) = (quoted(&self.program), self.threads);
                format!("{program} reproduce{wanted} --full --out {out} --threads {threads}")
            }
        }
    }

    /// The command that says how far the work is.
    fn status(&self) -> String {
        let dirs = match (&self.work, self.shards) {
            (Work::Reproduce { .. }, _) => return format!("look into {}", quoted(&self.logs().display().to_string())),
            (_, false) => quoted(&self.out.display().to_string()),
            (_, true) => format!("{}*", quoted(&self.part(""))),
        };
        format!("{} status {dirs}", quoted(&self.program))
    }

    /// The command that joins the parts.
    fn merge(&self) -> String {
        let parts: Vec<String> = (1..=self.workers).map(|part| self.part(&part.to_string())).collect();
        let parts = words(&parts);
        format!("{} merge{parts} --out {}", quoted(&self.program), quoted(&self.out.display().to_string()))
    }

    /// The directory of a part.
    fn part(&self, part: &str) -> String {
        self.out.join(format!("part-{part}")).display().to_string()
    }

    fn sweep(&self, out: &str) -> String {
        let Work::Sweep { file, options, .. } = &self.work else {
            unreachable!("papers are not swept");
        };
        let options = words(options);
        format!("{} sweep {} --out {out}{options}", quoted(&self.program), quoted(&file.display().to_string()))
    }

    fn limits(&self) -> String {
        format!("--threads {} --time-limit {}s", self.threads, self.limit().as_secs())
    }
}

/// Which units a worker computes.
enum Shard {
    /// Any that is missing.
    All,
    /// Those of the part whose number is in this variable of the shell.
    Part(&'static str),
}

/// Words for a shell, each with a blank before it.
fn words(texts: &[String]) -> String {
    texts.iter().fold(String::new(), |line, text| line + " " + &quoted(text))
}

/// A word for a shell. What is not plainly harmless stands in single quotes.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        return text.to_string();
    }
    // Options keep their hyphens; their values are quoted.
    if let Some(option) =
        text.strip_prefix("--").filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    {
        return format!("--{option}");
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
