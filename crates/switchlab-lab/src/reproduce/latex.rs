//! The reproduction report: what the page says, as LaTeX source of a few pages that can be cited.
//!
//! It needs packages that every LaTeX has: geometry, longtable, array, graphicx, hyperref. Figures
//! are PDF files beside it, laid out for half a page width.

use super::page::{reduced, resolved, seeds};
use super::report::{Balance, ExperimentReport, PaperReport, in_words, name_of, reason};
use super::{Provenance, ResultsOrigin, markdown};
use crate::claims::{Evaluation, Ruling, quantity, rule};
use crate::error::LabError;
use crate::experiment::{Claim, Mode};
use crate::figure;
use crate::files::{check, prepare_folder, replace};
use crate::picture::Format;
use crate::plot::Size;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The width of a figure: two stand side by side on A4.
const FIGURE: f64 = 82.0;

const PREAMBLE: &str = "\\documentclass[10pt,a4paper]{article}
\\usepackage[margin=20mm]{geometry}
\\usepackage{longtable,array,graphicx}
\\usepackage[hidelinks]{hyperref}
\\setlength{\\parindent}{0pt}
\\setlength{\\parskip}{4pt}
\\setlength{\\LTpre}{4pt}
\\emergencystretch=3em
\\renewcommand{\\labelitemi}{$\\bullet$}
\\newcolumntype{L}[1]{>{\\raggedright\\arraybackslash}p{#1}}
";

/// Whether a report can be written to a file of this name, and its figures beside it. Asked before
/// the work whose results it takes.
pub fn check_latex(path: &Path) -> Result<(), LabError> {
    check(path)?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tex")) {
        return Ok(());
    }
    Err(LabError::Request(format!("{}: the report is LaTeX source; give a name that ends in .tex", path.display())))
}

/// Writes the report and its figures, and gives warnings of figures that could not be made.
/// `date` is the day of the report.
pub fn write_latex(
    path: &Path,
    papers: &[PaperReport],
    provenance: &Provenance,
    date: &str,
) -> Result<Vec<String>, LabError> {
    check_latex(path)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    // LaTeX takes the name of a folder as it is, without escapes.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let folder = format!("{}-figures", stem.replace(|c: char| !plain(c), "-"));
    let beside: PathBuf = path.parent().unwrap_or(Path::new("")).join(&folder);
    let mut warnings = Vec::new();
    let mut made: Vec<String> = Vec::new();
    for paper in papers {
        for report in &paper.experiments {
            for figure in &report.experiment.figures {
                let mut chart = figure::chart(figure, &report.results);
                // The caption has the title.
                chart.titled = false;
                let svg = chart.to_svg_sized(&Size::print(FIGURE));
                let file = file_of(paper, report, &figure.id);
                match Format::Pdf.encode(&svg, 1.0) {
                    Ok(bytes) => {
                        prepare_folder(&beside)?;
                        replace(&beside.join(&file), &bytes)?;
                        made.push(file);
                    }
                    Err(problem) => warnings.push(format!("{}/{}: {problem}", paper.id, figure.id)),
                }
            }
        }
    }
    let pictures = Pictures { folder, made };
    replace(path, latex(papers, provenance, date, &pictures).as_bytes())?;
    Ok(warnings)
}

/// The figures that a report includes.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// Their folder, from the report.
    pub(super) folder: String,
    /// The files that are there.
    pub(super) made: Vec<String>,
}

