//! The guide says what is so: every command on its pages is run, and what a page shows is what the
//! program prints. So do the README, the tutorial and the reference.
//!
//! On these pages, a block ```` ```file:NAME ```` is written to NAME before anything runs. In a
//! block
//! ```` ```console ````, a line that begins with `$ switchlab`, or with `$ cargo run --release --`
//! in its place, is run, in the order of the page and in one folder per page (a line that ends with
//! `\` goes on in the next); the lines below it are its output. A line `...` stands for any lines,
//! and every other line must come in that order.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command, with what the page shows below it.
struct Example {
    line: usize,
    command: String,
    shown: Vec<String>,
}

#[derive(Default)]
struct Page {
    files: Vec<(String, String)>,
    examples: Vec<Example>,
}

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else {
            continue;
        };
        let block: Vec<(usize, &str)> = lines.by_ref().take_while(|(_, line)| *line != "```").collect();
        if let Some(name) = kind.strip_prefix("file:") {
            let content = block.iter().fold(String::new(), |text, (_, line)| text + line + "\n");
            page.files.push((name.to_string(), content));
        } else if kind == "console" {
            console(&block, &mut page.examples);
        } else if !["sh", "rust", "python"].contains(&kind) {
            // What installs is not run here; Rust is compiled with the documentation of the lab;
            // Python is run by the tests of the Python package.
            panic!("line {}: a block of a kind that is not checked: {kind}", number + 1);
        }
    }
    page
}

fn console(block: &[(usize, &str)], examples: &mut Vec<Example>) {
    let mut lines = block.iter();
    while let Some((number, line)) = lines.next() {
        if let Some(command) = line.strip_prefix("$ ") {
            let mut command = command.to_string();
            while let Some(begun) = command.strip_suffix('\\') {
                let (_, more) = lines.next().expect("a command goes on in the next line");
                command = begun.to_string() + more.trim_start();
            }
            examples.push(Example { line: number + 1, command, shown: Vec::new() });
        } else {
            let example = examples.last_mut().expect("a console block begins with a command");
            example.shown.push((*line).to_string());
        }
    }
}

/// Words as a shell would have them, as far as the guide needs: blanks divide, single quotes hold
/// together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for character in command.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// Which line of the page is not in the output, in its order.
fn missing<'a>(shown: &'a [String], output: &str) -> Option<&'a str> {
    let mut output = output.lines();
    let shown = shown.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty() && *line != "...");
    let mut missing = shown.filter(|line| !output.any(|real| real.trim_end() == *line));
    missing.next()
}

