//! The shortest clock of a circuit in nanoseconds: mapped by yosys to the cells of a Liberty file,
//! analysed by `OpenSTA`.
//!
//! The figure is that of cells alone. There is no layout, so wires have neither capacitance nor
//! resistance, and the clock is ideal; what is built will be slower.

use crate::error::RtlError;
use crate::synthesis::run_script;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Liberty file of Debian's package qflow-tech-osu050.
pub const DEBIAN_LIBERTY: &str = "/usr/share/qflow/tech/osu050/osu05_stdcells.lib";

/// The files that timing writes.
pub const WRITTEN: [&str; 3] = ["technology.lib", "mapped.v", "timing.txt"];

/// The clock that timing.tcl asks for, in ns: longer than any path.
const PERIOD: f64 = 1000.0;

/// A Liberty file that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Technology {
    liberty: PathBuf,
    name: String,
}

impl Technology {
    /// A Liberty file of the user's. An error if it cannot be read, or `OpenSTA` is not installed.
    pub fn new(liberty: &Path) -> Result<Self, RtlError> {
        let missing = |problem: String| RtlError::NoTiming { liberty: liberty.to_path_buf(), problem };
        let text = fs::read_to_string(liberty).map_err(|cause| missing(cause.to_string()))?;
        let name = library(&text).ok_or_else(|| missing("it is not a Liberty file".to_string()))?;
        let ran = Command::new("sta").arg("-version").stdin(Stdio::null()).output();
        ran.map_err(|cause| missing(format!("sta could not be started ({cause})")))?;
        Ok(Self { liberty: liberty.to_path_buf(), name })
    }

    /// That of Debian's package, if it and `OpenSTA` are installed.
    pub fn installed() -> Option<Self> {
        Self::new(Path::new(DEBIAN_LIBERTY)).ok()
    }

    /// What the Liberty file calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the technology is, in words.
    pub fn about(&self) -> String {
        match self.name.as_str() {
            // At most 97 characters: it is a line of hardware.md.
            "osu05_stdcells" => {
                "osu05_stdcells (Oklahoma State University: AMI 0.5 um, 5 V, 25 C, typical; qflow-tech-osu050)"
                    .to_string()
            }
            name => name.to_string(),
        }
    }
}

/// The shortest clock of a circuit that was written to this directory, in ns. The files of
/// [`WRITTEN`] appear in it.
pub fn shortest_period(directory: &Path, technology: &Technology) -> Result<f64, RtlError> {
    let failed = |problem: String| RtlError::Timing { path: directory.to_path_buf(), problem };
    fs::copy(&technology.liberty, directory.join("technology.lib")).map_err(|cause| failed(cause.to_string()))?;
    run_script(directory, "timing.ys")?;
    let mut sta = Command::new("sta");
    sta.args(["-no_splash", "-exit", "timing.tcl"]).current_dir(directory);
    let output = sta_output(&mut sta).map_err(|cause| failed(format!("sta could not be started ({cause})")))?;
    fs::write(directory.join("timing.txt"), &output).map_err(|cause| failed(cause.to_string()))?;
    parse(&output).ok_or_else(|| failed(format!("sta printed no slack: {}", output.lines().last().unwrap_or(""))))
}

fn sta_output(command: &mut Command) -> std::io::Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

/// The shortest period by the slack of the longest path.
fn parse(report: &str) -> Option<f64> {
    let line = report.lines().rfind(|line| line.trim_end().ends_with("slack (MET)"))?;
    let slack: f64 = line.split_whitespace().next()?.parse().ok()?;
    // To the four digits that are printed.
    (slack > 0.0 && slack < PERIOD).then(|| ((PERIOD - slack) * 1e4).round() / 1e4)
}

/// The name in `library(name) {`.
fn library(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("library")?;
    let (name, _) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    Some(name.trim().trim_matches('"').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let report = "  -6.35   data arrival time\n-----\n         993.6491   slack (MET)\n\n";
        assert_eq!(parse(report), Some(6.3509));
        assert_eq!(parse("Error: timing.tcl, 5 cannot open technology.lib"), None);
        assert_eq!(parse("  -3.0   slack (VIOLATED)"), None);
        assert_eq!(parse(" nan   slack (MET)"), None);
    }

    #[test]
    fn names_are_read() {
        assert_eq!(library("/* a comment */\nlibrary(osu05_stdcells) {\n"), Some("osu05_stdcells".to_string()));
        assert_eq!(library("library (\"x\") {"), Some("x".to_string()));
        assert_eq!(library("module find_roots"), None);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        let error = Technology::new(Path::new("/nonexistent/cells.lib")).unwrap_err().to_string();
        assert!(error.contains("cells.lib") && error.contains("opensta"), "{error}");
    }
}