fn file_of(paper: &PaperReport, report: &ExperimentReport, figure: &str) -> String {
    let name = format!("{}-{}-{figure}", paper.id, report.experiment.id);
    format!("{}.pdf", name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-"))
}

/// The report.
pub(super) fn latex(papers: &[PaperReport], provenance: &Provenance, date: &str, pictures: &Pictures) -> String {
    let mut out = PREAMBLE.to_string();
    let title = match papers {
        [only] => format!("Reproduction report: {}", title(only)),
        _ => "Reproduction report".to_string(),
    };
    let _ =
        writeln!(out, "\\title{{{title}}}\n\\author{{switchlab {}}}\n\\date{{{}}}", tex(&provenance.engine), tex(date));
    out += "\\begin{document}\n\\maketitle\n\n";
    made(&mut out, papers, provenance);
    for paper in papers {
        section(&mut out, paper, provenance, pictures);
    }
    out += "\\end{document}\n";
    out
}

/// How everything was made, once for all papers.
fn made(out: &mut String, papers: &[PaperReport], provenance: &Provenance) {
    let _ = writeln!(
        out,
        "All figures here were measured by simulation or computed with switchlab {}, seed {}, by the command\n\n\\texttt{{{}}}\n",
        tex(&provenance.engine),
        tex(&seeds(papers)),
        tex(&provenance.command)
    );
    *out += match provenance.origin {
        ResultsOrigin::Run(Mode::Quick) => {
            "This is the quick form: shorter runs and fewer points than the experiments state; \\texttt{--full} runs all of them.\n"
        }
        ResultsOrigin::Run(Mode::Full) => "All points were run at the length that each experiment states.\n",
        ResultsOrigin::Shipped => {
            "All points were run at the length that each experiment states; the results are shipped with the papers.\n"
        }
    };
    *out += "The same command gives the same numbers to the last digit. A claim holds, or does not, if the 95\\,\\% intervals of all its \
             checks together leave no doubt; otherwise it is undecided. ``Interval'' is this joint interval.\n\n";
}

fn section(out: &mut String, paper: &PaperReport, provenance: &Provenance, pictures: &Pictures) {
    let _ = writeln!(out, "\\section{{{}}}\n", title(paper));
    if let Some(citation) = markdown::head(&paper.readme_markdown).citation {
        let _ = writeln!(out, "{}\n", tex(&citation));
    }
    let Balance { of_paper, own } = paper.balance();
    let said = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    for (tally, what) in [(of_paper, "claims of the paper"), (own, "checks of our own")] {
        if tally.total() > 0 {
            let _ = writeln!(
                out,
                "Of {} {what}, {}, {} and {} undecided.",
                tally.total(),
                said(tally.holds, "holds", "hold"),
                said(tally.fails, "does not hold", "do not hold"),
                said(tally.undecided, "is", "are")
            );
        }
    }
    *out += "\n";
    for (ruling, heading) in [(Ruling::DoesNotHold, "What does not hold"), (Ruling::Undecided, "What is undecided")] {
        list(out, paper, ruling, heading);
    }
    claims(out, paper);
    runs(out, paper);
    figures(out, paper, provenance, pictures);
}

fn title(paper: &PaperReport) -> String {
    let title = markdown::head(&paper.readme_markdown).title;
    tex(&title.filter(|title| !title.is_empty()).unwrap_or_else(|| paper.id.clone()))
}

/// Every claim of a paper with its evaluation and its experiment.
fn judged(paper: &PaperReport) -> impl Iterator<Item = (&ExperimentReport, &Claim, &Evaluation)> {
    paper.experiments.iter().flat_map(|report| {
        report.experiment.claims.iter().zip(&report.evaluations).map(move |(claim, found)| (report, claim, found))
    })
}

/// The claims of a ruling, each with its reason.
fn list(out: &mut String, paper: &PaperReport, ruling: Ruling, heading: &str) {
    let items: Vec<String> = judged(paper)
        .filter(|(_, _, found)| found.ruling == ruling)
        .map(|(report, claim, found)| {
            let name = tex(&name_of(paper, report, claim));
            format!("\\item {} \\emph{{{}}} (\\texttt{{{name}}})", sentence(&claim.text), tex(&reason(claim, found)))
        })
        .collect();
    if !items.is_empty() {
        let _ =
            writeln!(out, "\\subsection*{{{heading}}}\n\\begin{{itemize}}\n{}\n\\end{{itemize}}\n", items.join("\n"));
    }
}

/// All claims: the paper's, then our own.
fn claims(out: &mut String, paper: &PaperReport) {
    for (own, heading) in [(false, "The paper's claims"), (true, "Our own checks")] {
        let rows: Vec<_> = judged(paper).filter(|(_, claim, _)| claim.is_own() == own).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\\subsection*{{{heading}}}\n{{\\footnotesize\n\\begin{{longtable}}{{L{{61mm}}L{{24mm}}L{{50mm}}L{{17mm}}}}\n\
             \\hline\\noalign{{\\smallskip}} claim & printed & measured & ruling \\\\ \\noalign{{\\smallskip}}\\hline\\noalign{{\\smallskip}} \\endhead\n\\hline \\endfoot"
        );
        for (report, claim, found) in rows {
            let measured = format!("{}: {}", quantity(claim), in_words(&found.measured));
            let ruling = match found.ruling {
                Ruling::DoesNotHold => format!("\\textbf{{{}}}", found.ruling.in_words()),
                Ruling::Holds | Ruling::Undecided => found.ruling.in_words().to_string(),
            };
            let _ = writeln!(
                out,
                "{} \\emph{{Holds if {}.}} {} (\\texttt{{{}}}) & {} & {} & {ruling} \\\\ \\noalign{{\\smallskip}}",
                sentence(&claim.text),
                tex(&rule(claim)),
                tex(&claim.source),
                tex(&name_of(paper, report, claim)),
                tex(claim.printed.as_deref().unwrap_or("")),
                tex(&measured)
            );
        }
        *out += "\\end{longtable}}\n\n";
    }
}

/// What was run, an experiment in a paragraph.
fn runs(out: &mut String, paper: &PaperReport) {
    if paper.experiments.is_empty() {
        return;
    }
    *out += "\\subsection*{What was run}\n{\\footnotesize\n";
    for report in &paper.experiments {
        let often = report.results.iter().map(|point| point.outcome.runs.len());
        let (least, most) = (often.clone().min().unwrap_or(0), often.max().unwrap_or(0));
        let facts: Vec<String> = resolved(&report.experiment)
            .iter()
            .filter(|(name, _)| *name != "replications")
            .map(|(name, value)| format!("{name}: {}", tex(value)))
            .collect();
        let times = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let _ = writeln!(
            out,
            "\\textbf{{{}}} (\\texttt{{{}}}): {} points, replications: {times}. {}.\n",
            tex(&report.experiment.title),
            tex(&format!("{}/{}", paper.id, report.experiment.id)),
            report.results.len(),
            facts.join("; ")
        );
    }
    *out += "}\n\n";
}

/// The figures, two in a row.
fn figures(out: &mut String, paper: &PaperReport, provenance: &Provenance, pictures: &Pictures) {
    let mut cells = Vec::new();
    for report in &paper.experiments {
        let full = provenance.full_form(&paper.id, &report.experiment.id);
        for figure in &report.experiment.figures {
            let file = file_of(paper, report, &figure.id);
            if !pictures.made.contains(&file) {
                continue;
            }
            let less = full.and_then(|full| reduced(figure, &report.experiment, full));
            let less = less.map_or_else(String::new, |less| format!(", {}", tex(&less)));
            cells.push(format!(
                "\\begin{{minipage}}[t]{{{FIGURE}mm}}\\vspace{{0pt}}\\includegraphics[width=\\linewidth]{{{}/{file}}}\\\\\n\
                 {{\\footnotesize {} (\\texttt{{{}}}{less})}}\\end{{minipage}}",
                pictures.folder,
                tex(&figure.title),
                tex(&format!("{}/{}", paper.id, figure.id))
            ));
        }
    }
    if cells.is_empty() {
        return;
    }
    *out += "\\subsection*{Figures}\n";
    for row in cells.chunks(2) {
        let _ = writeln!(out, "\\noindent {}\n\\par\\medskip\n", row.join("\\hfill\n"));
    }
}

/// A claim, which ends in a full stop.
fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    tex(text) + end
}

/// Text that LaTeX prints as it is. Lines may break after the separators of a spec or a name. A
/// character that the usual fonts lack becomes a question mark.
fn tex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' => out.extend(['\\', c]),
            '_' => out.push_str("\\_\\allowbreak{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '|' => out.push_str("$|$"),
            '"' if before.is_whitespace() || before == '(' => out.push_str("``"),
            '"' => out.push_str("''"),
            ',' | '(' | '/' | '=' => {
                out.push(c);
                out.push_str("\\allowbreak{}");
            }
            // Two in a row would become a dash.
            '-' => out.push_str("-{}"),
            ' '..='~' => out.push(c),
            _ => out.push_str(beyond_ascii(c)),
        }
        before = c;
    }
    out
}

