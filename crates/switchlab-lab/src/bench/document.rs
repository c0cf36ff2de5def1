//! A document with tables of a record in it: each stands between `<!-- table: NAME -->` and `<!--
//! end -->`, and the text around them is kept.

use super::{Record, tables};
use crate::error::LabError;

const BEGIN: &str = "<!-- table: ";
const NAMED: &str = " -->\n";
const END: &str = "<!-- end -->";

/// The document with the tables of this record.
pub fn document(text: &str, record: &Record) -> Result<String, LabError> {
    let tables = tables(record);
    let problem = |problem: String| Err(LabError::Request(problem));
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let Some((name, old)) = after.split_once(NAMED) else {
            return problem(format!("`{BEGIN}` without a name and `{}` in its line", NAMED.trim()));
        };
        let Some((_, after)) = old.split_once(END) else {
            return problem(format!("the table {name} has no `{END}`"));
        };
        let Some((_, table)) = tables.iter().find(|table| table.0 == name) else {
            let names: Vec<&str> = tables.iter().map(|table| table.0).collect();
            return problem(format!("there is no table {name}; there are: {}", names.join(", ")));
        };
        done += &format!("{before}{BEGIN}{name}{NAMED}\n{table}\n{END}");
        rest = after;
    }
    if done.is_empty() {
        return problem(format!("the document has no place for tables; mark one by `{BEGIN}limits{NAMED}{END}`"));
    }
    Ok(done + rest)
}

#[cfg(test)]
mod tests {
    use super::super::{DEFINITIONS, Definitions, FOLDER, Machine, changed, newest};
    use super::*;
    use std::path::{Path, PathBuf};

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn nothing() -> Record {
        Record {
            recorded: "2026-11-16 07:30".to_string(),
            note: String::new(),
            version: "1".to_string(),
            machine: Machine { processor: "P".to_string(), cores: 2 },
            benchmarks: Vec::new(),
            parts: Vec::new(),
            fit_from: 64,
            scaling: Vec::new(),
            hops: Vec::new(),
            hops_load: 0.0,
        }
    }

    #[test]
    fn tables_are_replaced_and_the_rest_is_kept() {
        let text = "before\n<!-- table: machine -->\nold\n<!-- end -->\nafter\n";
        let new = document(text, &nothing()).unwrap();
        assert!(new.starts_with("before\n<!-- table: machine -->\n\nRecorded 2026-11-16 07:30 UTC"), "{new}");
        assert!(new.ends_with("with 2 cores.\n\n<!-- end -->\nafter\n") && !new.contains("old"), "{new}");
        assert_eq!(document(&new, &nothing()).unwrap(), new);
        for bad in ["", "<!-- table: machine -->\n", "<!-- table: nothing -->\n<!-- end -->", "<!-- table: machine"] {
            assert!(document(bad, &nothing()).is_err(), "{bad}");
        }
    }

    #[test]
    fn docs_performance_shows_the_newest_record() {
        let text = std::fs::read_to_string(root().join("docs/performance.md")).unwrap();
        let record = newest(&root().join(FOLDER)).unwrap();
        let message = "run `switchlab bench --document docs/performance.md`";
        assert!(
            document(&text, &record).unwrap() == text,
            "docs/performance.md is not that of the newest record: {message}"
        );
        for (name, _) in tables(&record) {
            assert!(text.contains(&format!("{BEGIN}{name}{NAMED}")), "docs/performance.md does not show {name}");
        }
    }

    /// A change of departures fails here, and not only when the next record is made.
    #[test]
    fn every_benchmark_sends_what_its_definition_says() {
        let definitions = Definitions::load(&root().join(FOLDER).join(DEFINITIONS)).unwrap();
        let changed = changed(&definitions.benchmarks).unwrap();
        assert_eq!(changed, [], "as definitions.toml would have to say, in decimals");
    }
}
