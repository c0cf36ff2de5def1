//! The papers in a folder, and the selection of some of them.

use crate::error::LabError;
use crate::experiment::{Experiment, Mode};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use switchlab_core::nearest;

/// A folder of papers/: its words and its experiments, checked but not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Paper {
    /// The name of its folder.
    pub id: String,
    /// Its README.md; empty if there is none.
    pub readme_markdown: String,
    /// In order of their files' names.
    pub experiments: Vec<Experiment>,
}

/// Reads every paper, in order of their names. A mistake in any file is found before anything is
/// run.
pub fn read(papers: &Path, mode: Mode) -> Result<Vec<Paper>, LabError> {
    let mut found = Vec::new();
    for folder in list(papers)?.into_iter().filter(|path| path.is_dir()) {
        let mut paper = Paper { id: name(&folder), readme_markdown: String::new(), experiments: Vec::new() };
        for file in list(&folder)? {
            if name(&file) == "README.md" {
                let read = std::fs::read_to_string(&file);
                paper.readme_markdown = read.map_err(|source| LabError::Read { path: file, source })?;
            } else if file.extension().is_some_and(|extension| extension == "toml") {
                paper.experiments.push(Experiment::load(&file, mode)?);
            }
        }
        if !paper.experiments.is_empty() {
            found.push(paper);
        }
    }
    if found.is_empty() {
        return Err(LabError::Request(format!("no paper in {}: it holds no */*.toml", papers.display())));
    }
    Ok(found)
}

/// What a directory holds, in order of names; hidden files are ignored.
fn list(dir: &Path) -> Result<Vec<PathBuf>, LabError> {
    let failed = |source| LabError::Read { path: dir.to_owned(), source };
    let entries = std::fs::read_dir(dir).map_err(failed)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.retain(|path| !name(path).starts_with('.'));
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The papers, experiments and figures that are wanted: `paper`, `paper/experiment` or
/// `paper/figure`; all of them if nothing is named.
pub fn choose(papers: Vec<Paper>, wanted: &[String]) -> Result<Vec<Paper>, LabError> {
    if wanted.is_empty() {
        return Ok(papers);
    }
    for name in wanted {
        known(&papers, name)?;
    }
    let wants = |name: &str| wanted.iter().any(|wanted| wanted.trim_end_matches('/') == name);
    let mut chosen = Vec::new();
    for mut paper in papers {
        let id = paper.id.clone();
        if !wants(&id) {
            paper.experiments.retain_mut(|experiment| {
                if wants(&format!("{id}/{}", experiment.id)) {
                    return true;
                }
                experiment.figures.retain(|figure| wants(&format!("{id}/{}", figure.id)));
                !experiment.figures.is_empty()
            });
        }
        if !paper.experiments.is_empty() {
            chosen.push(paper);
        }
    }
    Ok(chosen)
}

/// Whether a name means something; if not, what is nearest.
fn known(papers: &[Paper], wanted: &str) -> Result<(), LabError> {
    let mut names: Vec<String> = Vec::new();
    for paper in papers {
        names.push(paper.id.clone());
        for experiment in &paper.experiments {
            names.push(format!("{}/{}", paper.id, experiment.id));
            names.extend(experiment.figures.iter().map(|figure| format!("{}/{}", paper.id, figure.id)));
        }
    }
    if names.iter().any(|name| name == wanted.trim_end_matches('/')) {
        return Ok(());
    }
    // A figure may be called like its experiment, or like one of another.
    let mut seen = BTreeSet::new();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| seen.insert(*name)).collect();
    let guess = nearest(wanted, &names).map(|guess| format!("; did you mean {guess}?")).unwrap_or_default();
    // Of a paper that there is, what it has; otherwise the papers.
    let paper = wanted.split('/').next().filter(|paper| names.contains(paper));
    let (what, list): (String, Vec<&str>) = match paper {
        Some(paper) => {
            let inside = names.iter().filter_map(|name| name.strip_prefix(paper)?.strip_prefix('/'));
            (format!("paper {paper} has"), inside.collect())
        }
        None => ("the papers are".to_string(), papers.iter().map(|paper| paper.id.as_str()).collect()),
    };
    let list = list.join(", ");
    Err(LabError::Request(format!("no paper, experiment or figure is called {wanted:?}; {what}: {list}{guess}")))
}
