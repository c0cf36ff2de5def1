//! `reproduce` and `plot`, from files to files.

use assert_cmd::Command;
use std::path::Path;

const EXPERIMENT: &str = "title = \"Saturation\"\nsource = \"a test\"\nswitches = \"fifo\"\nports = [2, 4]\nloads = 1.0\n\
    slots = 4000\nreplications = 2\nmost_replications = 16\n\n\
    [[figure]]\nid = \"curve\"\ntitle = \"Throughput\"\nx = \"ports\"\ny = \"throughput\"\n\n";

fn claim(at_least: f64) -> String {
    format!(
        "[[claim]]\nid = \"half\"\ntext = \"More than that\"\nsource = \"here\"\nmetric = \"throughput\"\nat-least = {at_least}\n"
    )
}

fn papers(dir: &Path, at_least: f64) {
    let paper = dir.join("papers/one");
    std::fs::create_dir_all(&paper).unwrap();
    std::fs::write(paper.join("README.md"), "# The one paper\n\nWords.\n").unwrap();
    std::fs::write(paper.join("saturation.toml"), EXPERIMENT.to_string() + &claim(at_least)).unwrap();
}

fn switchlab(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(dir).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_paper_becomes_a_page_and_its_files() {
    let dir = tempfile::tempdir().unwrap();
    papers(dir.path(), 0.5);
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "--quick"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("saturation/half") && out.contains("claims: 1 hold, 0 do not hold, 0 undecided"), "{out}");
    let page = std::fs::read(dir.path().join("out/index.html")).unwrap();
    let folder = dir.path().join("out/one/saturation");
    for file in
        ["figure-curve.svg", "figure-curve.csv", "figure-curve.png", "figure-curve.pdf", "results.csv", "manifest.json"]
    {
        assert!(folder.join(file).exists(), "{file}");
    }
    // Again, elsewhere and on one thread: the same page.
    let (code, ..) = switchlab(dir.path(), &["reproduce", "one/curve", "--quick", "--threads", "1", "--out", "other"]);
    assert_eq!(code, Some(0));
    let (code, ..) = switchlab(dir.path(), &["reproduce", "--quick", "--threads", "1", "--out", "other"]);
    assert_eq!((code, std::fs::read(dir.path().join("other/index.html")).unwrap() == page), (Some(0), true));
    let (code, out, err) = switchlab(dir.path(), &["replay", "out/one/saturation/manifest.json"]);
    assert_eq!(code, Some(0), "{out}{err}");

    let (code, out, err) =
        switchlab(dir.path(), &["plot", "out/one/saturation", "--x", "ports", "--y", "throughput", "--log", "x"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("throughput.svg") && folder.join("throughput.svg").exists(), "{out}");
    let (_, out, _) = switchlab(dir.path(), &["plot", "out/one/saturation", "--x", "ports", "--term"]);
    assert!(out.contains("Unstable from ports 2 on: fifo"), "{out}");
}

#[test]
fn a_false_claim_is_exit_1_and_bad_input_is_2() {
    let dir = tempfile::tempdir().unwrap();
    papers(dir.path(), 0.9);
    let (code, out, _) = switchlab(dir.path(), &["reproduce", "--quick"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("does not hold"), "{out}");
    let (code, _, err) = switchlab(dir.path(), &["reproduce", "one/saturatoin"]);
    assert!(code == Some(2) && err.contains("did you mean one/saturation?"), "{err}");
    let (code, _, err) = switchlab(dir.path(), &["reproduce", "--papers", "nowhere"]);
    assert!(code == Some(2) && err.contains("nowhere"), "{err}");
    let (code, _, err) = switchlab(dir.path(), &["plot", "nowhere"]);
    assert!(code == Some(2) && err.contains("nowhere"), "{err}");
}

#[test]
fn a_paper_becomes_a_report() {
    let dir = tempfile::tempdir().unwrap();
    papers(dir.path(), 0.5);
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "one", "--quick", "--latex", "report.tex"]);
    assert!(code == Some(0) && out.ends_with("report.tex\n"), "{out}{err}");
    let report = std::fs::read_to_string(dir.path().join("report.tex")).unwrap();
    assert!(report.contains("Reproduction report: The one paper") && report.contains("one/\\allowbreak{}saturation"));
    assert_eq!(magic(&dir.path().join("report-figures/one-saturation-curve.pdf")), b"%PDF-");
    let (code, _, err) = switchlab(dir.path(), &["reproduce", "--latex", "report.pdf", "--out", "nowhere"]);
    assert!(code == Some(2) && err.contains(".tex") && !dir.path().join("nowhere").exists(), "{err}");
}

