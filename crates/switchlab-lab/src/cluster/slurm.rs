//! Slurm: a script for bash that submits an array of workers, and a job that follows them.

use super::{Job, Shard, Work, quoted};
use std::time::Duration;

pub(super) fn script(job: &Job) -> String {
    let (name, workers) = (job.name(), job.workers);
    let logs = quoted(&job.logs().display().to_string());
    let shard = if job.shards { Shard::Part("SLURM_ARRAY_TASK_ID") } else { Shard::All };
    let array = directives(job, &name, "%A-%a", &format!("#SBATCH --array=1-{workers}\n"));
    let last = directives(job, &format!("{name}-results"), "%j", "");
    let merge = if job.shards { format!("{} || [ $? = 3 ]\n", job.merge()) } else { String::new() };
    let shared = if job.shards {
        "# Each worker computes a part of its own. The last job joins the parts: it must see all of them."
    } else {
        "# The workers share one directory, and each takes units that no other has. A worker that is\n\
         # killed loses the unit in hand; another takes it."
    };
    let what = match job.work {
        Work::Sweep { .. } => "exit code 3: units are left, and the same script goes on with them",
        Work::Reproduce { .. } => "after a stop the same script goes on where it was",
    };
    format!(
        "#!/usr/bin/env bash\n\
         # {workers} workers under Slurm, then a job that writes the results. Submit both from a folder that\n\
         # all nodes see, by:  bash THIS_FILE\n\
         {shared}\n\
         # How far it is:  {status}\n\
         # Of the last job, {what}.\n\
         set -euo pipefail\n\
         \n\
         mkdir -p {logs}\n\
         workers=$(sbatch --parsable <<'JOB'\n\
         {array}\n\
         exec {worker}\n\
         JOB\n\
         )\n\
         results=$(sbatch --parsable --dependency=\"afterany:${{workers%%;*}}\" <<'JOB'\n\
         {last}\n\
         {merge}exec {closing}\n\
         JOB\n\
         )\n\
         echo \"workers: job ${{workers%%;*}}; results: job ${{results%%;*}}; logs: \"{logs}\n",
        status = job.status(),
        worker = job.worker(&shard),
        closing = job.closing(),
    )
}

/// The head of a job. Its log is appended to, for a job that is requeued keeps its number.
fn directives(job: &Job, name: &str, log: &str, more: &str) -> String {
    // Slurm reads these lines without a shell: quotes protect blanks only.
    let log = format!("{}/{log}.log", job.logs().display()).replace('"', "\\\"");
    format!(
        "#!/usr/bin/env bash\n\
         #SBATCH --job-name={name}\n\
         {more}\
         #SBATCH --cpus-per-task={}\n\
         #SBATCH --mem={}M\n\
         #SBATCH --time={}\n\
         #SBATCH --output=\"{log}\"\n\
         #SBATCH --open-mode=append\n\
         #SBATCH --requeue\n\
         set -eu",
        job.threads,
        job.memory.div_ceil(1 << 20),
        clock(job.time),
    )
}

/// Days, hours, minutes and seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours) = (seconds / 86400, seconds / 3600 % 24);
    format!("{days}-{hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60)
}
