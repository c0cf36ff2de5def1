//! The page, read by an XML parser and by a browser.

use super::*;
use crate::claims::{Evaluation, Ruling};
use crate::experiment::{Claim, Expected, Predicate, Select};
use crate::testing::{experiment, figure, results};
use std::process::Command;

const HOSTILE: &str = "</title><script>throw new Error('obeyed')</script>\"'&<b>\u{1}";

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

fn evaluation(ruling: Ruling) -> Evaluation {
    let evidence = vec![format!("oq at 0.8: 1.75 ±0.02 {HOSTILE}"), "fifo at 0.5: 2.1 ±0.1".to_string()];
    Evaluation { ruling, measured: "1.75 ±0.02".to_string(), evidence, points: vec![0] }
}

fn papers() -> Vec<PaperReport> {
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
        let link = |name: &str| Link { name: name.to_string(), path: format!("a paper/{id}/{name}") };
        ExperimentReport {
            experiment,
            results: results(
                &["oq", "fifo", "islip(iterations=1)", "pim(iterations=1)"],
                &[0.1, 0.3, 0.5, 0.7, 0.8, 0.9],
                3,
            ),
            evaluations: rulings.map(evaluation).to_vec(),
            figure_files: vec![vec![link("delay.svg"), link("delay.csv")], vec![link("throughput.svg")]],
            files: vec![link("results.csv"), link("manifest.json")],
            unmeasured: None,
        }
    };
    let readme = format!(
        "# A paper & its title\n\nWhat the paper *says*, and **why** ours differs.\n\n## Differences\n\n- one\n- two\n\n{HOSTILE}\n"
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

fn whole() -> String {
    let command = "switchlab reproduce --quick".to_string();
    page(&papers(), &Provenance { engine: "0.1.0".to_string(), origin: Origin::Run(Mode::Quick), command })
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
        "a_paper--plain",
        "a_paper--plain--delay",
        "a_paper--hostile--throughput",
        "a_paper--plain--claim--two",
        "empty",
    ] {
        assert_eq!(ids.iter().filter(|other| **other == id).count(), 1, "{id}");
    }
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let known = link.strip_prefix('#').map_or(link.starts_with("a%20paper/"), |id| ids.contains(&id));
        assert!(known, "{link}");
    }
    let text: String = document.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect();
    for words in [
        "Claim one",
        "Claim two",
        "Claim three",
        "✓ holds",
        "✗ does not hold",
        "? undecided",
        "1.75 ±0.02",
        "paper says",
        "mean delay (slots): 1.75 ±0.02",
        "mean delay (slots) is at most 5, at every point",
        "What does not hold: 2 claims",
        "What is undecided: 2 claims",
        "A paper & its title",
        "switchlab 0.1.0",
        "--quick",
    ] {
        assert!(text.contains(words), "{words}");
    }
}

/// Finds a browser by its usual names.
fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
}

#[test]
fn a_browser_opens_the_page_without_complaint() {
    let Some(browser) = browser() else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "Chromium is not installed");
        println!("skipped: no Chromium on this machine, so the page is not opened in one");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.html");
    std::fs::write(&path, whole()).unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--enable-logging=stderr",
        ])
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", dir.path().join("profile").display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{log}");
    let complaints: Vec<_> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert_eq!(dom.matches("<figure id=").count(), 4);
    assert_eq!(dom.matches("<svg ").count(), 8);
    assert!(!dom.contains("<script"), "a text became markup");
}

/// Writes the page for people to look at: `cargo test -- --ignored show_the_page`.
#[test]
#[ignore = "writes a file to look at"]
fn show_the_page() {
    let path = std::env::var("PAGE").expect("PAGE says where to");
    std::fs::write(path, whole()).unwrap();
}
