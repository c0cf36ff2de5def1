//! The engine that a result belongs to: what was simulated, named so that it changes by itself.
//!
//! ```text
//!   0.1.0 islip/diagonal/bernoulli 5f0c2b7a91d3e846   version, what was run, evidence
//!   0.1.0 find-roots                                  no golden rows: a calculation
//!   0.1.0 audit/islip/uniform/bernoulli 77ab…         a calculation that runs a switch
//!   0.1.0 mine 8d1f…                                  a registered switch, with its fingerprint
//! ```
//!
//! The evidence is a hash of the switch's rows in the golden tables and of the pinned first
//! arrivals of its traffic and process. A change of what a switch does changes its golden rows, or
//! the tests fail. With the rows the keys of its stored results change, so that a store of the
//! earlier engine is not continued. Rows of other switches and pins of other traffic do not count:
//! adding a switch leaves all stores valid.

use crate::digest::sha256;
use crate::registry::fingerprint;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use switchlab_core::spec::Spec;

/// The version of switchlab.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All golden tables: CSV, in the first column the spec of a switch. Like the pins, a link in the
/// folder of this crate: its package has the file.
const GOLDEN: [(&str, &str); 1] = [("first-switches.csv", include_str!("../../data/first-switches.csv"))];
/// The pinned first arrivals: lines of `("traffic", "process", "arrivals"),`.
const PINS: &str = include_str!("../../data/pins.rs");
/// Hexadecimal digits of the hash.
const DIGITS: usize = 16;

/// The engine that the result of a switch on this traffic belongs to; all three are specs.
pub(super) fn engine(switch: &str, ports: usize, traffic: &str, process: &str) -> String {
    if let Some(fingerprint) = fingerprint(switch, ports) {
        return format!("{VERSION} {} {fingerprint}", name(switch));
    }
    match inside(switch) {
        Some([inner, traffic, process]) => calculated(name(switch), &inner, &traffic, &process),
        None => of_core(name(switch), name(traffic), name(process)),
    }
}

/// The names of the switch, the traffic and the process that a calculation runs, if it runs any.
fn inside(calculation: &str) -> Option<[String; 3]> {
    let arguments = Spec::parse(calculation).ok()?.arguments;
    let of = |key: &str| arguments.iter().find(|(known, _)| known == key).map(|(_, value)| name(value).to_string());
    let switch = of("switch")?;
    Some([switch, of("traffic").unwrap_or("uniform".into()), of("arrivals").unwrap_or("bernoulli".into())])
}

/// A calculation has the evidence of what it runs.
fn calculated(calculation: &str, switch: &str, traffic: &str, process: &str) -> String {
    let engine = of_core(switch, traffic, process);
    engine.replacen(&format!("{VERSION} "), &format!("{VERSION} {calculation}/"), 1)
}

/// Whether results of this engine can be results of this program. Of registered switches and
/// calculations only the version is known here.
pub(super) fn is_current(engine: &str) -> bool {
    let mut words = engine.split(' ');
    let (version, what) = (words.next(), words.next().unwrap_or_default());
    let parts: Vec<&str> = what.split('/').collect();
    match parts[..] {
        [switch, traffic, process] => engine == of_core(switch, traffic, process),
        [calculation, switch, traffic, process] => engine == calculated(calculation, switch, traffic, process),
        _ => version == Some(VERSION) && !what.is_empty(),
    }
}

/// By names. Each is hashed once.
fn of_core(switch: &str, traffic: &str, process: &str) -> String {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let what = format!("{switch}/{traffic}/{process}");
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = known.get(&what) {
        return engine.clone();
    }
    let golden: String = GOLDEN.iter().map(|(_, table)| rows(table, switch)).collect();
    let engine = if golden.is_empty() {
        format!("{VERSION} {switch}")
    } else {
        let evidence = sha256((golden + &pins(PINS, traffic, process)).as_bytes());
        format!("{VERSION} {what} {}", &evidence[..DIGITS])
    };
    known.insert(what, engine.clone());
    engine
}

/// The name in a spec, or in a line that begins with one.
fn name(spec: &str) -> &str {
    spec.split(['(', ',']).next().unwrap_or_default().trim()
}

/// The lines of a golden table that are of a switch.
fn rows(table: &str, switch: &str) -> String {
    let own = table.lines().filter(|line| name(line.trim_start_matches('"')) == switch);
    own.map(|line| line.to_string() + "\n").collect()
}