fn switchlab(folder: &Path, arguments: &[String]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchlab"));
    let output = command.args(arguments).current_dir(folder).output().expect("the program is built with its tests");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs a page, and says what is wrong with it.
fn check(name: &str, page: &Page, commands: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in &page.files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let mut wrong = String::new();
    for Example { line, command, shown } in &page.examples {
        let command = command.replace("cargo run --release -- ", "switchlab ");
        let words = words(&command);
        assert_eq!(words[0], "switchlab", "{name}:{line}: only switchlab is run");
        let known = |command: &str| commands.lines().any(|line| line.split_whitespace().next() == Some(command));
        if !known(&words[1]) {
            println!("{name}:{line}: skipped, there is no `switchlab {}` yet", words[1]);
            continue;
        }
        let (code, output, errors) = switchlab(folder.path(), &words[1..]);
        if code != Some(0) {
            let _ = writeln!(wrong, "{name}:{line}: {command}\nended with {code:?}: {errors}");
        } else if let Some(line_shown) = missing(shown, &output) {
            let _ = writeln!(wrong, "{name}:{line}: {command}\ndoes not print: {line_shown}\nbut:\n{output}");
        }
    }
    wrong
}

#[test]
fn every_command_of_the_guide_does_what_the_page_shows() {
    let (_, commands, _) = switchlab(Path::new("."), &["help".to_string()]);
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(guide().join("guide")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() >= 4, "{pages:?}");
    let others = ["tutorial.md", "reference/experiments.md", "reference/files.md", "../README.md"];
    pages.extend(others.map(|name| guide().join(name)));
    let mut wrong = String::new();
    for path in pages {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let page = read(&text);
        assert!(!page.examples.is_empty() || text.contains("```python"), "{name} shows no command");
        wrong += &check(&name, &page, &commands);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The commands in running text and in tables: `switchlab run oq --ports 4`.
fn inline(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        let code = line.split('`').skip(1).step_by(2).filter(|_| !fenced);
        commands.extend(code.filter(|code| code.starts_with("switchlab ")).map(str::to_string));
    }
    commands
}

/// The same command at a length for a test, in a folder with what it names; None if it only names a
/// command, or is run at length by other tests.
fn shortened(command: &str) -> Option<Vec<String>> {
    let mut words = words(command)[1..].to_vec();
    let short: &[&str] = match words[0].as_str() {
        // Nothing but the name of a command.
        _ if words.len() == 1 && !matches!(words[0].as_str(), "list" | "bench") => return None,
        // The page comes from shipped results. Papers are run by the tests of the lab.
        "reproduce" if command.contains("--quick") || command.contains("--full") => return None,
        "reproduce" if command.contains("--verify") => &["--most-work", "1000000"],
        "run" if command.contains("trace(") => &[],
        "run" | "limit" | "audit" => &["--slots", "300"],
        "deadlock" => &["--states", "1000", "--steps", "1000", "--slots", "1000"],
        "bench" => &["--ports", "4", "--turns", "1", "--turn", "1"],
        // Else a browser is opened.
        "explore" => &["--out", "explorer.html"],
        "cluster" | "reproduce" | "psm-bound" | "step" | "list" | "explain" | "sweep" | "match" | "rtl" | "plot" => &[],
        other => panic!("how is {other} shortened? {command}"),
    };
    let file = match words[0].as_str() {
        "match" => "rankings.csv",
        _ => "small.toml",
    };
    for word in &mut words {
        *word = word.replace("FILE", file).replace("DIR", "dir").replace("NAME", "islip");
    }
    words.extend(short.iter().map(ToString::to_string));
    Some(words)
}

/// What stands between backquotes in running text is a command too.
#[test]
fn commands_in_the_text_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("small.toml", "title = 't'\nswitches = ['oq']\nports = 4\nloads = 0.5\nslots = 100\nreplications = 2\n"),
        ("cells.csv", "slot,input,output\n0,0,0\n"),
        ("rankings.csv", "rows: ranks\n1,2\n2,1\ncolumns: ranks\n1,2\n2,1\n"),
    ];
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let sweep = ["sweep", "small.toml", "--out", "dir"].map(String::from);
    assert_eq!(switchlab(folder.path(), &sweep).0, Some(0));
    let pages = ["", "guide", "reference"].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(guide().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|it| it == "md")).collect::<Vec<_>>()
    });
    let pages = pages.chain([guide().join("../README.md")]);
    let mut commands: Vec<String> = pages.flat_map(|path| inline(&std::fs::read_to_string(path).unwrap())).collect();
    commands.sort();
    commands.dedup();
    let (mut run, mut wrong) = (0, String::new());
    for command in &commands {
        let Some(words) = shortened(command) else { continue };
        run += 1;
        let (code, _, errors) = switchlab(folder.path(), &words);
        // A search that was shortened may end undecided, and a shortened run has warnings.
        if code != Some(0) {
            let _ = writeln!(wrong, "{command}\nended with {code:?}: {errors}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(run >= 15, "{run} of {commands:?}");
}

#[test]
fn the_index_names_every_page() {
    let index = std::fs::read_to_string(guide().join("README.md")).unwrap();
    for entry in std::fs::read_dir(guide().join("guide")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(index.contains(&format!("(guide/{name})")), "docs/README.md does not name {name}");
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let page =
        |shown: &str| read(&format!("```file:t.csv\nslot,input,output\n0,0,0\n```\n\n```console\n{shown}\n```\n"));
    let check = |shown: &str| check("page", &page(shown), "  run  x\n  list  y\n");
    let run = "$ switchlab run oq --traffic \\\n    'trace(file=t.csv)'";
    assert_eq!(
        check(&format!(
            "{run}\n...\n1 x 1 slots of the trace, then until the switch is empty or sends no more; delays in slots, backlog\n  in cells\n..."
        )),
        ""
    );
    assert!(check(&format!("{run}\n1 x 2 slots after a warm-up of 0")).contains("does not print"));
    // The right lines in the wrong order.
    assert!(check("$ switchlab list\nTraffic\nSwitches").contains("does not print: Switches"));
    assert!(check("$ switchlab run nothing --ports 4 --load 0.5").contains("ended with Some(2)"));
    assert_eq!(check("$ switchlab not-yet-there"), "");
}
