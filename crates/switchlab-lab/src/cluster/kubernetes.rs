//! Kubernetes: the experiment as a `ConfigMap`, and an Indexed Job.
//!
//! The pod with index 0 also writes the results: `sweep` waits for units that other pods hold. A
//! second Job was rejected, for Kubernetes has no order among jobs.

use super::{Job, Shard, Work};
use serde_json::{Value, json};

/// Where the file of the experiment is in a pod, and where the volume.
const EXPERIMENT: &str = "/experiment";
const RESULTS: &str = "/results";

pub(super) fn manifests(job: &Job) -> String {
    let Work::Sweep { text, options, id, .. } = &job.work else {
        unreachable!("Kubernetes gets experiments' files, as was checked");
    };
    let name = job.name();
    // In the pod, the file and the volume have names of their own.
    let inside = Job {
        work: Work::Sweep {
            file: format!("{EXPERIMENT}/{id}.toml").into(),
            text: String::new(),
            id: id.clone(),
            options: options.clone(),
        },
        out: format!("{RESULTS}/{id}").into(),
        ..job.clone()
    };
    let command = format!(
        "case \"$JOB_COMPLETION_INDEX\" in 0) exec {};; *) exec {};; esac",
        inside.closing(),
        inside.worker(&Shard::All)
    );
    let config = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name },
        "data": { format!("{id}.toml"): text },
    });
    let amounts = json!({ "cpu": job.threads.to_string(), "memory": format!("{}Mi", job.memory.div_ceil(1 << 20)) });
    let container = json!({
        "name": "worker",
        "image": job.pods.image,
        "command": ["sh", "-c", command],
        "resources": { "requests": amounts, "limits": amounts },
        "volumeMounts": [
            { "name": "experiment", "mountPath": EXPERIMENT, "readOnly": true },
            { "name": "results", "mountPath": RESULTS },
        ],
    });
    // A ruling that is not the expected one (1) and bad input (2) come again each time.
    let policy = json!({
        "rules": [{ "action": "FailJob", "onExitCodes": { "operator": "In", "values": [1, 2] } }],
    });
    let indexed = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name },
        "spec": {
            "completionMode": "Indexed",
            "completions": job.workers,
            "parallelism": job.workers,
            "backoffLimit": job.workers.saturating_mul(10),
            "activeDeadlineSeconds": job.time.as_secs(),
            "podFailurePolicy": policy,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [container],
                    "volumes": [
                        { "name": "experiment", "configMap": { "name": name } },
                        { "name": "results", "persistentVolumeClaim": { "claimName": job.pods.claim } },
                    ],
                },
            },
        },
    });
    format!(
        "# {workers} workers under Kubernetes. Pod 0 waits for the others and writes the results. Apply it by:\n\
         #   kubectl apply -f THIS_FILE\n\
         # The claim {claim} must be of a volume that many pods may write to, whose file locks hold among\n\
         # machines. How far it is:  {status}\n\
         # It is JSON, which is YAML too: what is in an experiment's file cannot break out of its quotes.\n\
         {config}\n---\n{indexed}\n",
        workers = job.workers,
        claim = job.pods.claim,
        status = inside.status(),
        config = pretty(&config),
        indexed = pretty(&indexed),
    )
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a tree of plain values has a text")
}
