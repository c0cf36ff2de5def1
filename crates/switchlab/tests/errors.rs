//! Mistakes that people make, each with the whole of what the program says to it. Nothing is run:
//! the exit code is 2, and stdout is empty.

use assert_cmd::Command;
use std::path::Path;
use switchlab_core::registry::SWITCHES;

/// A mistake: arguments divided by blanks, as in a shell with single quotes, and what is said.
/// SWITCHES stands for the names of all switches.
const MISTAKES: &[(&str, &str)] = &[
    (
        "run islip --ports 4 --load 100Gbps",
        "error: invalid value '100Gbps' for '--load <X>': a load is a share of the line, from 0 to 1: write 0.9 or 90%

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.1-0.9",
        "error: invalid value '0.1-0.9' for '--load <X>': a range is first:last:step; write 0.1:0.9:0.1

For more information, try '--help'.
",
    ),
    (
        "run oq, islip --ports 4 --load 0.5",
        r#"error: cannot read the spec "oq,": ',' cannot be part of a name; names in a list are divided by blanks alone; write name or name(key=value,...)
"#,
    ),
    (
        "run islip --ports 4 --load 1.5",
        "error: a load of 1.5 is not possible: it must be a number from 0 to 1
",
    ),
    (
        "run islip --ports 4 --load 150%",
        "error: a load of 1.5 is not possible: it must be a number from 0 to 1
",
    ),
    (
        "run islip --ports 4 --load -0.5",
        "error: a load of -0.5 is not possible: it must be a number from 0 to 1
",
    ),
    (
        "run islip --ports 4 --load nan",
        "error: a load of NaN is not possible: it must be a number from 0 to 1
",
    ),
    (
        "run islip --ports 4 --load 0.5 --slots 10ms",
        "error: invalid value '10ms' for '--slots <S>': time is counted in slots, one cell long each: write a whole number, such as 200000, 200_000 or 2e5

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --slots -5",
        "error: invalid value '-5' for '--slots <S>': write a whole number, such as 200000, 200_000 or 2e5

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --warmup 1s",
        "error: invalid value '1s' for '--warmup <W>': time is counted in slots, one cell long each: write a whole number, such as 200000, 200_000 or 2e5, or auto

For more information, try '--help'.
",
    ),
    (
        "run islip --ports -4 --load 0.5",
        "error: invalid value '-4' for '--ports <N>': a switch has from 1 to 4096 ports: write a whole number, such as 16

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4.5 --load 0.5",
        "error: invalid value '4.5' for '--ports <N>': a switch has from 1 to 4096 ports: write a whole number, such as 16

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 0 --load 0.5",
        "error: 0 ports are not possible: a switch has from 1 to 4096
",
    ),
    (
        "run islip --ports 5000 --load 0.5",
        "error: 5000 ports are not possible: a switch has from 1 to 4096
",
    ),
    (
        "run islip --load 0.5",
        "error: uniform: the number of ports is missing; add --ports N
",
    ),
    (
        "run islip --ports 4",
        "error: uniform: the load is missing; add --load X, from 0 to 1
",
    ),
    (
        "run islip --ports 4 --load 0.5 --seed -1",
        "error: invalid value '-1' for '--seed <K>': a seed is a whole number from 0 to 18446744073709551615

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --replications -1",
        "error: invalid value '-1' for '--replications <R>': write a whole number, from 1 on

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --replications 0",
        "error: --replications must be from 1 to 10000
",
    ),
    (
        "run islip --ports 4 --load 0.5 --threads many",
        "error: invalid value 'many' for '--threads <T>': write a whole number, from 1 on

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --memory 10",
        "error: --memory must be at least 1 MiB
",
    ),
    (
        "run islip --ports 4 --load 0.5 --percentiles p99",
        "error: invalid value 'p99' for '--percentiles <LIST>': a percentile is a number above 0 and below 100, such as 99.9

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --xyz",
        "error: unexpected argument '--xyz' found

Usage: switchlab run --ports <N> --load <X> <SWITCH>...

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 -p 4",
        "error: unexpected argument '-p' found

  tip: the number of ports is -n or --ports

Usage: switchlab run [OPTIONS] <SWITCH>...

For more information, try '--help'.
",
    ),
    (
        "run islip --ports 4 --load 0.5 --quiett",
        "error: unexpected argument '--quiett' found

  tip: a similar argument exists: '--quiet'

Usage: switchlab run --ports <N> --load <X> --quiet <SWITCH>...

For more information, try '--help'.
",
    ),
    (
        "run oq,islip --ports 4 --load 0.5",
        r#"error: "oq,islip" is a list; write one switch after the other, with blanks between them
"#,
    ),
    (
        "run wfq --ports 4 --load 0.5",
        r#"error: there is no switch called "wfq"; weighted fair queueing is a discipline: psm-flows(discipline="wfq(w=3:1)")
"#,
    ),
    (
        "run drr --ports 4 --load 0.5",
        r#"error: there is no switch called "drr"; round robin by frames is uform; round robin by cells is islip
"#,
    ),
    (
        "run voq --ports 4 --load 0.5",
        r#"error: there is no switch called "voq"; a crossbar with VOQs is named by its scheduler, such as islip
"#,
    ),
    (
        "run isilp --ports 4 --load 0.5",
        r#"error: there is no switch called "isilp"; did you mean islip? There are: SWITCHES
"#,
    ),
    (
        "run 'psm(4)' --ports 4 --load 0.5",
        "error: psm has several parameters (memories, capacity, matcher, placement, access); write psm(memories=...)
",
    ),
    (
        "run ok.csv --ports 4 --load 0.5",
        r#"error: "ok.csv" is the name of a file, and no switch
"#,
    ),
    (
        "run islip --ports 4 --load 0.5 --arrivals poisson",
        r#"error: there is no arrival process called "poisson"; bernoulli is its form in slotted time
"#,
    ),
    (
        "run islip --ports 4 --load 0.5 --plot x.gif",
        "error: x.gif: pictures are written as .svg, .png or .pdf, by the extension of the file
",
    ),
    (
        "run islip --ports 4 --load 0.5 --plot nodir/x.svg",
        "error: cannot write nodir/x.svg: the folder nodir does not exist; create it first
",
    ),
    (
        "run islip --ports 4 --load 0.5 --departures nodir/d.csv",
        "error: cannot write nodir/d.csv: the folder nodir does not exist; create it first
",
    ),
    (
        "run oq --traffic 'trace(file=nosuch.csv)'",
        "error: cannot read nosuch.csv: No such file or directory (os error 2)
",
    ),
    (
        "run oq --traffic 'trace(file=ok.csv.gz)'",
        "error: cannot read ok.csv.gz: unexpected end of file
",
    ),
    (
        "run oq --traffic 'trace(file=x.pcap)'",
        "error: x.pcap is a packet capture, and no text; a trace is CSV: the header slot,input,output, then a line for each cell
",
    ),
    (
        "run oq --traffic 'trace(file=x.bin)'",
        "error: x.bin is not text; a trace is CSV: the header slot,input,output, then a line for each cell
",
    ),
    (
        "run oq --traffic 'trace(file=latin.csv)'",
        "error: latin.csv: line 2 is not text; a trace is CSV: the header slot,input,output, then a line for each cell
",
    ),
    (
        "run oq --traffic 'trace(file=short.csv)'",
        "error: short.csv: line 2: 2 fields, and the lines before have 3
",
    ),
    (
        "run oq --traffic 'trace(file=semicolons.csv)'",
        r#"error: semicolons.csv begins with "slot;input;output", with semicolons where commas belong; a trace is CSV: the header slot,input,output, then a line for each cell
"#,
    ),
    (
        "run oq --traffic 'trace(file=tabs.csv)'",
        r#"error: tabs.csv begins with "slot\tinput\toutput", with tabs where commas belong; a trace is CSV: the header slot,input,output, then a line for each cell
"#,
    ),
    (
        "run oq --traffic 'trace(file=swapped.csv)'",
        r#"error: swapped.csv begins with "input,slot,output"; a trace is CSV: the header slot,input,output, then a line for each cell
"#,
    ),
    (
        "run oq --traffic 'trace(file=bare.csv)'",
        r#"error: bare.csv begins with "0,0,1"; a trace is CSV: the header slot,input,output, then a line for each cell
"#,
    ),
    (
        "run oq --traffic 'trace(file=empty.csv)'",
        "error: empty.csv is empty; a trace is CSV: the header slot,input,output, then a line for each cell
",
    ),
    (
        "run oq --traffic 'trace(file=we ird,name(1).csv)'",
        r#"error: cannot read the spec "trace(file=we ird,name(1).csv)": each argument must be key=value; a value with commas or parentheses goes between double quotes; write name or name(key=value,...)
"#,
    ),
    (
        "run oq --traffic ok.csv",
        r#"error: "ok.csv" is the name of a file, and no traffic; write trace(file=ok.csv) for cells, or matrix(file=ok.csv) for rates
"#,
    ),
    (
        "run oq --traffic 'trace(file=ok.csv)' --arrivals bernoulli",
        "error: a trace says itself when cells arrive; leave out --arrivals
",
    ),
    (
        "run oq --traffic 'matrix(file=ok.csv.gz)'",
        "error: cannot read ok.csv.gz: unexpected end of file
",
    ),
    (
        "run oq --traffic 'matrix(file=gbps.csv)'",
        "error: the load matrix is not admissible: row 0 sums to 80, and a port carries at most 1; scale the matrix down
",
    ),
    (
        "run",
        "error: the following required arguments were not provided:
  <SWITCH>...

Usage: switchlab run <SWITCH>...

For more information, try '--help'.
",
    ),
    (
        "frobnicate",
        "error: unrecognized subcommand 'frobnicate'

Usage: switchlab <COMMAND>

For more information, try '--help'.
",
    ),
    (
        "bench nosuch",
        r#"error: there is no switch called "nosuch"; there are: SWITCHES
"#,
    ),
    (
        "bench benes --ports 12",
        "error: benes(distribution=rr,resequencing=per-stage,distribution-buffer=1,credit-delay=0,merge=round-robin,pointers=random,backpressure=per-group): with elements of 2 x 2 the number of ports is a power of 2, and 12 is none; the nearest: 8 and 16
",
    ),
    (
        "reproduce 005",
        r#"error: no paper, experiment or figure is called "005"; the papers are: 000, 001, 002, 003, 004, classics; did you mean 000?
"#,
    ),
    (
        "reproduce 001/nosuch",
        r#"error: no paper, experiment or figure is called "001/nosuch"; paper 001 has: EXPERIMENTS
"#,
    ),
    (
        "replay empty",
        "error: empty holds no manifest.json; `switchlab sweep` writes one when all its results are there
",
    ),
    (
        "replay nosuch",
        "error: cannot read nosuch: No such file or directory (os error 2)
",
    ),
    (
        "replay mine.toml",
        "error: mine.toml is an experiment, and no manifest; use `switchlab sweep`
",
    ),
    (
        "replay ok.csv",
        "error: ok.csv is not a manifest: expected value at line 1 column 1
",
    ),
    (
        "plot shard",
        "error: shard: some results are missing: let `switchlab sweep` finish, or join its parts with `switchlab merge`
",
    ),
    (
        "plot empty",
        "error: empty: there are no results in it; `switchlab sweep EXPERIMENT.toml --out DIR` makes them
",
    ),
    (
        "plot nosuch",
        "error: cannot read nosuch: No such file or directory (os error 2)
",
    ),
    (
        "sweep nosuch.toml",
        "error: cannot read nosuch.toml: No such file or directory (os error 2)
",
    ),
    (
        "merge nosuch --out x",
        "error: cannot read nosuch/units.jsonl: No such file or directory (os error 2)
",
    ),
    (
        "limit islip --ports 4 --load 0.5",
        "error: unexpected argument '--load' found

  tip: limit searches the load; leave out --load

Usage: switchlab limit --ports <N> <SWITCH>...

For more information, try '--help'.
",
    ),
    (
        "run oq --ports 4 --load 0.5 --y throughput --plot x.svg",
        "error: --y is for a curve; give several loads, ports or values of a variable
",
    ),
    (
        "run oq --ports 4 --load 0.5 --vary w",
        "error: invalid value 'w' for '--vary <NAME=LIST>': write NAME=LIST, such as w=0:1:0.1 or k=1,2,4

For more information, try '--help'.
",
    ),
    (
        "run oq --ports 4 --load 0.5 --traffic 'unbalanced(w={w})'",
        "error: {w} in unbalanced(w={w}) has no values; add --vary w=LIST
",
    ),
    (
        "run oq --ports 4 --load 0.5 --vary w=1 --vary w=2",
        "error: --vary w is given twice
",
    ),
    (
        "run oq --ports 4 --load 0.5 --vary w=1",
        "error: --vary: no spec uses the variable w; write {w} where its value belongs
",
    ),
    (
        "run rga --ports 4 --load 0.5",
        "error: there is no switch called \"rga\"; request, grant and accept are the steps of pim, islip, rrm and ilqf; name one of them
",
    ),
    (
        "limit islip --ports 4,0",
        "error: 0 ports are not possible: a switch has from 1 to 4096
",
    ),
    (
        "limit oq benes --ports 8,12",
        "error: benes(distribution=rr,resequencing=per-stage,distribution-buffer=1,credit-delay=0,merge=round-robin,pointers=random,backpressure=per-group): with elements of 2 x 2 the number of ports is a power of 2, and 12 is none; the nearest: 8 and 16
",
    ),
    (
        "rtl islip --ports 4 --out x",
        "error: invalid value 'islip' for '<SCHEDULER>'
  [possible values: find-roots]

For more information, try '--help'.
",
    ),
    (
        "explain isilp",
        r#"error: nothing is called "isilp"; did you mean islip? `switchlab list` shows what there is
"#,
    ),
];

