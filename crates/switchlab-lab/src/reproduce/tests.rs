//! The page, read by an XML parser; `browser` opens it.

use super::*;
use crate::claims::{Evaluation, Ruling};
use crate::experiment::{Claim, Expected, Predicate, Select};
use crate::testing::{experiment, figure, results};

pub(super) const HOSTILE: &str = "</title><script>throw new Error('obeyed')</script>\"'&<b>\u{1}";

fn claim(id: &str) -> Claim {
    Claim {
        id: id.to_string(),
        text: format!("Claim {id}: the delay stays below 5 {HOSTILE}"),
        source: "Fig. 1".to_string(),
        printed: Some("4.2".to_string()),
        metric: "delay".to_string(),
        select: Select::default(),
        predicate: Predicate::AtMost(5.0),
        why: None,
        expected: Expected::Holds,
    }
}

/// A number of a table in print.
fn cell(ports: usize) -> Claim {
    let value = 0.75 - ports as f64 / 100.0;
    Claim {
        text: format!("With {ports} ports the throughput is {value}."),
        source: format!("table I, row {ports}"),
        printed: Some(value.to_string()),
        metric: "throughput".to_string(),
        select: Select([("ports".to_string(), vec![ports.to_string()])].into()),
        predicate: Predicate::Within { value, tolerance: 0.002 },
        why: (ports == 8).then(|| "The length: runs are short.".to_string()),
        ..claim(&format!("cell-{ports}"))
    }
}

fn own() -> Claim {
    Claim { source: "own; for contrast".to_string(), printed: None, ..claim("own-check") }
}

fn evaluation(ruling: Ruling) -> Evaluation {
    let evidence = vec![format!("oq at 0.8: 1.75 ±0.02 {HOSTILE}"), "fifo at 0.5: 2.1 ±0.1".to_string()];
    Evaluation { ruling, measured: "1.75 [1.73, 1.77]".to_string(), evidence, points: vec![0] }
}

pub(super) fn papers() -> Vec<PaperReport> {
    let rulings = [Ruling::Holds, Ruling::DoesNotHold, Ruling::Undecided];
    let report = |id: &str| {
        let mut delay = figure("delay");
        delay.title = format!("Mean delay {}", if id == "hostile" { HOSTILE } else { "against load" });
        delay.references.push((
            "closed form".to_string(),
            (1..19).map(|i| f64::from(i) / 20.0).map(|x| (x, 0.875 * x / (2.0 * (1.0 - x)))).collect(),
        ));
        let mut experiment = experiment(id, vec![delay, figure("throughput")]);
        experiment.claims = ["one", "two", "three"].map(claim).to_vec();
        experiment.claims.extend([2, 4, 8].map(cell));
        experiment.claims.push(own());
        let rulings = rulings.into_iter().chain([Ruling::Holds, Ruling::Holds, Ruling::DoesNotHold, Ruling::Holds]);
        let link = |name: &str| Link { name: name.to_string(), path: format!("a paper/{id}/{name}") };
        ExperimentReport {
            experiment,
            results: results(
                &["oq", "fifo", "islip(iterations=1)", "pim(iterations=1)"],
                &[0.1, 0.3, 0.5, 0.7, 0.8, 0.9],
                3,
            ),
            evaluations: rulings.map(evaluation).collect(),
            figure_files: vec![vec![link("delay.svg"), link("delay.csv")], vec![link("throughput.svg")]],
            files: vec![link("results.csv"), link("manifest.json")],
            unmeasured: None,
        }
    };
    let readme = format!(
        "# A paper & its title\n\n> A. Author, \"A title\", a journal 1999\n\nSee `plain` and `two`. What the paper *says*, and **why** ours differs.\n\n## Differences\n\n- one\n- two\n\n{HOSTILE}\n"
    );
    vec![
        PaperReport {
            id: "a paper".to_string(),
            readme_markdown: readme,
            experiments: vec![report("plain"), report("hostile")],
        },
        PaperReport { id: "empty".to_string(), readme_markdown: String::new(), experiments: Vec::new() },
    ]
}

pub(super) fn whole() -> String {
    let command = "switchlab reproduce --quick".to_string();
    let origin = ResultsOrigin::Run(Mode::Quick);
    page(&papers(), &Provenance { engine: "0.1.0".to_string(), origin, command, full: full() })
}

/// The experiment called plain with more loads and slots.
fn full() -> Vec<Paper> {
    let mut longer = experiment("plain", Vec::new());
    longer.loads = vec![0.1, 0.3, 0.5, 0.7, 0.8, 0.9];
    longer.slots = 200_000;
    vec![Paper { id: "a paper".to_string(), readme_markdown: String::new(), experiments: vec![longer] }]
}

