//! The reference pages say what is so: they are made from the tables of the code, or held to what
//! the program says itself.
//!
//! `SWITCHLAB_REFERENCE=write cargo test -p switchlab --test reference` writes the pages that are
//! made: docs/reference/results.md, json.md, counters.md and verdicts.md.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use switchlab_core::Seed;
use switchlab_core::registry::{self, SWITCHES};
use switchlab_lab::counters::{MEANINGS, meaning};
use switchlab_lab::export::COLUMNS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    let path = root().join("docs/reference").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a page with what it is made of, or writes it.
fn made(name: &str, text: &str) {
    if std::env::var_os("SWITCHLAB_REFERENCE").is_some_and(|value| value == "write") {
        std::fs::write(root().join("docs/reference").join(name), text).unwrap();
    }
    assert!(page(name) == text, "docs/reference/{name} is not what the code says; this file says how to write it");
}

/// Runs the program in a folder and returns its exit code, output and errors.
fn switchlab(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchlab"));
    let output = command.args(arguments).current_dir(folder).output().expect("the program is built with its tests");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The names in backquotes at the beginning of the rows of a section's tables.
fn names(page: &str, heading: &str) -> Vec<String> {
    let sections = page.split("\n#").map(|section| section.trim_start_matches('#').trim_start());
    let section = sections.into_iter().find(|section| section.lines().next() == Some(heading));
    let section = section.unwrap_or_else(|| panic!("there is no section {heading:?}"));
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    rows.map(str::to_string).collect()
}

const START: &str = "title = 't'\nsource = 's'\nswitches = 'oq'\nports = 4\n";

/// The list at the end of the message about a key that does not exist.
fn known(experiment: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.toml"), experiment).unwrap();
    let (code, _, errors) = switchlab(folder.path(), &["sweep", "x.toml", "--out", "out"]);
    assert_eq!(code, Some(2), "{experiment}\n{errors}");
    // A message may be wrapped.
    let errors = errors.split_whitespace().collect::<Vec<_>>().join(" ");
    let list = errors.split_once("here are: ").unwrap_or_else(|| panic!("no list of names in: {errors}")).1;
    list.split(", ").map(str::to_string).collect()
}

#[test]
fn the_page_of_experiments_has_every_key() {
    let text = page("experiments.md");
    let grid = format!("{START}loads = 0.5\n");
    for (heading, experiment) in [
        ("An experiment", "nonsense = 1\n".to_string()),
        ("A range", format!("{START}loads = {{ from = 0.1, nonsense = 1 }}\n")),
        ("`[quick]`", format!("{grid}[quick]\nnonsense = 1\n")),
        ("`[[figure]]`", format!("{grid}[[figure]]\nnonsense = 1\n")),
        (
            "`[[figure.reference]]`",
            format!("{grid}[[figure]]\nid = 'a'\nx = 'load'\ny = 'delay'\n[[figure.reference]]\nnonsense = 1\n"),
        ),
        ("`[[claim]]`", format!("{grid}[[claim]]\nnonsense = 1\n")),
        ("Metrics", format!("{grid}[[figure]]\nid = 'a'\nx = 'load'\ny = 'nonsense'\n")),
    ] {
        let (on_page, known) = (names(&text, heading), known(&experiment));
        let sorted = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&on_page), sorted(&known), "section {heading:?}");
        assert_eq!(on_page.len(), known.len(), "section {heading:?} names a key twice");
    }
}

