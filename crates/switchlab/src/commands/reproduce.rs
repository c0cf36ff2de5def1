//! `switchlab reproduce`.

use crate::{cli, output};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use switchlab_lab::LabError;
use switchlab_lab::Progress;
use switchlab_lab::claims::Evaluation;
use switchlab_lab::experiment::{Claim, Mode};
use switchlab_lab::prose::wrap;
use switchlab_lab::report::claims;
use switchlab_lab::reproduce::{
    ExperimentReport, Measuring, Paper, PaperReport, Provenance, ResultsOrigin, Tally, check_latex, choose,
    from_shipped, read, reproduce as run, ship, write_latex,
};
use switchlab_lab::shipped::{Compared, Shipped, verify};

/// The papers beside the sources, for a program that is run from where it was built.
const BUILT_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers");

pub(crate) fn reproduce(arguments: &cli::ReproduceArgs) -> anyhow::Result<()> {
    let folder = folder(arguments.papers.as_deref())?;
    let origin = match (arguments.quick, arguments.full) {
        (true, _) => ResultsOrigin::Run(Mode::Quick),
        (_, true) => ResultsOrigin::Run(Mode::Full),
        _ => ResultsOrigin::Shipped,
    };
    let mode = if arguments.quick { Mode::Quick } else { Mode::Full };
    let all = read(&folder, mode)?;
    let papers = choose(all.clone(), &arguments.wanted)?;
    if let Some(count) = arguments.verify {
        return verify_some(&papers, &folder, count, arguments);
    }
    let provenance = Provenance::new(origin, &arguments.wanted);
    let provenance = match mode {
        Mode::Quick => provenance.reduced_from(read(&folder, Mode::Full)?),
        Mode::Full => provenance,
    };
    if let Some(path) = &arguments.latex {
        check_latex(path)?;
    }
    let watched = std::io::stderr().is_terminal();
    let begin = |paper: &str, experiment: &switchlab_lab::experiment::Experiment| {
        if watched {
            output::note(&format!("{paper}/{}: {}", experiment.id, experiment.title));
        }
    };
    let measured_all = !arguments.ship || {
        let until = arguments.time_limit.map(|limit| Instant::now() + limit);
        let measuring = Measuring { threads: arguments.threads.threads, until };
        ship(&papers, &all, &folder, measuring, begin)?
    };
    let mut reproduced = match origin {
        ResultsOrigin::Shipped => from_shipped(papers, &folder, &arguments.out, &provenance)?,
        ResultsOrigin::Run(_) => run(papers, &arguments.out, arguments.threads.threads, &provenance, None, begin)?,
    };
    if let Some(path) = &arguments.latex {
        let warnings = write_latex(path, &reproduced.papers, &provenance, &switchlab_lab::date::today())?;
        reproduced.warnings.extend(warnings);
    }
    for warning in &reproduced.warnings {
        output::note(&format!("warning: {warning}"));
    }
    let tally: Tally = reproduced.papers.iter().map(PaperReport::tally).sum();
    let mut said = format!("{}\n{tally}\n", claims::text(judged(&reproduced.papers), output::width()));
    if origin == ResultsOrigin::Shipped {
        said += "from the results that are shipped with the papers";
        said += if arguments.ship { ", as far as they are measured by now\n" } else { "; nothing was run\n" };
    }
    for (name, why) in unmeasured(&reproduced.papers) {
        said += &(wrap(&format!("not measured: {name}: {why}"), output::width().min(100), 2) + "\n");
    }
    if let Some(error) = reproduced.unwritten {
        return output::say(&said).and(Err(error.into()));
    }
    let report = arguments.latex.as_ref().map_or_else(String::new, |path| format!("{}\n", path.display()));
    output::say(&format!("{said}{}\n{report}", reproduced.page.display()))?;
    if !measured_all {
        let left = "time ran out before all was measured; the same command goes on where it stopped";
        return Err(output::Incomplete(left.to_string()).into());
    }
    output::judge(&claims::unexpected(judged(&reproduced.papers)), tally, arguments.strict)
}

/// Runs shipped units of these papers anew.
fn verify_some(papers: &[Paper], folder: &Path, count: usize, arguments: &cli::ReproduceArgs) -> anyhow::Result<()> {
    let archives = papers.iter().map(|paper| Shipped::read(&folder.join(&paper.id)));
    let archives = archives.collect::<Result<Vec<_>, _>>()?;
    let time = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seed = arguments.choice.unwrap_or_else(time);
    let most = arguments.most_work.unwrap_or(u64::MAX);
    let compared = verify(&archives, count, seed, most, &Progress::new())?;
    if compared.is_empty() {
        return Err(LabError::Request("no results are shipped with these papers".to_string()).into());
    }
    let line = |unit: &Compared| format!("{}  {}\n", if unit.is_same { "same   " } else { "DIFFERS" }, unit.what);
    let different = compared.iter().filter(|unit| !unit.is_same).count();
    let slots: u64 = compared.iter().map(|unit| unit.slots).sum();
    let mut said: String = compared.iter().map(line).collect();
    said += &format!(
        "{} of {} units are the same to the last digit, {slots} slots run; chosen by --choice {seed}\n",
        compared.len() - different,
        compared.len()
    );
    output::say(&said)?;
    if different > 0 {
        let failed = format!("{different} shipped units are not what this program measures");
        return Err(output::CheckFailed(failed).into());
    }
    Ok(())
}

/// Experiments without results, and why.
fn unmeasured(papers: &[PaperReport]) -> impl Iterator<Item = (String, &str)> {
    papers.iter().flat_map(|paper| {
        let named = |report: &ExperimentReport| format!("{}/{}", paper.id, report.experiment.id);
        paper.experiments.iter().filter_map(move |report| Some((named(report), report.unmeasured.as_deref()?)))
    })
}

/// Where the papers are.
pub(super) fn folder(given: Option<&Path>) -> Result<PathBuf, LabError> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let here = Path::new("papers");
    let beside = Path::new(BUILT_BESIDE);
    [here, beside].into_iter().find(|path| path.is_dir()).map(Path::to_owned).ok_or_else(|| {
        LabError::Request("there is no ./papers; run this where the papers are, or give --papers DIR".to_string())
    })
}

/// Each claim with its name and its evaluation.
fn judged(papers: &[PaperReport]) -> impl Iterator<Item = (String, &Claim, &Evaluation)> {
    papers.iter().flat_map(|paper| {
        paper.experiments.iter().flat_map(|report| {
            let claims = report.experiment.claims.iter().zip(&report.evaluations);
            let name = |claim: &str| format!("{}/{}/{claim}", paper.id, report.experiment.id);
            claims.map(move |(claim, evaluation)| (name(&claim.id), claim, evaluation))
        })
    })
}
