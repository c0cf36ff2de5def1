//! `switchlab completions` and `switchlab man`: the command line for shells and for `man`.

use crate::cli::{self, command};
use crate::output;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use std::path::Path;
use switchlab_core::registry::{ARRIVALS, TRAFFIC};
use switchlab_lab::calculation::CALCULATIONS;
use switchlab_lab::experiment::Mode;
use switchlab_lab::files::{prepare_folder, replace};
use switchlab_lab::registry::switches;
use switchlab_lab::reproduce::read;

/// An argument by its command, its name in the code and what it takes.
type Argument = (&'static str, &'static str, Names);

/// Which names an argument takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Switches,
    Traffic,
    Arrivals,
    /// Whatever there is a page about.
    Pages,
    /// Papers and their experiments.
    Papers,
}

/// The arguments that are names.
const ARGUMENTS: &[Argument] = &[
    ("run", "switches", Names::Switches),
    ("run", "traffic", Names::Traffic),
    ("run", "arrivals", Names::Arrivals),
    ("limit", "switches", Names::Switches),
    ("limit", "traffic", Names::Traffic),
    ("limit", "arrivals", Names::Arrivals),
    ("audit", "switches", Names::Switches),
    ("audit", "traffic", Names::Traffic),
    ("audit", "arrivals", Names::Arrivals),
    ("explore", "switches", Names::Switches),
    ("explore", "traffic", Names::Traffic),
    ("explore", "arrivals", Names::Arrivals),
    ("step", "switch", Names::Switches),
    ("step", "traffic", Names::Traffic),
    ("step", "arrivals", Names::Arrivals),
    ("bench", "switches", Names::Switches),
    ("bench", "traffic", Names::Traffic),
    ("explain", "name", Names::Pages),
    ("reproduce", "wanted", Names::Papers),
];

impl Names {
    /// The names there are, in the order of the registry.
    fn all(self) -> Vec<&'static str> {
        let switches = || switches().into_iter().map(|entry| entry.name);
        let traffic = || TRAFFIC.iter().map(|entry| entry.name);
        let arrivals = || ARRIVALS.iter().map(|entry| entry.name);
        match self {
            Self::Switches => switches().collect(),
            Self::Traffic => traffic().collect(),
            Self::Arrivals => arrivals().collect(),
            Self::Pages => {
                switches().chain(traffic()).chain(arrivals()).chain(CALCULATIONS.iter().map(|it| it.name)).collect()
            }
            Self::Papers => papers(),
        }
    }
}

/// The papers that `reproduce` would find now, and what is in them; none if there are none.
fn papers() -> Vec<&'static str> {
    let found = super::reproduce::folder(None).and_then(|folder| read(&folder, Mode::Quick)).unwrap_or_default();
    let names = found.iter().flat_map(|paper| {
        let inside = paper.experiments.iter().map(|experiment| format!("{}/{}", paper.id, experiment.id));
        std::iter::once(paper.id.clone()).chain(inside)
    });
    // For the rest of the process, which ends when the script is printed: clap takes static text.
    names.map(|name| &*name.leak()).collect()
}

/// Prints the script for a shell. Names of switches, traffic, arrivals and papers are in it as they
/// are now.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut command = command();
    for (of, argument, names) in ARGUMENTS {
        let parser = PossibleValuesParser::new(names.all());
        command = command.mut_subcommand(of, |it| it.mut_arg(argument, |it| it.value_parser(parser)));
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, cli::NAME, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        script += &fish();
    }
    output::say(&script)
}

/// The generator for fish leaves out what has no option before it.
fn fish() -> String {
    let positional = ARGUMENTS.iter().filter(|(_, argument, _)| !["traffic", "arrivals"].contains(argument));
    let line = |(command, _, names): &Argument| {
        let (program, names) = (cli::NAME, names.all().join(" "));
        format!("complete -c {program} -n \"__fish_seen_subcommand_from {command}\" -a \"{names}\"\n")
    };
    positional.map(line).collect()
}

/// Writes a manual page for the program and one for each command to a folder.
pub(crate) fn man(out: &Path) -> anyhow::Result<()> {
    prepare_folder(out)?;
    let mut program = command().disable_help_subcommand(true);
    program.build();
    let mut written = 0;
    for command in std::iter::once(&program).chain(program.get_subcommands().filter(|it| !it.is_hide_set())) {
        let page = clap_mangen::Man::new(command.clone());
        let mut text = Vec::new();
        page.render(&mut text)?;
        replace(&out.join(page.get_filename()), &text)?;
        written += 1;
    }
    output::say(&format!("{written} pages in {}; try: man {}\n", out.display(), out.join("switchlab-run.1").display()))
}