#[test]
fn the_page_of_results_has_every_column() {
    let mut text = "# Results of a sweep\n\n\
        `sweep --out DIR` writes these files into DIR, and `merge` writes the first two again.\n\n\
        | file | what it is |\n|---|---|\n\
        | `results.csv` | one row for each point; an empty cell where there is no value |\n\
        | `results.parquet` | the same for data frames; whole numbers are 64-bit integers |\n\
        | `times.csv` | how long each unit took: what `status` and `--time-limit` predict from; no result |\n\
        | `units.jsonl` | every finished replication, one line each: what a sweep resumes from |\n\
        | `manifest.json` | the experiment, the version and SHA-256 hashes: what `replay` runs again |\n\
        | `figure-ID.svg` | the figures of the file |\n\n\
        `run --csv` prints the same columns, without `experiment`, and `versus_first` with its\n\
        `versus_first_ci95`: the mean delay less that of the first switch on the same arrivals. Delays are\n\
        in slots. With `--occupancy` it adds the cells in queues at the end of a slot: `occupancy_voq`, the\n\
        mean, `occupancy_voq_p50` to `occupancy_voq_p9999` and `occupancy_voq_max`, and the same for `input`,\n\
        `output` and `total`. Numbers read back as the same numbers. The variables of an experiment stand\n\
        behind `load`.\n\n\
        Rows of unstable switches keep their delays, which printed tables do not show: they grow with the\n\
        length of the run. Leave these rows out before you draw delays. In Python,\n\
        `rows = pandas.read_parquet(\"DIR/results.parquet\")` and `rows[rows.verdict != \"unstable\"]`.\n\n\
        | column | what it is |\n|---|---|\n"
        .to_string();
    for (name, meaning) in COLUMNS {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    made("results.md", &text);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.toml"), format!("{START}loads = 0.5\nslots = 100\nreplications = 2\n"))
        .unwrap();
    let (code, _, errors) = switchlab(folder.path(), &["sweep", "x.toml", "--out", "out"]);
    assert_eq!(code, Some(0), "{errors}");
    let csv = std::fs::read_to_string(folder.path().join("out/results.csv")).unwrap();
    let columns: Vec<&str> =
        csv.lines().next().unwrap().split(',').filter(|name| !name.starts_with("counters.")).collect();
    let listed: Vec<&str> =
        COLUMNS.iter().map(|(name, _)| *name).filter(|name| !name.starts_with("counters.")).collect();
    assert_eq!(columns, listed);
    for file in ["results.csv", "units.jsonl", "manifest.json"] {
        assert!(folder.path().join("out").join(file).exists(), "{file}");
    }
}

#[test]
fn the_page_of_counters_has_every_counter() {
    let mut text = "# Counters\n\n\
        A switch counts what happens inside it. `run --counters` and `--json` show the mean of each counter\n\
        over the measured slots of all replications, `results.csv` has a column `counters.NAME` for each.\n\
        The last column has the switches that count it with their default parameters. A counter without\n\
        one is counted with other parameters, or follows from delays.\n\n\
        | counter | what it is | switches |\n|---|---|---|\n"
        .to_string();
    let counting = |counter: &str| -> Vec<&str> {
        let has = |name: &str| {
            let chosen = registry::switch(name).unwrap();
            let seed = Seed { seed: 1, replication: 0 };
            let switch = [4, 16, 64].iter().find_map(|&ports| chosen.build(ports, seed).ok()).unwrap();
            let mut found = false;
            switch.counters(&mut |it| found |= it.name == counter);
            found
        };
        SWITCHES.iter().map(|entry| entry.name).filter(|name| has(name)).collect()
    };
    for (name, meaning) in MEANINGS {
        let _ = writeln!(text, "| `{name}` | {meaning} | {} |", counting(name).join(", "));
    }
    let of_stages = meaning("wait_stage_0").unwrap();
    let _ = writeln!(text, "| `wait_stage_K` | {of_stages} | {} |", counting("wait_stage_0").join(", "));
    for name in ["delay_class_", "throughput_class_"] {
        let _ = writeln!(text, "| `{name}K` | {} |  |", meaning(&format!("{name}0")).unwrap());
    }
    made("counters.md", &text);
}

/// What became of runs assessed in groups of one size: stable, unstable, undecided.
type Tally = [u64; 3];

fn add(total: &mut [Tally; 3], row: &[Tally; 3]) {
    total.as_flattened_mut().iter_mut().zip(row.as_flattened()).for_each(|(sum, count)| *sum += count);
}

fn shown([stable, unstable, undecided]: Tally) -> String {
    format!("{stable} / {unstable} / {undecided}")
}

/// The page of verdicts is made from the table of the study.
#[test]
fn the_page_of_verdicts_has_the_rates_of_the_study() {
    let [mut stable, mut unstable, mut critical]: [[Tally; 3]; 3] = [[[0; 3]; 3]; 3];
    let mut rows = String::new();
    for line in page("verdicts.csv").lines().skip(1) {
        // A spec has no comma in it here.
        let cells: Vec<&str> = line.split(',').collect();
        let [switch, ports, _, arrivals, load, slots, counts @ ..] = &cells[..] else { panic!("{line}") };
        let counts: Vec<u64> = counts.iter().map(|count| count.parse::<u64>().unwrap()).collect();
        let counts: [Tally; 3] = counts.as_chunks::<3>().0.try_into().unwrap();
        assert_eq!(counts.map(|tally| tally.iter().sum::<u64>()), [200, 40, 20], "{line}");
        let known = match (*switch, *load) {
            ("pim", _) => &mut unstable,
            ("oq", "1") => &mut critical,
            _ => &mut stable,
        };
        add(known, &counts);
        if *slots == "20000" || *slots == "1000" && (*load == "0.9" || *load == "0.7") {
            let bursts = if *arrivals == "bernoulli" { "" } else { ", bursts of 16" };
            let (alone, tens) = (shown(counts[0]), shown(counts[2]));
            let _ = writeln!(rows, "| {switch} {load}{bursts} | {ports} | {slots} | {alone} | {tens} |");
        }
    }
    let sums = |groups: [Tally; 3]| groups.map(shown).join(" | ");
    let text = include_str!("verdicts.md.in")
        .replace("{stable}", &sums(stable))
        .replace("{unstable}", &sums(unstable))
        .replace("{critical}", &sums(critical))
        .replace("{rows}", rows.trim_end());
    made("verdicts.md", &text);
    // What the page says in words.
    assert!(stable.iter().all(|tally| tally[1] == 0) && unstable.iter().all(|tally| tally[0] == 0));
}

/// The public structs of a source file with their fields: name, type and documentation.
fn structs(source: &str) -> Vec<(String, String, Vec<[String; 3]>)> {
    let (mut structs, mut about, mut lines) = (Vec::new(), String::new(), source.lines());
    while let Some(line) = lines.next() {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("///") {
            about = format!("{about}{comment}").trim().to_string();
        } else if let Some(name) = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix(" {")) {
            let (mut fields, mut doc) = (Vec::new(), String::new());
            for line in lines.by_ref().map(str::trim).take_while(|line| *line != "}") {
                if let Some(comment) = line.strip_prefix("///") {
                    doc = format!("{doc}{comment}").trim().to_string();
                } else if let Some((name, kind)) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(": ")) {
                    fields.push([name.to_string(), kind.trim_end_matches(',').to_string(), std::mem::take(&mut doc)]);
                }
            }
            structs.push((name.to_string(), std::mem::take(&mut about), fields));
        } else if !line.starts_with('#') {
            about.clear();
        }
    }
    structs
}

