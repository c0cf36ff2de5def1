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
    let measured: Vec<_> = claims.iter().filter_map(|(name, (known, found))| Some((name, *known, found.as_ref()?))).collect();
    assert!(measured.len() >= 100, "{} claims have shipped results", measured.len());
    let other = |(name, known, found): &(&String, Expected, &Evaluation)| {
        (expected(found.ruling) != *known).then(|| format!("{name}: {:?}, {}, expected {known:?}", found.ruling, found.measured))
    };
    let others: Vec<String> = measured.iter().filter_map(other).collect();
    assert!(others.is_empty(), "{} of {}:\n{}", others.len(), measured.len(), others.join("\n"));
}

#[test]
fn shipped_units_are_what_this_program_measures() {
    let folder = papers();
    let archives: Vec<Shipped> =
        read(&folder, Mode::Full).unwrap().iter().map(|paper| Shipped::read(&folder.join(&paper.id)).unwrap()).collect();
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

/// A row `paper/experiment/claim | measured | ruling`, wherever the first cell is the name of a
/// claim in backticks: the other two are those of the shipped results.
#[test]
fn figures_in_documents_are_those_of_shipped_results() {
    let claims = claims();
    let root = papers().join("..");
    let mut held = BTreeSet::new();
    let mut documents = vec![root.join("docs/findings.md"), root.join("README.md")];
    documents.extend(read(&papers(), Mode::Full).unwrap().iter().map(|paper| papers().join(&paper.id).join("README.md")));
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for row in rows(&text) {
            let name = row[0].trim_matches('`');
            if !row[0].starts_with('`') || name.split('/').count() != 3 {
                continue;
            }
            let (_, found) = claims.get(name).unwrap_or_else(|| panic!("{}: no claim is {name}", document.display()));
            let (&[_, measured, ruling, ..], Some(found)) = (&row[..], found) else {
                panic!("{}: {name} has a row without a shipped result, or one without its ruling", document.display());
            };
            let word = match found.ruling {
                Ruling::Holds => "holds",
                Ruling::DoesNotHold => "does not hold",
                Ruling::Undecided => "undecided",
            };
            assert_eq!((measured, ruling), (found.measured.as_str(), word), "{}: {name}", document.display());
            held.insert(name.to_string());
        }
    }
    assert!(held.len() >= 10, "{} figures", held.len());
}