/// Results that a full run keeps with the papers make the same claims and figures, without a run.
#[test]
fn shipped_results_make_the_page() {
    let dir = tempfile::tempdir().unwrap();
    papers(dir.path(), 0.5);
    let (code, out, err) = switchlab(dir.path(), &["reproduce"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("not measured: one/saturation: 2 of 2 points"), "{out}");
    let (code, _, err) = switchlab(dir.path(), &["reproduce", "--verify", "3"]);
    assert!(code == Some(2) && err.contains("no results are shipped"), "{err}");
    let (code, full, err) = switchlab(dir.path(), &["reproduce", "--full", "--out", "run"]);
    assert_eq!(code, Some(0), "{full}{err}");
    // Without time nothing is measured; with it all is, and what is there is not measured again.
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "--ship", "--time-limit", "0s"]);
    assert!(code == Some(3) && err.contains("time ran out"), "{out}{err}");
    assert!(out.contains("not measured: one/saturation: 2 of 2 points"), "{out}");
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "--ship", "--threads", "2"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let units = || std::fs::read(dir.path().join("papers/one/results/units.jsonl.gz")).unwrap();
    let shipped = units();
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "--ship", "--time-limit", "0s"]);
    assert!(code == Some(0) && units() == shipped, "{out}{err}");

    let (code, out, err) = switchlab(dir.path(), &["reproduce"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let claims = |text: &str| text.lines().find(|line| line.contains("saturation/half")).map(ToString::to_string);
    assert_eq!(claims(&out), claims(&full));
    assert!(out.contains("nothing was run") && !out.contains("not measured"), "{out}");
    let figure = |out: &str| std::fs::read(dir.path().join(out).join("one/saturation/figure-curve.svg")).unwrap();
    assert!(figure("out") == figure("run"));
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "--verify", "3", "--choice", "1"]);
    assert!(code == Some(0) && out.contains("3 of 3 units are the same"), "{out}{err}");

    // Other slots are other results, and those that are shipped are not used for them.
    let file = dir.path().join("papers/one/saturation.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("slots = 4000", "slots = 4001")).unwrap();
    let (_, out, _) = switchlab(dir.path(), &["reproduce"]);
    assert!(out.contains("2 of 2 points are not among the shipped results"), "{out}");
}

/// Two short replications cannot tell 0.6553, the truth with 4 ports, from the bound.
#[test]
fn an_undecided_claim_asks_for_more() {
    let dir = tempfile::tempdir().unwrap();
    papers(dir.path(), 0.655);
    let (code, out, err) = switchlab(dir.path(), &["reproduce", "--quick"]);
    let table = std::fs::read_to_string(dir.path().join("out/one/saturation/results.csv")).unwrap();
    assert!(code == Some(0) || code == Some(1), "{out}{err}");
    let replications = |line: &str| line.split(',').nth(9).and_then(|n| n.parse::<u32>().ok());
    assert!(table.lines().skip(1).filter_map(replications).any(|n| n > 2), "{table}");
    let (code, out, err) = switchlab(dir.path(), &["replay", "out/one/saturation/manifest.json"]);
    assert_eq!(code, Some(0), "{out}{err}");

    // What is shipped has as many replications as a full run, on any number of threads, and also if
    // it was measured for fewer before.
    let (_, full, _) = switchlab(dir.path(), &["reproduce", "--full", "--out", "full"]);
    let table = std::fs::read_to_string(dir.path().join("full/one/saturation/results.csv")).unwrap();
    let all: u32 = table.lines().skip(1).filter_map(replications).sum();
    assert!(all > 4, "{table}");
    let ruling = |text: &str| text.lines().find(|line| line.contains("saturation/half")).unwrap().to_string();
    let shipped = || std::fs::read(dir.path().join("papers/one/results/units.jsonl.gz")).unwrap();
    let mut before = Vec::new();
    for (first_bound, threads) in [(0.655, "1"), (0.655, "3"), (0.5, "2")] {
        papers(dir.path(), first_bound);
        let (_, out, err) = switchlab(dir.path(), &["reproduce", "--ship", "--threads", threads]);
        assert!(out.contains("as far as they are measured"), "{out}{err}");
        papers(dir.path(), 0.655);
        let (_, out, err) = switchlab(dir.path(), &["reproduce", "--ship", "--threads", threads]);
        assert_eq!(ruling(&out), ruling(&full), "{err}");
        let manifest = std::fs::read_to_string(dir.path().join("papers/one/results/manifest.json")).unwrap();
        assert!(manifest.contains(&format!("\"replications\": {all},")), "{manifest}");
        assert!(before.is_empty() || before == shipped());
        before = shipped();
        std::fs::remove_dir_all(dir.path().join("papers/one/results")).unwrap();
    }
}

