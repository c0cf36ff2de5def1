use super::*;
use std::io::Write;
use std::process::{Command, Stdio};

fn job() -> Job {
    Job {
        work: Work::Sweep {
            file: "delay.toml".into(),
            text: "title = \"Delay\"\n".to_string(),
            id: "delay".to_string(),
            options: Vec::new(),
        },
        out: "out/delay".into(),
        workers: 8,
        threads: 2,
        time: Duration::from_hours(4),
        memory: 4 << 30,
        shards: false,
        program: "switchlab".to_string(),
        pods: Pods { image: "switchlab:latest".to_string(), claim: "results".to_string() },
    }
}

/// Runs a script in a folder where sbatch and hq only write down what they are given.
fn run(script: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    // Each call appends its arguments and its input, one call after the other.
    let tool = "#!/bin/sh\nfor word in \"$@\"; do printf '<%s>' \"$word\"; done >> \"$CALLS\"\n\
                echo >> \"$CALLS\"\ncase $0 in *sbatch) cat >> \"$CALLS\"; echo 17;; *hq) echo 17;; esac\n";
    for name in ["sbatch", "hq", "switchlab"] {
        let path = folder.path().join(name);
        std::fs::write(&path, tool).expect("a tool");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a tool");
    }
    let calls = folder.path().join("calls");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut bash = Command::new("bash")
        .current_dir(folder.path())
        .env("PATH", path)
        .env("CALLS", &calls)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("bash");
    bash.stdin.take().expect("an input").write_all(script.as_bytes()).expect("a script");
    assert!(bash.wait().expect("an end").success(), "{script}");
    std::fs::read_to_string(calls).expect("calls").lines().map(str::to_string).collect()
}

#[test]
fn slurm_gets_an_array_and_a_job_after_it() {
    let calls = run(&job().script(Engine::Slurm).expect("a script"));
    assert_eq!(calls.iter().filter(|call| call.starts_with("<--parsable>")).count(), 2, "{calls:?}");
    let has = |line: &str| assert!(calls.iter().any(|call| call == line), "{line} in {calls:#?}");
    has("#SBATCH --array=1-8");
    has("#SBATCH --cpus-per-task=2");
    has("#SBATCH --mem=4096M");
    has("#SBATCH --time=0-04:00:00");
    has("<--parsable><--dependency=afterany:17>");
    // Five minutes less than four hours.
    has("exec switchlab sweep delay.toml --out out/delay --shard 1/1 --threads 2 --time-limit 14100s");
    has("exec switchlab sweep delay.toml --out out/delay --threads 2 --time-limit 14100s");
}

#[test]
fn parts_have_directories_of_their_own_and_are_joined() {
    let parts = Job { shards: true, workers: 2, ..job() };
    let calls = run(&parts.script(Engine::Slurm).expect("a script"));
    let has = |line: &str| assert!(calls.iter().any(|call| call.starts_with(line)), "{line} in {calls:#?}");
    has(
        "exec switchlab sweep delay.toml --out out/delay/part-\"${SLURM_ARRAY_TASK_ID}\" --shard \"${SLURM_ARRAY_TASK_ID}/2\"",
    );
    has("switchlab merge out/delay/part-1 out/delay/part-2 --out out/delay || [ $? = 3 ]");
    let calls = run(&parts.script(Engine::HyperQueue).expect("a script"));
    let merged = calls.iter().position(|call| call == "<merge><out/delay/part-1><out/delay/part-2><--out><out/delay>");
    let swept = calls.iter().position(|call| call.starts_with("<sweep><delay.toml><--out><out/delay><--threads><2>"));
    assert!(merged.is_some() && merged < swept, "{calls:#?}");
}