#[test]
fn the_page_of_json_has_every_key() {
    let mut structs = structs(include_str!("../../switchlab-lab/src/report/json.rs"));
    structs.extend(
        crate::structs(include_str!("../../switchlab-lab/src/run/mod.rs")).into_iter().filter(|it| it.0 == "Cells"),
    );
    let mut text = "# JSON of `run`\n\n\
        `run --json` prints an array and nothing else: one object for each switch, in the order of the\n\
        command. Keys are never renamed or given another meaning; new ones may come. What does not exist is\n\
        null. What was not asked for is left out.\n"
        .to_string();
    let mut pending = vec!["Report".to_string()];
    let mut seen = BTreeSet::new();
    while let Some(name) = pending.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let (_, about, fields) = structs.iter().find(|it| it.0 == name).unwrap_or_else(|| panic!("no struct {name}"));
        assert!(!about.is_empty() && !fields.is_empty(), "{name}");
        let _ = write!(text, "\n## {name}\n\n{about}\n\n| key | kind | what it is |\n|---|---|---|\n");
        let mut next = Vec::new();
        for [key, kind, doc] in fields {
            let optional = kind.contains("Option<");
            let bare = kind.replace("Option<", "").replace("Vec<", "").replace('>', "");
            let shown = match bare.as_str() {
                "String" => "text".to_string(),
                "f64" => "number".to_string(),
                "u64" | "u32" | "usize" | "i64" => "whole number".to_string(),
                "[u64; 4]" => "lists of 4 whole numbers".to_string(),
                "[u32; 2]" => "2 whole numbers".to_string(),
                "BTreeMap<&'static str, f64" => "numbers by name".to_string(),
                _ => {
                    next.push(bare.clone());
                    let list = if kind.contains("Vec<") { "list of " } else { "" };
                    format!("{list}[{bare}](#{})", bare.to_lowercase())
                }
            };
            let null = if optional { ", or none" } else { "" };
            let _ = writeln!(text, "| `{key}` | {shown}{null} | {doc} |");
        }
        pending.extend(next.into_iter().rev());
    }
    made("json.md", &text);
    // The program prints these keys and no others.
    let folder = tempfile::tempdir().unwrap();
    let (code, output, errors) =
        switchlab(folder.path(), &["run", "oq", "--ports", "4", "--load", "0.5", "--slots", "100", "--json"]);
    assert_eq!(code, Some(0), "{errors}");
    let reports: serde_json::Value = serde_json::from_str(&output).unwrap();
    let listed = names(&text, "Report");
    for key in reports[0].as_object().unwrap().keys() {
        assert!(listed.contains(key), "the page has no key {key}");
    }
}