/// The first bytes of a file.
fn magic(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap().into_iter().take(5).collect()
}

#[test]
fn every_kind_of_picture_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(
        path("two.toml"),
        "title = \"Two\"\nsource = \"a test\"\nswitches = [\"oq\", \"islip\"]\nports = 4\nloads = [0.4, 0.8]\nslots = 2000\nreplications = 2\n",
    )
    .unwrap();
    let (code, _, err) = switchlab(dir.path(), &["sweep", "two.toml", "--out", "two"]);
    assert_eq!(code, Some(0), "{err}");
    let starts: [(&str, &[u8]); 3] = [("svg", b"<svg "), ("png", b"\x89PNG\r"), ("pdf", b"%PDF-")];
    for kind in ["curve", "ccdf", "backlog", "matrix"] {
        for (extension, start) in starts {
            let out = format!("{kind}.{extension}");
            let plot = ["plot", "two", "--kind", kind, "--where", "load=0.8", "--out", &out, "--width", "88mm"];
            let (code, _, err) = switchlab(dir.path(), &plot);
            assert_eq!((code, magic(&path(&out)).as_slice()), (Some(0), start), "{out}: {err}");
            let out = format!("run-{out}");
            let run = ["run", "oq", "--ports", "4", "--load", "0.5", "--slots", "500", "--kind", kind, "--plot", &out];
            let (code, _, err) = switchlab(dir.path(), &run);
            assert_eq!((code, magic(&path(&out)).as_slice()), (Some(0), start), "{out}: {err}");
        }
    }
    let (code, _, err) = switchlab(dir.path(), &["plot", "two/results.csv", "--kind", "ccdf", "--out", "x.svg"]);
    assert!(code == Some(2) && err.contains("switchlab sweep"), "{err}");
    let (code, _, err) = switchlab(dir.path(), &["plot", "two", "--out", "x.jpg"]);
    assert!(code == Some(2) && err.contains(".svg, .png or .pdf"), "{err}");
}

#[test]
fn titles_labels_and_ratios() {
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let table = "switch,ports,traffic,arrivals,load,slots,verdict,delay\n\
        oq,8,uniform,bernoulli,0.5,9,stable,1.5\n\"islip(iterations=1)\",8,uniform,bernoulli,0.5,9,stable,3\n\
        oq,8,uniform,bernoulli,0.9,9,stable,4.5\n\"islip(iterations=1)\",8,uniform,bernoulli,0.9,9,stable,18\n";
    std::fs::write(dir.path().join("t.csv"), table).unwrap();
    let (code, _, err) = switchlab(
        dir.path(),
        &["plot", "t.csv", "--out", "a.svg", "--title", "Mine", "--label", "islip=iSLIP, once", "--ratio", "oq"],
    );
    assert_eq!(code, Some(0), "{err}");
    let svg = read("a.svg");
    assert!(svg.contains(">Mine<") && svg.contains("iSLIP, once") && svg.contains("Ratio to oq"), "{svg}");
    assert!(svg.contains("iSLIP, once = islip(iterations=1)"), "the description has the whole spec: {svg}");
    let (code, ..) = switchlab(dir.path(), &["plot", "t.csv", "--out", "b.svg", "--no-title", "--width", "88mm"]);
    let svg = read("b.svg");
    assert!(code == Some(0) && svg.contains("width=\"88mm\"") && !svg.contains("font-weight"), "{svg}");
    for wrong in [&["--label", "pim=x"][..], &["--ratio", "pim"], &["--width", "88"], &["--title", "a", "--no-title"]] {
        let (code, _, err) = switchlab(dir.path(), &[&["plot", "t.csv", "--out", "c.svg"], wrong].concat());
        assert!(code == Some(2) && !dir.path().join("c.svg").exists(), "{wrong:?}: {err}");
    }
}