#[test]
fn the_page_is_well_formed_and_complete() {
    let page = whole();
    assert_eq!(page, whole(), "the same results give the same bytes");
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let named = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
    assert_eq!((named("figure"), named("svg"), named("article")), (4, 8, 2));
    assert_eq!((named("script"), named("img"), named("link"), named("iframe")), (0, 0, 0, 0));
    let ids: Vec<_> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for id in [
        "a_paper",
        "top",
        "does-not-hold",
        "undecided",
        "a_paper/plain",
        "a_paper/plain/figure/delay",
        "a_paper/hostile/figure/throughput",
        "a_paper/plain/two",
        "empty",
    ] {
        assert_eq!(ids.iter().filter(|other| **other == id).count(), 1, "{id}");
    }
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let known = link.strip_prefix('#').map_or(link.starts_with("a%20paper/"), |id| ids.contains(&id));
        assert!(known, "{link}");
    }
    // A row each, and one for a reason.
    assert_eq!(document.descendants().filter(|node| node.attribute("class") == Some("printed")).count(), 2);
    let row = document.descendants().find(|node| node.attribute("id") == Some("a_paper/plain/cell-4")).unwrap();
    assert_eq!(row.children().filter(|node| node.tag_name().name() == "td").count(), 5);
    let text: String = document.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect();
    for words in [
        "Claim one",
        "Claim two",
        "Claim three",
        "✓ holds",
        "✗ does not hold",
        "? undecided",
        "paper says",
        "mean delay (slots): 1.75, interval 1.73 to 1.77",
        "mean delay (slots) is at most 5, at every point",
        "The papers' claims: 12",
        "Our own checks: 2",
        "What does not hold: 4 claims",
        "What is undecided: 2 claims",
        "The length: runs are short.",
        "lies within 0.71 ± 0.002",
        "table I: Throughput (cells per output and slot)",
        "1.73 to 1.77",
        "quick: 3 of 6 loads, 20000 of 200000 slots",
        "A paper & its title",
        "A. Author, \"A title\", a journal 1999",
        "switchlab 0.1.0",
        "--quick",
    ] {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn reports_and_balances() {
    let papers = papers();
    let balance = papers[0].balance();
    assert_eq!(balance.of_paper, Tally { holds: 6, fails: 4, undecided: 2 });
    assert_eq!(balance.own, Tally { holds: 2, fails: 0, undecided: 0 });
    assert_eq!(balance.of_paper + balance.own, papers[0].tally());
    for (source, own) in [
        ("own", true),
        ("own; the paper gives none", true),
        ("our own, for contrast", true),
        ("beyond the paper", true),
        ("by definition of the traffic", true),
        ("ownership, section 2", false),
        ("table I; own reading", false),
    ] {
        assert_eq!(Claim { source: source.to_string(), ..claim("x") }.is_own(), own, "{source}");
    }
}

/// Claims in LaTeX, and the figures beside it; compiled where there is a LaTeX.
#[test]
fn the_report_is_latex() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a report.tex");
    let provenance = Provenance::new(ResultsOrigin::Run(Mode::Quick), &["a paper".to_string()]).reduced_from(full());
    let warnings = write_latex(&path, &papers(), &provenance, "2026-11-18").unwrap();
    assert!(warnings.is_empty() || cfg!(not(feature = "png")), "{warnings:?}");
    let source = std::fs::read_to_string(&path).unwrap();
    for words in [
        "Of 12 claims of the paper, 6 hold, 4 do not hold and 2 are undecided.",
        "A. Author",
        "2026-{}11-{}18",
        "What does not hold",
        "\\textbf{does not hold}",
        "interval 1.73 to 1.77",
    ] {
        assert!(source.contains(words), "{words}: {source}");
    }
    assert!(source.is_ascii());
    if cfg!(feature = "png") {
        let pictures = std::fs::read_dir(dir.path().join("a-report-figures")).unwrap().count();
        assert_eq!((pictures, source.matches("\\includegraphics").count()), (4, 4));
        assert!(source.contains("quick: 3 of 6 loads"));
    }
    let mut latex = std::process::Command::new("pdflatex");
    latex.args(["-interaction=nonstopmode", "-halt-on-error", "a report.tex"]).current_dir(dir.path());
    match latex.output() {
        Ok(output) => {
            let log = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{log}");
            assert!(!log.contains("Overfull"), "{log}");
        }
        Err(_) => println!("skipped: no pdflatex on this machine, so the report is not compiled"),
    }
}

/// The page and the report of papers whose results are in the folder OUT, for people to look at:
/// `OUT=out WANTED='003 classics' cargo test -p switchlab-lab -- --ignored the_papers_again`.
#[test]
#[ignore = "writes files to look at into the folder OUT"]
fn the_papers_again() {
    let out = std::path::PathBuf::from(std::env::var("OUT").expect("OUT says where results are"));
    let wanted: Vec<String> =
        std::env::var("WANTED").unwrap_or_default().split_whitespace().map(str::to_string).collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    let chosen = choose(read(&folder, Mode::Quick).unwrap(), &wanted).unwrap();
    let provenance =
        Provenance::new(ResultsOrigin::Run(Mode::Quick), &wanted).reduced_from(read(&folder, Mode::Full).unwrap());
    let reproduced = reproduce(chosen, &out, None, &provenance, None, |_, _| {}).unwrap();
    write_latex(&out.join("report.tex"), &reproduced.papers, &provenance, &crate::date::today()).unwrap();
}