#[test]
fn hyperqueue_is_waited_for() {
    let calls = run(&job().script(Engine::HyperQueue).expect("a script"));
    assert!(calls[0].contains("<submit><--name><switchlab-delay><--array><1-8><--cpus><2>"), "{calls:#?}");
    let worker =
        "<bash><-c><exec switchlab sweep delay.toml --out out/delay --shard 1/1 --threads 2 --time-limit 14100s>";
    assert!(calls[0].ends_with(worker), "{calls:#?}");
    assert_eq!(calls[1], "<job><wait><17>");
    assert_eq!(calls[2], "<sweep><delay.toml><--out><out/delay><--threads><2><--time-limit><14100s>");
}

#[test]
fn names_do_not_reach_the_shell() {
    let name = "a b'$(touch x)`touch y`;\"\\&";
    let hostile = Job {
        work: Work::Sweep {
            file: format!("{name}.toml").into(),
            text: String::new(),
            id: name.to_string(),
            options: vec!["--set".to_string(), format!("title='{name}'")],
        },
        out: format!("out/{name}").into(),
        ..job()
    };
    let script = hostile.script(Engine::HyperQueue).expect("a script");
    let calls = run(&script);
    let swept =
        format!("<sweep><{name}.toml><--out><out/{name}><--set><title='{name}'><--threads><2><--time-limit><14100s>");
    assert_eq!(calls[2], swept);
    // The worker's command goes through a second shell.
    let inner = calls[0].rsplit_once("<-c><exec ").expect("a worker").1.trim_end_matches('>');
    assert_eq!(run(inner)[0], swept.replace("<--threads>", "<--shard><1/1><--threads>"));
    let lines = "out/a\nexec rm x";
    let refused = Job { out: lines.into(), ..job() }.script(Engine::Slurm);
    assert!(refused.is_err_and(|error| error.to_string().contains("control character")));
}

#[test]
fn papers_are_reproduced_in_full() {
    let papers = Job { work: Work::Reproduce { wanted: vec!["002/fig6".to_string()] }, ..job() };
    let calls = run(&papers.script(Engine::Slurm).expect("a script"));
    let command = "exec switchlab reproduce 002/fig6 --full --out out/delay --threads 2";
    assert_eq!(calls.iter().filter(|call| *call == command).count(), 2, "{calls:#?}");
    assert!(papers.script(Engine::Kubernetes).is_err());
    assert!(Job { shards: true, ..papers }.script(Engine::Slurm).is_err());
}

#[test]
fn pods_get_the_file_and_a_volume() {
    let text = job().script(Engine::Kubernetes).expect("manifests");
    let documents: Vec<&str> = text.split("---\n").collect();
    let parse = |document: &str| {
        let json: String = document.lines().filter(|line| !line.starts_with('#')).collect();
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON")
    };
    let (config, indexed) = (parse(documents[0]), parse(documents[1]));
    assert_eq!(config["data"]["delay.toml"], "title = \"Delay\"\n");
    assert_eq!(indexed["spec"]["completionMode"], "Indexed");
    assert_eq!(indexed["spec"]["completions"], 8);
    let container = &indexed["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"]["limits"]["memory"], "4096Mi");
    let command = container["command"][2].as_str().expect("a command");
    assert!(command.contains("sweep /experiment/delay.toml --out /results/delay --shard 1/1"), "{command}");
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |job: Job, words: &str| {
        let error = job.script(Engine::Slurm).expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(Job { workers: 0, ..job() }, "--workers must be from 1 to 10000");
    refused(Job { workers: 10_001, ..job() }, "--workers");
    refused(Job { threads: 0, ..job() }, "--threads");
    refused(Job { time: Duration::from_secs(119), ..job() }, "--time must be at least 2m");
    refused(Job { memory: 1 << 20, ..job() }, "--memory must be at least 1GiB");
}

#[test]
fn a_job_has_a_short_plain_name() {
    let named = |id: &str| {
        let Work::Sweep { file, text, options, .. } = job().work else { unreachable!() };
        Job { work: Work::Sweep { file, text, options, id: id.to_string() }, ..job() }.name()
    };
    assert_eq!(named("Delay of 5 switches!"), "switchlab-delay-of-5-switches");
    assert_eq!(named("é"), "switchlab");
    assert_eq!(named(&"x".repeat(100)).len(), 40);
}