/// The links of all pages lead to files, and to headings of theirs; the book has every page.
#[test]
fn links_lead_somewhere() {
    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    let mut all = Vec::new();
    pages(&root().join("docs"), &mut all);
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for path in &all {
        let name = path.strip_prefix(root().join("docs")).unwrap().to_string_lossy().replace('\\', "/");
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "docs/SUMMARY.md does not name {name}");
    }
    // mdBook calls these pages index.html, but not the links to them.
    let book = std::fs::read_to_string(root().join("docs/book.toml")).unwrap();
    for path in all.iter().filter(|path| path.ends_with("README.md")) {
        let name = path.strip_prefix(root().join("docs")).unwrap().to_string_lossy().replace(".md", ".html");
        assert!(book.contains(&format!("\"/{name}\" = \"index.html\"")), "docs/book.toml does not redirect {name}");
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        all.push(root().join(name));
    }
    pages(&root().join("papers"), &mut all);
    let mut broken = Vec::new();
    for path in &all {
        let text = std::fs::read_to_string(path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.contains(' ') {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            // A page of the book cannot link to a file outside; there it names the path.
            let docs = std::fs::canonicalize(root().join("docs")).unwrap();
            let inside = |path: &Path| std::fs::canonicalize(path).is_ok_and(|path| path.starts_with(&docs));
            if inside(path) && !inside(&target) {
                broken.push(format!("{}: {link} leaves the book", path.display()));
            }
            let headings = || {
                let text = std::fs::read_to_string(&target).unwrap_or_default();
                let slug = |line: &str| -> String {
                    let line = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                    line.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
                };
                text.lines().filter(|line| line.starts_with('#')).map(slug).collect::<Vec<_>>()
            };
            if !target.exists() || !anchor.is_empty() && !headings().contains(&anchor.to_string()) {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