fn beyond_ascii(c: char) -> &'static str {
    match c {
        '\n' | '\t' | '\r' | '\u{a0}' | '\u{2009}' | '\u{202f}' => " ",
        '’' | '‘' => "'",
        '“' => "``",
        '”' => "''",
        '–' => "--",
        '—' => "---",
        '…' => "\\ldots{}",
        '·' => "$\\cdot$",
        '×' => "$\\times$",
        '±' => "$\\pm$",
        '²' => "$^2$",
        '³' => "$^3$",
        '√' => "$\\surd$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≈' => "$\\approx$",
        '∞' => "$\\infty$",
        '→' => "$\\rightarrow$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'λ' => "$\\lambda$",
        'μ' | 'µ' => "$\\mu$",
        'ρ' => "$\\rho$",
        'Γ' => "$\\Gamma$",
        'Θ' => "$\\Theta$",
        'Ω' => "$\\Omega$",
        'ä' => "\\\"a",
        'ö' => "\\\"o",
        'ü' => "\\\"u",
        'ß' => "{\\ss}",
        'é' => "\\'e",
        'è' => "\\`e",
        'š' => "\\v{s}",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_commands_of_its_own() {
        assert_eq!(tex("50 % & \\input{x}"), "50 \\% \\& \\textbackslash{}input\\{x\\}");
        assert_eq!(tex("log² N ≥ 3"), "log$^2$ N $\\geq$ 3");
        assert_eq!(tex("a--b\u{1}語"), "a-{}-{}b??");
        assert_eq!(tex("by \"it\""), "by ``it''");
        let all: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        assert!(tex(&all).is_ascii());
    }

    #[test]
    fn only_a_tex_file_is_taken() {
        assert!(check_latex(Path::new("report.pdf")).unwrap_err().to_string().contains(".tex"));
        assert!(check_latex(Path::new("report.tex")).is_ok());
    }
}
