//! `switchlab explore`.

use crate::{cli, output};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use switchlab_core::registry::{self, NoFiles};
use switchlab_lab::LabError;
use switchlab_lab::files::{check, replace};

/// The page, as `web/build` has made it.
const PAGE: &str = include_str!("../../data/explorer.html");

/// The last slot that the page shows.
const LAST_SLOT: u64 = 200_000;
/// The most switches in a race.
const MOST_SWITCHES: usize = 4;

pub(crate) fn explore(arguments: &cli::ExploreArgs) -> anyhow::Result<()> {
    let fragment = fragment(arguments)?;
    let path = match &arguments.out {
        Some(path) => write(path).map(|()| path.clone())?,
        None => write_temporary()?,
    };
    let opens = arguments.out.is_none();
    let path = std::path::absolute(&path)?;
    let address = format!("file://{}{fragment}", encode_path(&path));
    output::say(&format!("{address}\n"))?;
    if opens && !open(&address) {
        output::note("no browser could be started: open this address yourself");
    }
    Ok(())
}

fn write(path: &Path) -> Result<(), LabError> {
    check(path)?;
    replace(path, PAGE.as_bytes())
}

/// Writes the page among temporary files. Where another user has a page of this name, it gets the
/// number of the process, too.
fn write_temporary() -> Result<PathBuf, LabError> {
    let path = std::env::temp_dir().join("switchlab-explorer.html");
    if write(&path).is_ok() {
        return Ok(path);
    }
    let path = std::env::temp_dir().join(format!("switchlab-explorer-{}.html", std::process::id()));
    write(&path).map(|()| path)
}

/// What the page shows first, as the fragment of its address. Everything in it is checked here, so
/// that a mistake is reported on the command line.
fn fragment(arguments: &cli::ExploreArgs) -> Result<String, LabError> {
    let race = arguments.switches.len() > 1;
    if arguments.switches.len() > MOST_SWITCHES {
        let problem = format!("a race has at most {MOST_SWITCHES} switches; name fewer");
        return Err(LabError::Request(problem));
    }
    let ports = arguments.ports.unwrap_or(if race { 16 } else { 4 });
    let slot = arguments.slot.unwrap_or(if race { 2000 } else { 20 });
    if slot > LAST_SLOT {
        return Err(LabError::Request(format!("the page shows slots up to {LAST_SLOT}; lower --slot")));
    }
    let seed = switchlab_core::Seed { seed: arguments.seed.seed, replication: 0 };
    for spec in &arguments.switches {
        registry::switch(spec)?.build(ports.into(), seed)?;
    }
    registry::traffic(&arguments.traffic)?.build(Some(ports.into()), Some(arguments.load), &NoFiles)?;
    registry::arrivals(&arguments.arrivals)?;
    let mut pairs = vec![("view", if race { "race" } else { "slot" }.to_string())];
    pairs.extend(arguments.switches.iter().map(|spec| ("switch", spec.clone())));
    pairs.extend([
        ("ports", ports.to_string()),
        ("traffic", arguments.traffic.clone()),
        ("arrivals", arguments.arrivals.clone()),
        ("load", arguments.load.to_string()),
        ("seed", arguments.seed.seed.to_string()),
        ("slot", slot.to_string()),
    ]);
    let pairs: Vec<String> =
        pairs.iter().map(|(key, value)| format!("{key}={}", encode(value.as_bytes(), b""))).collect();
    Ok(format!("#{}", pairs.join("&")))
}

/// Percent-encodes all but letters, digits and a few signs, and those that are `kept`.
fn encode(bytes: &[u8], kept: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte);
    bytes.iter().fold(String::new(), |text, &byte| {
        if is_plain(byte) { text + &char::from(byte).to_string() } else { text + &format!("%{byte:02X}") }
    })
}

/// A path as a part of an address. On Windows it has a drive and backslashes.
fn encode_path(path: &Path) -> String {
    let text = path.as_os_str().to_string_lossy().replace('\\', "/");
    let slash = if text.starts_with('/') { "" } else { "/" };
    format!("{slash}{}", encode(text.as_bytes(), b"/:"))
}

/// Opens an address in the browser of the desktop; whether one could be started.
fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(OsStr::new(address)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