/// Arguments divided by blanks outside single quotes.
fn arguments(command: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            all.push(part.to_string());
        } else {
            all.extend(part.split_whitespace().map(str::to_string));
        }
    }
    all
}

/// The files that the mistakes are made with.
fn prepare(folder: &Path) {
    let files: [(&str, &[u8]); 14] = [
        ("ok.csv", b"slot,input,output\n0,0,1\n1,1,0\n"),
        ("we ird,name(1).csv", b"slot,input,output\n0,0,1\n"),
        ("ok.csv.gz", b"\x1f\x8b\x08\x08\x00\x00\x00\x00"),
        ("x.pcap", b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00"),
        ("x.bin", b"\x7fELF\x02\x01\x01\x00"),
        ("latin.csv", b"slot,input,output,note\n0,0,1,\xe9\n"),
        ("short.csv", b"slot,input,output\n0,0\n"),
        ("semicolons.csv", b"slot;input;output\n0;0;1\n"),
        ("tabs.csv", b"slot\tinput\toutput\n0\t0\t1\n"),
        ("swapped.csv", b"input,slot,output\n0,0,1\n"),
        ("bare.csv", b"0,0,1\n"),
        ("empty.csv", b""),
        ("gbps.csv", b"40,40\n40,40\n"),
        (
            "mine.toml",
            b"title = \"x\"\nswitches = [\"oq\"]\nports = 4\nloads = [0.5]\nslots = 1000\nreplications = 2\n",
        ),
    ];
    for (name, content) in files {
        std::fs::write(folder.join(name), content).unwrap();
    }
    std::fs::create_dir(folder.join("empty")).unwrap();
    let shard = ["sweep", "mine.toml", "--out", "shard", "--shard", "1/2"];
    Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(shard).assert().success();
}

#[test]
fn every_mistake_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    // What paper 001 has, in the order of its files: an experiment, then its figures.
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    let papers = switchlab_lab::reproduce::read(&papers, switchlab_lab::experiment::Mode::Full).unwrap();
    let paper = papers.iter().find(|paper| paper.id == "001").unwrap();
    let names = |experiment: &switchlab_lab::experiment::Experiment| {
        let figures = experiment.figures.iter().map(|figure| figure.id.clone());
        std::iter::once(experiment.id.clone()).chain(figures).collect::<Vec<_>>()
    };
    // A name that several have is said once.
    let mut seen = std::collections::BTreeSet::new();
    let all = paper.experiments.iter().flat_map(names).filter(|name| seen.insert(name.clone()));
    let experiments = all.collect::<Vec<_>>().join(", ");
    let switches = SWITCHES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    for (command, said) in MISTAKES {
        let output =
            Command::cargo_bin("switchlab").unwrap().current_dir(&folder).args(arguments(command)).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(err, said.replace("SWITCHES", &switches).replace("EXPERIMENTS", &experiments), "{command}");
        assert_eq!((output.status.code(), &*out), (Some(2), ""), "{command}");
    }
}

/// What is read from the standard input is the file that it holds, once.
#[test]
fn a_trace_comes_by_the_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let run = |traffic: &str| {
        let mut command = Command::cargo_bin("switchlab").unwrap();
        command.current_dir(&folder).args(["run", "islip", "--traffic", traffic, "--json"]);
        command.write_stdin(std::fs::read(folder.path().join("ok.csv")).unwrap()).output().unwrap()
    };
    let (by_name, by_stdin) = (run("trace(file=ok.csv)"), run("trace(file=-)"));
    let text = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).replace("file=ok.csv", "file=-");
    assert!(by_stdin.status.success() && text(&by_name) == text(&by_stdin), "{by_stdin:?}");
}

/// A switch that is named twice is run, and noted.
#[test]
fn a_switch_named_twice_is_noted() {
    let run = ["run", "islip", "oq", "islip(1)", "--ports", "4", "--load", "50%", "--slots", "1000"];
    let output = Command::cargo_bin("switchlab").unwrap().args(run).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.starts_with("note: islip is named more than once; its rows are the same\n"),
        "{said}"
    );
}
