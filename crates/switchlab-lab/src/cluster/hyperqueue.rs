//! `HyperQueue`: a script for bash that submits an array of workers, waits for it, and writes the
//! results.

use super::{Job, Shard, quoted};

pub(super) fn script(job: &Job) -> String {
    let (name, workers) = (job.name(), job.workers);
    let logs = quoted(&job.logs().display().to_string());
    let shard = if job.shards { Shard::Part("HQ_TASK_ID") } else { Shard::All };
    let resources = format!("--cpus {} --time-limit {}s", job.threads, job.time.as_secs());
    let output = |name: &str| format!("--stdout {logs}/{name}.log --stderr {logs}/{name}.log");
    let merge = if job.shards { format!("{} || [ $? = 3 ]\n", job.merge()) } else { String::new() };
    format!(
        "#!/usr/bin/env bash\n\
         # {workers} workers under HyperQueue, then the results. Run it where `hq` finds its server, in a\n\
         # folder that all machines see, by:  bash THIS_FILE\n\
         # A worker of HyperQueue that is lost is replaced: its task begins again, and goes on with the\n\
         # units that are missing.\n\
         # How far it is:  {status}\n\
         # Exit code 3: units are left, and the same script goes on with them.\n\
         set -euo pipefail\n\
         \n\
         mkdir -p {logs}\n\
         workers=$(hq --output-mode quiet submit --name {name} --array 1-{workers} \\\n\
         \x20 {resources} \\\n\
         \x20 {to_workers} \\\n\
         \x20 -- bash -c {worker})\n\
         echo \"workers: job $workers; logs: \"{logs}\n\
         hq job wait \"$workers\" || true\n\
         {merge}exec {closing}\n",
        status = job.status(),
        to_workers = output("'%{JOB_ID}'-'%{TASK_ID}'"),
        worker = quoted(&format!("exec {}", job.worker(&shard))),
        closing = job.closing(),
    )
}
