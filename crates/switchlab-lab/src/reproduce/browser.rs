//! The page in a browser: nothing overflows, no message, every anchor resolves; on wide and narrow
//! screens, in the dark and in print.

use super::tests::whole;
use std::path::Path;
use std::process::{Command, Output};

/// Opens the page in frames of several widths and writes what it finds, a line for each frame.
///
/// Chromium has no print medium on the screen, so the third frame has the page with its rules for
/// print made those for all media.
const HARNESS: &str = r#"<!DOCTYPE html><html><body><script>
const frames = [["wide", "page.html", 1200], ["narrow", "page.html", 390], ["print", "print.html", 680]];
let open = frames.length;
const lines = [];
function look(name, width, frame) {
  const doc = frame.contentDocument, view = frame.contentWindow;
  for (const fold of doc.querySelectorAll("details")) fold.open = true;
  // On paper nothing scrolls.
  const scrolls = element => element.closest(name == "print" ? "pre, svg" : ".scroll, .contents, pre, svg");
  const over = [...doc.body.querySelectorAll("*")].filter(element => {
    const box = element.getBoundingClientRect();
    return !scrolls(element) && box.width > 0 && box.right > width + 0.5;
  }).map(element => element.tagName + "." + element.className + " " + element.textContent.replace(/\s+/g, " ").slice(0, 40));
  const lost = [...doc.querySelectorAll("a[href^='#']")].map(link => link.getAttribute("href").slice(1))
    .filter(place => !doc.getElementById(place));
  const ids = [...doc.querySelectorAll("[id]")].map(element => element.id);
  const twice = ids.filter((id, index) => ids.indexOf(id) != index);
  view.scrollTo(0, doc.documentElement.scrollHeight);
  const bar = Math.round(doc.querySelector(".contents").getBoundingClientRect().top);
  const visible = [...doc.querySelectorAll("figure svg")].filter(svg => svg.getBoundingClientRect().width > 0).length;
  lines.push([name, "dark=" + view.matchMedia("(prefers-color-scheme: dark)").matches,
    "page=" + doc.documentElement.scrollWidth, "over=" + over.join("|"), "lost=" + lost.join("|"), "twice=" + twice.join("|"),
    "bar=" + bar, "charts=" + visible, "links=" + doc.querySelectorAll("a[href^='#']").length].join("; "));
  if (--open == 0) {
    const result = document.createElement("pre");
    result.textContent = "RESULT\n" + lines.sort().join("\n") + "\nEND";
    document.body.append(result);
  }
}
for (const [name, file, width] of frames) {
  const frame = document.createElement("iframe");
  frame.style = `width:${width}px;height:800px;border:0`;
  frame.onload = () => look(name, width, frame);
  frame.src = file;
  document.body.append(frame);
}
</script></body></html>
"#;

/// Finds a browser by its usual names.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()));
    if found.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "Chromium is not installed");
        println!("skipped: no Chromium on this machine, so the page is not opened in one");
    }
    found
}

/// Opens a file, with options, and fails on any message of the console.
fn open(browser: &str, dir: &Path, file: &str, options: &[&str]) -> Output {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"])
        .args(["--enable-logging=stderr", "--allow-file-access-from-files", "--virtual-time-budget=20000"])
        .args(options)
        .arg(format!("--user-data-dir={}", dir.join("profile").display()))
        .arg(format!("file://{}", dir.join(file).display()))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    let complaints: Vec<_> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    output
}

/// The page and its form for print in a folder, beside the harness.
fn prepare(page: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let printed = page.replace("@media print", "@media all").replace("@media screen", "@media speech");
    for (name, text) in [("page.html", page), ("print.html", &printed), ("harness.html", HARNESS)] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

/// What the harness finds: a line each for narrow, print and wide.
fn found(browser: &str, dir: &Path, options: &[&str]) -> Vec<String> {
    let options: Vec<&str> = options.iter().copied().chain(["--dump-dom"]).collect();
    let dom = String::from_utf8_lossy(&open(browser, dir, "harness.html", &options).stdout).into_owned();
    let inside = dom.split_once("<pre>RESULT\n").and_then(|(_, rest)| rest.split_once("\nEND"));
    inside.unwrap_or_else(|| panic!("no result: {dom}")).0.lines().map(str::to_string).collect()
}

/// Fails if a frame of the page is not as it should be.
fn check(lines: &[String], dark: bool, charts: usize) {
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, (name, width)) in lines.iter().zip([("narrow", 390), ("print", 680), ("wide", 1200)]) {
        assert!(line.starts_with(&format!("{name}; dark={dark}; page={width}; over=; lost=; twice=; ")), "{line}");
        assert!(line.contains(&format!("; charts={charts}; ")), "one chart of each figure is seen: {line}");
        // The bar stays where it is; in print it is at the head.
        assert_eq!(line.contains("; bar=0; "), name != "print", "{line}");
    }
}

#[test]
fn a_browser_opens_the_page_without_complaint() {
    let Some(browser) = browser() else { return };
    let page = whole();
    let dir = prepare(&page);
    check(&found(browser, dir.path(), &[]), false, 4);
    check(&found(browser, dir.path(), &["--blink-settings=preferredColorScheme=0"]), true, 4);
    let pdf = dir.path().join("page.pdf");
    open(browser, dir.path(), "page.html", &[&format!("--print-to-pdf={}", pdf.display())]);
    let bytes = std::fs::read(pdf).unwrap();
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 20_000, "{} bytes", bytes.len());
}

/// The same of a page that was written by `reproduce`, and one for people to look at:
/// `PAGE=out/index.html cargo test -p switchlab-lab -- --ignored a_written_page`.
#[test]
#[ignore = "opens the page that PAGE names; without one, writes an example to sample.html"]
fn a_written_page() {
    let Ok(path) = std::env::var("PAGE") else {
        std::fs::write("sample.html", whole()).unwrap();
        return;
    };
    let Some(browser) = browser() else { return };
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let charts = page.matches("<figure id=").count();
    let dir = prepare(&page);
    check(&found(browser, dir.path(), &[]), false, charts);
    check(&found(browser, dir.path(), &["--blink-settings=preferredColorScheme=0"]), true, charts);
}