/// The pins of a traffic and a process. A trace has none: its file is in the key.
fn pins(source: &str, traffic: &str, process: &str) -> String {
    let own = source.lines().map(str::trim).filter(|line| {
        let words: Vec<&str> = line.split('"').collect();
        words[0] == "(" && words.len() == 7 && name(words[1]) == traffic && name(words[3]) == process
    });
    own.map(|line| line.to_string() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::registry::{ARRIVALS, SWITCHES, TRAFFIC};

    #[test]
    fn every_switch_has_golden_rows_and_every_traffic_pins() {
        for entry in SWITCHES {
            assert!(GOLDEN.iter().any(|(_, table)| !rows(table, entry.name).is_empty()), "{}", entry.name);
        }
        for traffic in TRAFFIC.iter().filter(|entry| entry.parameters.iter().all(|it| it.name != "file")) {
            for process in ARRIVALS {
                assert!(!pins(PINS, traffic.name, process.name).is_empty(), "{}, {}", traffic.name, process.name);
            }
        }
    }

    #[test]
    fn every_golden_table_counts() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> = files.filter(|name| name.ends_with("csv")).collect();
        files.sort();
        assert_eq!(files, GOLDEN.map(|(name, _)| name));
    }

    #[test]
    fn only_a_switch_s_own_rows_count() {
        let table =
            "# islip\nswitch,traffic\noq,uniform,1\nislip(iterations=1),uniform,2\nislip(iterations=4),uniform,3\n";
        let own = rows(table, "islip");
        assert_eq!(own, "islip(iterations=1),uniform,2\nislip(iterations=4),uniform,3\n");
        assert_eq!(rows(&(table.to_string() + "islip-two,uniform,4\n\"lottery(a=1,b=2)\",x\n"), "islip"), own);
        assert_eq!(rows("\"lottery(a=1,b=2)\",x\n", "lottery"), "\"lottery(a=1,b=2)\",x\n");
        assert_ne!(rows(&table.replace(",3\n", ",4\n"), "islip"), own);
        let pinned = "const PINS: [(&str, &str, &str); 2] = [\n    (\"chang\", \"bernoulli\", \"0:2-\"),\n    (\"chang\", \"bursty(mean=3)\", \"2:3\"),\n];\n";
        assert_eq!(pins(pinned, "chang", "bursty"), "(\"chang\", \"bursty(mean=3)\", \"2:3\"),\n");
    }

    #[test]
    fn engines() {
        let islip = engine("islip(iterations=4)", 16, "unbalanced(w=0.5)", "bursty(mean=12)");
        assert!(islip.starts_with(&format!("{VERSION} islip/unbalanced/bursty ")), "{islip}");
        assert_eq!(islip.len(), VERSION.len() + " islip/unbalanced/bursty ".len() + DIGITS);
        // Parameters and sizes are in the unit.
        assert_eq!(engine("islip(iterations=1)", 8, "unbalanced(w=0)", "bursty(mean=2)"), islip);
        assert_ne!(engine("islip", 16, "chang", "bursty(mean=12)").rsplit(' ').next(), islip.rsplit(' ').next());
        assert_ne!(engine("pim", 16, "unbalanced(w=0.5)", "bursty").rsplit(' ').next(), islip.rsplit(' ').next());
        assert_eq!(engine("find-roots", 8, "none", "none"), format!("{VERSION} find-roots"));
        let audit =
            |inner: &str| engine(&format!("audit(switch=\"{inner}\",load=0.9,traffic=diagonal)"), 8, "none", "none");
        let found = audit("serena(populate=random)");
        assert!(found.starts_with(&format!("{VERSION} audit/serena/diagonal/bernoulli ")), "{found}");
        assert_eq!(found.rsplit(' ').next(), engine("serena", 8, "diagonal", "bernoulli").rsplit(' ').next());
        assert!(is_current(&found) && found != audit("c-serenade"));
        assert!(!is_current(&found[..found.len() - 1]));
        assert!(is_current(&islip) && is_current(&format!("{VERSION} find-roots")));
        let last = islip.len() - 1;
        for other in [&islip[..last], "0.0.1 find-roots", VERSION, ""] {
            assert!(!is_current(other), "{other:?}");
        }
    }
}
