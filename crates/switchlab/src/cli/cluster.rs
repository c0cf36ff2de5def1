//! Options of `switchlab cluster`.

use super::sweep::setting;
use super::values::{duration, size, whole};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use switchlab_lab::cluster::Engine;

#[derive(Debug, Args)]
#[command(after_help = "\
The script is printed, nothing is submitted: read it, change it, run it by `bash`. Workers share the directory of results, and each takes \
units that no other has, so a worker that is killed delays the others by the unit in hand. Results are the same bytes as those of one process.

Examples:
  switchlab cluster slurm delay.toml --workers 16 --time 4h > job.sh
  switchlab cluster hq delay.toml --workers 8 --threads 4 --out results/delay > job.sh
  switchlab cluster k8s delay.toml --workers 20 --image registry.example/switchlab:0.1 > job.yaml
  The experiments of a paper, at full length:
    switchlab cluster slurm --reproduce 002 --workers 32 --time 12h > job.sh")]
pub(crate) struct ClusterArgs {
    /// What runs the machines
    #[arg(value_enum, value_name = "ENGINE")]
    pub(crate) engine: EngineName,

    /// The experiment, as TOML; the workers must find it under the same path
    #[arg(value_name = "EXPERIMENT.toml", required_unless_present = "reproduce")]
    pub(crate) experiment: Option<PathBuf>,

    /// Instead of a file: a paper, or an experiment of one, or all; may be given again
    #[arg(long, value_name = "PAPER[/FIGURE]", conflicts_with_all = ["experiment", "set", "quick"])]
    pub(crate) reproduce: Vec<String>,

    /// How many workers
    #[arg(long, value_name = "K", value_parser = whole::<u32>)]
    pub(crate) workers: u32,

    /// Threads of each worker, a core for each
    #[arg(long, value_name = "T", value_parser = whole::<u32>, default_value = "1")]
    pub(crate) threads: u32,

    /// How long a worker may run, such as 55m or 4h; it begins no unit that would not be finished
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "4h")]
    pub(crate) time: Duration,

    /// Memory of each worker, such as 4GiB
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "4GiB")]
    pub(crate) memory: u64,

    /// Where results are kept [default: out/ and the experiment's name]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// For machines that share no directory: each worker computes a part in a directory of its own,
    /// and the last job joins them
    #[arg(long)]
    pub(crate) shards: bool,

    /// For directories whose file locks do not hold among machines: each worker writes a file of
    /// its own there
    #[arg(long, conflicts_with_all = ["shards", "reproduce"])]
    pub(crate) no_locks: bool,

    /// Another value for a key of the file, as for sweep; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,

    /// The reduced form that the file's quick section describes
    #[arg(long)]
    pub(crate) quick: bool,

    /// The program, as the workers find it
    #[arg(long, value_name = "PATH", default_value = "switchlab")]
    pub(crate) program: String,

    /// For k8s: the image, with the program inside
    #[arg(long, value_name = "NAME", default_value = "switchlab:latest")]
    pub(crate) image: String,

    /// For k8s: the claim of a volume that many pods may write to
    #[arg(long, value_name = "NAME", default_value = "switchlab-results")]
    pub(crate) claim: String,
}

/// The engines, as they are called on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// A script that submits an array of workers by sbatch, and a job after them
    Slurm,
    /// The same for `HyperQueue`
    Hq,
    /// Manifests of an Indexed Job for Kubernetes
    K8s,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Slurm => Self::Slurm,
            EngineName::Hq => Self::HyperQueue,
            EngineName::K8s => Self::Kubernetes,
        }
    }
}
