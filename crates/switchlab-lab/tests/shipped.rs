//! The results that are shipped with the papers: they belong to this engine, they rule as the
//! experiments expect, and documents say what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use switchlab_lab::Progress;
use switchlab_lab::claims::{Evaluation, Ruling, evaluate};
use switchlab_lab::experiment::{Expected, Mode};
use switchlab_lab::reproduce::read;
use switchlab_lab::shipped::{Shipped, verify};

/// Bytes of all results together.
const MOST_BYTES: u64 = 8_000_000;
/// Slots times ports of a unit that is run anew here: about half a second.
const MOST_WORK: u64 = 8_000_000;
const UNITS: usize = 24;

fn papers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers")
}

/// Every claim of the papers by its name, with its evaluation where results are shipped, and the
/// ruling that is expected.
fn claims() -> BTreeMap<String, (Expected, Option<Evaluation>)> {
    let folder = papers();
    let mut claims = BTreeMap::new();
    for paper in read(&folder, Mode::Full).unwrap() {
        let shipped = Shipped::read(&folder.join(&paper.id)).unwrap();
        for experiment in &paper.experiments {
            let results = shipped.results(experiment).unwrap().ok();
            for claim in &experiment.claims {
                let name = format!("{}/{}/{}", paper.id, experiment.id, claim.id);
                let evaluation = results.as_ref().map(|results| evaluate(claim, results));
                claims.insert(name, (claim.expected, evaluation));
            }
        }
    }
    claims
}

fn expected(ruling: Ruling) -> Expected {
    match ruling {
        Ruling::Holds => Expected::Holds,
        Ruling::DoesNotHold => Expected::Fails,
        Ruling::Undecided => Expected::Undecided,
    }
}

#[test]
fn shipped_results_rule_as_expected() {
    let claims = claims();
    let measured: Vec<_> =
        claims.iter().filter_map(|(name, (known, found))| Some((name, *known, found.as_ref()?))).collect();
    assert!(measured.len() >= 100, "{} claims have shipped results", measured.len());
    let other = |(name, known, found): &(&String, Expected, &Evaluation)| {
        (expected(found.ruling) != *known)
            .then(|| format!("{name}: {:?}, {}, expected {known:?}", found.ruling, found.measured))
    };
    let others: Vec<String> = measured.iter().filter_map(other).collect();
    assert!(others.is_empty(), "{} of {}:\n{}", others.len(), measured.len(), others.join("\n"));
}

#[test]
fn shipped_units_are_what_this_program_measures() {
    let folder = papers();
    let archives: Vec<Shipped> = read(&folder, Mode::Full)
        .unwrap()
        .iter()
        .map(|paper| Shipped::read(&folder.join(&paper.id)).unwrap())
        .collect();
    let compared = verify(&archives, UNITS, 1, MOST_WORK, &Progress::none()).unwrap();
    assert_eq!(compared.len(), UNITS);
    for unit in &compared {
        assert!(unit.is_same, "{}", unit.what);
    }
}

#[test]
fn shipped_results_are_small() {
    let mut bytes = 0;
    for paper in std::fs::read_dir(papers()).unwrap() {
        let Ok(files) = std::fs::read_dir(paper.unwrap().path().join("results")) else { continue };
        bytes += files.map(|file| file.unwrap().metadata().unwrap().len()).sum::<u64>();
    }
    assert!((1000..MOST_BYTES).contains(&bytes), "{bytes} bytes");
}

/// Cells of the rows of tables in a document.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let is_row = |line: &&str| line.starts_with("| ");
    text.lines().filter(is_row).map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// Documents with figures of claims.
fn documents() -> Vec<PathBuf> {
    let root = papers().join("..");
    let of_papers = read(&papers(), Mode::Full).unwrap();
    let readmes = of_papers.iter().map(|paper| papers().join(&paper.id).join("README.md"));
    [root.join("docs/findings.md"), root.join("README.md")].into_iter().chain(readmes).collect()
}

/// The name of the claim that a row is about: its first cell, in backticks.
fn named<'a>(row: &[&'a str]) -> Option<&'a str> {
    let name = row[0].strip_prefix('`')?.strip_suffix('`')?;
    (name.split('/').count() == 3 && row.len() >= 3).then_some(name)
}

/// What a row says of a claim: what was measured, and the ruling.
fn figures(found: Option<&Evaluation>) -> (String, &'static str) {
    let Some(found) = found else { return ("not measured yet".to_string(), "-") };
    let ruling = match found.ruling {
        Ruling::Holds => "holds",
        Ruling::DoesNotHold => "does not hold",
        Ruling::Undecided => "undecided",
    };
    (found.measured.clone(), ruling)
}

/// In a row `paper/experiment/claim | measured | ruling`, the other two cells are those of the
/// shipped results.
#[test]
fn figures_in_documents_are_those_of_shipped_results() {
    let claims = claims();
    let mut held = BTreeSet::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for row in rows(&text) {
            let Some(name) = named(&row) else { continue };
            let (_, found) = claims.get(name).unwrap_or_else(|| panic!("{}: no claim is {name}", document.display()));
            let (measured, ruling) = figures(found.as_ref());
            assert_eq!((row[1], row[2]), (measured.as_str(), ruling), "{}: {name}", document.display());
            held.insert(name.to_string());
        }
    }
    assert!(held.len() >= 30, "{} figures", held.len());
}

#[test]
#[ignore = "writes the figures of shipped results into the documents"]
fn write_figures() {
    let claims = claims();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        let line = |line: &str| {
            let row = rows(line).next();
            let known = row.as_ref().and_then(|row| named(row)).and_then(|name| Some((name, claims.get(name)?)));
            let Some((name, (_, found))) = known else { return line.to_string() };
            let (measured, ruling) = figures(found.as_ref());
            let own = [format!("`{name}`"), measured, ruling.to_string()];
            let rest = row.iter().flatten().skip(3).map(ToString::to_string);
            format!("| {} |", own.into_iter().chain(rest).collect::<Vec<_>>().join(" | "))
        };
        let lines: Vec<String> = text.lines().map(line).collect();
        std::fs::write(&document, lines.join("\n") + "\n").unwrap();
    }
}
