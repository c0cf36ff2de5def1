// The page in a browser: every view with every switch, by keyboard alone, on all screens.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { after, before, test } from "node:test";
import { address, go, launch, median, open } from "./browser.mjs";
import { openModule } from "./module.mjs";
import { random } from "./random.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const names = (await openModule()).list().switches.map(entry => entry.name);
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const drawn = page => page.locator(".view").getAttribute("data-drawn");
const picture = page => page.locator(".picture").evaluate(svg => svg.outerHTML);

/** Waits until the picture is that of a slot and step. */
const shows = (page, mark) => page.waitForSelector(`[data-drawn="${mark}"]`);

test("every switch can be stepped through, without a message", async () => {
  const { page, messages, context } = await open(browser);
  for (const name of names) {
    await go(page, `#switch=${name}&ports=8&load=0.8&slot=30`);
    const steps = await page.locator(".steps button").count();
    assert.ok(steps >= 2, `${name}: ${steps} steps`);
    for (let step = 1; step < steps; step += 1) await page.keyboard.press("ArrowRight");
    await shows(page, `30.${steps - 1}`);
    assert.ok((await page.locator(".steps b").allTextContents()).includes("Departures"), name);
    await page.keyboard.press("ArrowRight");
    await shows(page, "31.0");
    await page.keyboard.press("ArrowLeft");
    await shows(page, `30.${steps - 1}`);
    assert.equal(await page.locator("#alert").isVisible(), false, name);
  }
  assert.deepEqual(messages, []);
  await context.close();
});

test("steps show what the schedulers report", async () => {
  const { page, context } = await open(browser);
  const titles = async fragment => {
    await go(page, fragment);
    return page.locator(".steps b").allTextContents();
  };
  assert.deepEqual(await titles("#switch=islip&ports=4&load=0.9&slot=20"),
    ["Arrivals", "Iteration 1: requests", "Iteration 1: grants", "Iteration 1: accepts", "Matching", "Departures"]);
  const serena = await titles("#switch=serena&ports=8&load=0.9&slot=40");
  assert.ok(serena.includes("Two matchings") && serena.includes("Cycle 1 of 2"), serena.join());
  assert.deepEqual(await titles("#switch=mwm&ports=8&load=0.9&slot=40"), ["Arrivals", "Weights", "Prices", "Matching", "Departures"]);
  await go(page, "#switch=mwm&ports=8&load=0.9&slot=40&step=2");
  // The prices sum to what the matching weighs.
  const sum = text => Number(/(?:= |sum to )(\d+)/.exec(text)[1]);
  const [weights, prices] = await page.locator(".steps span").evaluateAll(list => [1, 2].map(step => list[step].textContent));
  assert.equal(sum(weights), sum(prices));
  await go(page, "#switch=islip&ports=4&load=0.9&slot=20&step=3");
  assert.equal(await page.locator(".dial").count(), 8);
  assert.ok(await page.locator(".dial.moved").count() > 0);
  // What is drawn as matched is what the words say.
  const accepted = (await page.locator(".step-text").textContent()).match(/\d+ accepts \d+/g).length;
  assert.equal(await page.locator("circle.match").count(), accepted);
  await context.close();
});

test("switches that are no crossbars have pictures of their own", async () => {
  const { page, messages, context } = await open(browser, "#switch=psm&ports=4&load=0.95&slot=20&step=1");
  // Each cell that is written stands in the picture, and a line leads to it.
  const written = (await page.locator(".step-text").textContent()).match(/to memory/g).length;
  assert.equal(await page.locator(".held.fresh").count(), written);
  assert.equal(await page.locator("path.write").count(), written);
  await page.keyboard.press("ArrowRight");
  await shows(page, "20.2");
  const read = Number(/(\d) cells? departs?/.exec(await page.locator(".step-text").textContent())[1]);
  assert.equal(await page.locator(".held.read").count(), read);
  // A cell is added in the squares below.
  await page.locator('[data-input="1"][data-output="2"]').click();
  await page.waitForFunction(() => location.hash.includes("add=20.1.2"));
  await go(page, "#switch=benes&ports=4&load=0.9&slot=60&step=2");
  const [, blocked, all] = /(\d+) buffers? of (\d+) cannot move/.exec(await page.locator(".step-text").textContent());
  assert.equal(await page.locator(".fabric .held").count(), Number(all));
  assert.equal(await page.locator(".fabric .held.blocked, .fabric .held.dead").count(), Number(blocked));
  await go(page, "#switch=cioq&ports=4&load=0.95&slot=60&step=2");
  const competing = Number(/(\d+) pairs? compete/.exec(await page.locator(".step-text").textContent())[1]);
  assert.equal(await page.locator(".vertex").count(), competing);
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  await shows(page, "60.3");
  const roots = Number(/(\d+) roots? (?:is|are) matched/.exec(await page.locator(".step-text").textContent())[1]);
  assert.equal(await page.locator(".vertex.root").count(), roots);
  await go(page, "#switch=uform&ports=4&load=0.95&slot=196&step=1");
  assert.ok(await page.locator(".frame-mark").count() > 0);
  assert.deepEqual(messages, []);
  await context.close();
});

test("the load matrix is dragged, and set by keys", async () => {
  const { page, messages, context } = await open(browser, "#switch=islip&ports=3&load=0.6&slot=10");
  await page.getByRole("button", { name: "Edit the load matrix" }).click();
  await page.waitForFunction(() => location.hash.includes("rates="));
  const rates = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("rates").split(" ").map(Number));
  assert.deepEqual(await rates(), Array(9).fill(0.2));
  await page.locator("#rate-4").focus();
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => location.hash.includes("0.21"));
  assert.equal((await rates())[4], 0.21);
  assert.equal(await page.evaluate(() => document.activeElement.id), "rate-4", "the focus stays");
  const box = await page.locator("#rate-0").boundingBox();
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y - 25, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => !new URLSearchParams(location.hash.slice(1)).get("rates").startsWith("0.2 "));
  assert.equal((await rates())[0], 0.35);
  // What no switch can serve is said, and not simulated.
  await page.locator("#rate-0").focus();
  for (let press = 0; press < 5; press += 1) await page.keyboard.press("PageUp");
  assert.ok((await rates()).slice(0, 3).reduce((sum, rate) => sum + rate, 0) <= 1);
  await page.waitForTimeout(200);
  const link = await page.evaluate(() => location.hash);
  assert.match(await page.locator(".rates ~ p, .field .hint[role=status]").last().textContent(), /more than 1/);
  const other = await open(browser, link);
  assert.equal(await picture(other.page), await picture(page));
  assert.deepEqual(messages, []);
  await other.context.close();
  await context.close();
});

test("a curve grows, with intervals, verdicts and the edge", async () => {
  const { page, messages, context } = await open(browser, "#view=curve&switch=fifo&switch=oq&ports=4");
  await page.waitForSelector('[data-done="yes"]', { timeout: 60000 });
  // The program finds the same: web/tests hold the module to it. Here: what is shown is what was measured.
  assert.match(await page.locator(".edges").textContent(), /fifo: between 0\.\d+ and 0\.\d+/);
  assert.match(await page.locator(".edges").textContent(), /oq: no load up to 0\.99 is unstable/);
  const [, low, high] = /fifo: between (0\.\d+) and (0\.\d+)/.exec(await page.locator(".edges").textContent()).map(Number);
  // Theory: 0.6553 with 4 ports.
  assert.ok(low < 0.656 && high > 0.655, `${low} ${high}`);
  assert.ok(await page.locator(".interval").count() >= 10);
  assert.ok(await page.locator(".cross").count() >= 3);
  await page.keyboard.press(" ");
  await go(page, "#view=curve&switch=oq&traffic=matrix(file=x)");
  assert.match(await page.locator("#alert").textContent(), /needs traffic that has a load/);
  assert.deepEqual(messages, []);
  await context.close();
});

test("the differences of a race have their intervals", async () => {
  const { page, messages, context } = await open(browser, "#view=race&switch=oq&switch=islip&ports=4&load=0.8&slot=100");
  await page.getByRole("button", { name: "Measure the differences" }).click();
  await page.waitForSelector('[data-measured="yes"]', { timeout: 60000 });
  const [, mean, width] = /islip\(iterations=1\): (\d+\.\d+) ± (\d+\.\d+)/.exec(await page.locator(".differences").textContent()).map(Number);
  assert.ok(mean > 0 && width > 0 && width < mean, `${mean} ${width}`);
  assert.deepEqual(messages, []);
  await context.close();
});

test("a cell's life says whom it lost to, and leads to the slots", async () => {
  const { page, messages, context } = await open(browser, "#view=life&switch=islip&ports=4&load=0.95&slot=300");
  await page.waitForSelector(".life[data-drawn]");
  const text = await page.locator(".life .step-text").textContent();
  const waited = Number(/It waited (\d+) slots?/.exec(text)[1]);
  assert.equal(await page.locator(".strip .why").count() - new Set(await page.locator(".strip .legend").allTextContents()).size, waited + 1);
  // The longest wait comes first in the list.
  assert.ok((await page.locator(".found button").first().textContent()).endsWith(`: ${waited}`));
  await page.locator(".found button").nth(3).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("cell="));
  await page.locator(".reasons button").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !location.hash.includes("view=life"));
  await page.waitForSelector(".one-slot[data-drawn]");
  for (const name of ["oq", "fifo", "psm", "benes", "cioq", "serena", "tdm"]) {
    await go(page, `#view=life&switch=${name}&ports=4&load=0.6&slot=200`);
    await page.waitForSelector(".life[data-drawn]");
    assert.match(await page.locator(".reasons li").last().textContent(), /It departs/, name);
    assert.equal(await page.locator("#alert").isVisible(), false, name);
  }
  assert.deepEqual(messages, []);
  await context.close();
});

test("every story is told to its end by the keyboard alone", async () => {
  const { page, messages, context } = await open(browser, "#view=stories", { reducedMotion: "reduce" });
  const titles = await page.locator(".story-list button").allTextContents();
  assert.ok(titles.length >= 10);
  for (const [index, title] of titles.entries()) {
    await page.locator(".story-list button").nth(index).focus();
    await page.keyboard.press("Enter");
    const [, first, count] = /(\d+) of (\d+)$/.exec(await page.locator(".story h2").textContent()).map(Number);
    assert.equal(first, 1);
    for (let step = 1; step <= count; step += 1) {
      assert.equal(await page.locator(".story h2").textContent(), `${title} · ${step} of ${count}`);
      const { view, mark } = await page.evaluate(() => {
        const query = new URLSearchParams(location.hash.slice(1));
        const view = query.get("view") ?? "slot";
        return { view, mark: view === "slot" ? `${query.get("slot")}.${query.get("step") ?? 0}` : view === "race" ? query.get("slot") : view === "life" ? query.get("cell") : "curve" };
      });
      await page.waitForSelector(`[data-drawn="${mark}"]`, { timeout: 30000 }).catch(error => { throw new Error(`${title} ${step} (${view} ${mark}): ${error.message}`); });
      assert.equal(await page.locator("#alert").isVisible(), false, `${title} ${step}`);
      await page.locator("#story-next").focus();
      await page.keyboard.press("Enter");
    }
    await page.waitForSelector(".stories[data-drawn]");
  }
  assert.deepEqual(messages, []);
  await context.close();
});

test("a cell is added by a click, and by the keyboard", async () => {
  const { page, messages, context } = await open(browser, "#switch=islip&ports=4&load=0.3&slot=10");
  await page.locator('[data-input="2"][data-output="1"]').click();
  await page.waitForFunction(() => location.hash.includes("add=10.2.1"));
  await shows(page, "10.0");
  assert.ok(await page.locator('[data-input="2"][data-output="1"]').evaluate(voq => voq.classList.contains("fresh")));
  await page.locator(".stage").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("10.3.2"));
  assert.match(await page.locator(".command").textContent(), /trace\(file=cells\.csv\)/);
  await page.getByRole("button", { name: "Remove added cells" }).click();
  await page.waitForFunction(() => !location.hash.includes("add="));
  assert.deepEqual(messages, []);
  await context.close();
});

test("a guess hides the decision, and is judged", async () => {
  const { page, context } = await open(browser, "#switch=mwm&ports=4&load=0.9&slot=12&predict=1");
  assert.equal(await page.locator(".steps button").count(), 0);
  assert.equal(await page.locator(".marks *").count(), 0);
  await page.keyboard.press("ArrowRight");
  assert.equal(await drawn(page), "12.0", "no step before the guess");
  await page.locator('[data-input="0"][data-output="1"]').click();
  await page.locator('[data-input="1"][data-output="0"]').click();
  await page.getByRole("button", { name: "Reveal the decision" }).click();
  const text = await page.locator(".guessing p").textContent();
  const [, right, guessed, matched] = /(\d) of (\d) guessed pairs are among the (\d)/.exec(text).map(Number);
  const pairs = (await page.locator(".step-text").textContent()).match(/\d→\d/g);
  assert.equal(guessed, 2);
  assert.equal(matched, pairs.length);
  assert.equal(right, ["0→1", "1→0"].filter(pair => pairs.includes(pair)).length);
  await context.close();
});

test("the keyboard alone suffices", async () => {
  const { page, messages, context } = await open(browser, "#switch=islip&ports=4&load=0.9&slot=20");
  const reached = new Set();
  for (let press = 0; press < 45; press += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const active = document.activeElement;
      return active === document.body ? "" : active.getAttribute("aria-label") ?? active.labels?.[0]?.textContent ?? active.textContent;
    });
    reached.add(name);
  }
  const wanted = ["One slot", "Race", "Curve", "A cell's life", "Stories", "Slot back", "Step back", "Play", "Step forth", "Slot forth", "Slot", "Switch", "Ports", "Traffic",
    "Load", "Seed", "Next seed", "Picture as SVG", "Cells as CSV"];
  for (const name of wanted) assert.ok(reached.has(name), `${name} is not reached; reached: ${[...reached].join(" | ")}`);
  // A choice by keys, and the focus stays where it was.
  await page.getByLabel("Switch", { exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => location.hash.includes("switch=rrm"));
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => location.hash.includes("switch=srr"));
  assert.equal(await page.evaluate(() => document.activeElement.labels[0].textContent), "Switch");
  await page.locator("h1").click();
  await page.keyboard.press("Shift+ArrowRight");
  await shows(page, "21.0");
  await page.keyboard.press(" ");
  await shows(page, "21.1");
  assert.deepEqual(messages, []);
  await context.close();
});

test("a race runs, and its departures do not depend on the pieces", async () => {
  const link = "#view=race&switch=oq&switch=islip&switch=pim&switch=mwm&ports=16&load=0.8&seed=5&slot=0";
  const { page, messages, context } = await open(browser, link);
  await page.getByLabel("Slots at a time").selectOption("10");
  await page.keyboard.press("Escape");
  for (let count = 1; count <= 10; count += 1) {
    await page.getByRole("button", { name: "Some slots more" }).click();
    await shows(page, String(10 * count));
  }
  const hashes = async page => (await page.locator(".figures div:last-child dd").allTextContents()).join();
  const inPieces = await hashes(page);
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForTimeout(400);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.waitForFunction(() => Number(new URLSearchParams(location.hash.slice(1)).get("slot")) > 100);
  assert.deepEqual(messages, []);
  await context.close();
  const other = await open(browser, link.replace("slot=0", "slot=100"));
  await shows(other.page, "100");
  assert.equal(await hashes(other.page), inPieces);
  assert.equal(new Set(inPieces.split(",")).size, 4);
  assert.equal(await other.page.locator(".chart").count(), 2);
  await other.context.close();
});

test("a link opens the same picture in another profile", async () => {
  for (const fragment of [
    "#switch=islip%28iterations%3D2%29&ports=8&load=0.85&seed=77&slot=123&step=4",
    "#switch=serena&ports=8&traffic=diagonal&load=0.9&slot=40&step=3&add=38.1.2",
    "#switch=cioq&ports=4&arrivals=onoff&load=0.7&slot=1000&step=3",
    "#switch=benes&ports=4&load=0.9&slot=100&step=2",
    "#switch=psm&ports=4&load=0.9&slot=100&step=2&story=memories&at=2",
  ]) {
    const one = await open(browser, fragment);
    await one.page.keyboard.press("ArrowLeft");
    await one.page.waitForTimeout(150);
    const link = await one.page.evaluate(() => location.hash);
    const other = await open(browser, link);
    assert.equal(await drawn(other.page), await drawn(one.page));
    assert.equal(await picture(other.page), await picture(one.page));
    await one.context.close();
    await other.context.close();
  }
});

test("a thousand hostile links give a message or a picture, and no exception", async () => {
  const { page, messages, context } = await open(browser);
  const draw = random(11);
  const pick = list => list[Math.floor(draw() * list.length)];
  const noise = () => encodeURIComponent(String.fromCharCode(...Array.from({ length: Math.floor(draw() * 9) }, () => 32 + Math.floor(draw() * 400))));
  const keys = ["view", "cell", "rates", "story", "at", "switch", "ports", "traffic", "arrivals", "load", "seed", "slot", "step", "add", "predict", "x", "__proto__"];
  const values = () => pick([noise(), "life", "stories", "roots", "3.1", "0.1 0.2 0.3 0.4", "0", "-1", "1e9", "99999999999999999999", "NaN", "slot", "race", "islip", "psm(memories=1)", "%3Cscript%3E",
    "1.1.1", "4.63.63", "64", "8", "trace(file=x)", "matrix(file=x)", "0.5", "uniform", "benes", "%00", "a".repeat(400)]);
  const links = Array.from({ length: 1000 }, () => {
    const pairs = Array.from({ length: 1 + Math.floor(draw() * 5) }, () => `${pick(keys)}=${values()}`);
    return `#slot=3&${pairs.join("&")}${pick(["", "&&", "=", "%", "#"])}`;
  });
  // In the page, for each round trip between test and browser takes longer than a picture.
  const { said, silent } = await page.evaluate(async links => {
    const alert = document.getElementById("alert");
    const silent = [];
    let said = 0;
    for (const link of links) {
      for (const view of document.querySelectorAll(".view")) delete view.dataset.drawn;
      alert.hidden = true;
      location.hash = link;
      const end = performance.now() + 10000;
      while (alert.hidden && !document.querySelector("[data-drawn]")) {
        if (performance.now() > end) { silent.push(link); break; }
        await new Promise(resolve => setTimeout(resolve, 1));
      }
      if (!alert.hidden) said += 1;
    }
    return { said, silent };
  }, links);
  assert.deepEqual(silent, []);
  assert.ok(said > 400, String(said));
  assert.deepEqual(messages, []);
  await go(page, "#switch=islip&slot=20");
  assert.equal(await drawn(page), "20.0", "the page still works");
  await context.close();
});

test("a thousand files give a message or traffic, and no exception", async () => {
  const { page, messages, context } = await open(browser);
  const draw = random(13);
  const pick = list => list[Math.floor(draw() * list.length)];
  const number = () => pick(["0", "1", "2", "0.3", "-1", "1e400", "x", "", "65535", "4294967296", "0.25"]);
  const make = () => pick([
    () => `slot,input,output\n${Array.from({ length: Math.floor(draw() * 6) }, () => [number(), number(), number()].join(",")).join("\n")}`,
    () => { const ports = 1 + Math.floor(draw() * 5); return Array.from({ length: ports }, () => Array.from({ length: ports }, number).join(",")).join("\n"); },
    () => String.fromCharCode(...Array.from({ length: Math.floor(draw() * 40) }, () => Math.floor(draw() * 300))),
    () => "slot,input,output\n0,0,1\n1,2,3\n",
    () => "0.2,0.3\n0.3,0.2",
  ])();
  // All of them as drops, one after the other.
  const files = Array.from({ length: 1000 }, make);
  const said = await page.evaluate(async files => {
    let said = 0;
    const alert = document.getElementById("alert");
    for (const text of files) {
      alert.hidden = true;
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "x'\"(),.csv"));
      dispatchEvent(Object.assign(new DragEvent("drop", { dataTransfer: transfer, cancelable: true })));
      await new Promise(resolve => setTimeout(resolve, 12));
      if (!alert.hidden && alert.textContent !== "") said += 1;
    }
    return said;
  }, files);
  assert.ok(said > 300 && said < 1000, String(said));
  await go(page, "#slot=3&switch=oq");
  await page.locator("#file-input").setInputFiles({ name: "t.csv", mimeType: "text/csv", buffer: Buffer.from("slot,input,output\n0,1,2\n0,0,2\n") });
  await page.waitForFunction(() => location.hash.includes("trace"));
  await shows(page, "0.0");
  assert.match(await page.locator(".step-text").textContent(), /0→2, 1→2/);
  assert.deepEqual(messages, []);
  await context.close();
});

test("the picture and the cells can be saved", async () => {
  const { page, messages, context } = await open(browser, "#switch=islip&ports=4&load=0.9&slot=20&step=3");
  const saved = async name => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  const svg = await saved("Picture as SVG");
  assert.match(svg, /^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  const text = await page.evaluate(svg => new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", svg);
  assert.equal(text, "");
  const csv = await saved("Cells as CSV");
  assert.match(csv, /^slot,input,output\n\d+,\d,\d\n/);
  assert.ok(csv.trim().split("\n").at(-1).startsWith("20,"));
  assert.deepEqual(messages, []);
  await context.close();
});

test("axe finds no violation, and nothing overflows", async () => {
  for (const fragment of ["#switch=islip&ports=4&slot=20&step=3", "#switch=serena&ports=16&slot=20&step=1&predict=1",
    "#view=race&ports=8&slot=300", "#switch=nothing", "#switch=cioq&ports=4&slot=60&step=2", "#switch=psm&ports=4&slot=20&step=1",
    "#switch=benes&ports=4&load=0.9&slot=60&step=2", "#view=curve&switch=fifo&ports=4", "#view=life&switch=islip&ports=4&load=0.9&slot=300", "#view=stories",
    "#view=stories&story=roots&at=2", "#switch=islip&ports=2&traffic=matrix(file=r)&rates=0.1+0.2+0.3+0.4"]) {
    const { page, context } = await open(browser, fragment);
    // The page has a policy that refuses other scripts, so axe is evaluated and not added.
    await page.evaluate(axe);
    for (const [width, colorScheme] of [[1440, "light"], [1024, "dark"], [390, "light"]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.waitForTimeout(100);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${fragment} at ${width}: ${wide}`);
      const found = await page.evaluate(async () => (await window.axe.run()).violations
        .map(one => `${one.id}: ${one.nodes.map(node => node.target.join(" ")).slice(0, 3).join(", ")}`));
      assert.deepEqual(found, [], `${fragment} at ${width}, ${colorScheme}`);
    }
    await context.close();
  }
});

test("motion can be turned off", async () => {
  const animations = async reducedMotion => {
    const { page, context } = await open(browser, "#switch=islip&slot=20&step=3", { reducedMotion });
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const count = await page.evaluate(() => document.getAnimations().length);
    await context.close();
    return count;
  };
  assert.equal(await animations("reduce"), 0);
  assert.ok(await animations("no-preference") > 0);
});

/** Milliseconds of processor time of the page's main thread, layout and painting included. */
async function processorTime(page, act) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const now = async () => (await session.send("Performance.getMetrics")).metrics.find(one => one.name === "TaskDuration").value * 1000;
  const before = await now();
  await act();
  return (await now()) - before;
}

// Processor time, not time on the clock: other programs on the machine do not count.
test("frames are drawn in time", async () => {
  const frames = (page, name) => page.evaluate(name => performance.getEntriesByName(name, "measure").length, name);
  // Without motion each step is one frame.
  const stepping = async (fragment, presses) => {
    const { page, context } = await open(browser, fragment, { reducedMotion: "reduce" });
    const each = [];
    for (let press = 0; press < presses; press += 1) {
      each.push(await processorTime(page, async () => {
        await page.keyboard.press("ArrowRight");
        await page.waitForTimeout(40);
      }));
    }
    assert.ok(await frames(page, "draw") >= presses);
    await context.close();
    return median(each);
  };
  const step = await stepping("#switch=islip%28iterations%3D4%29&ports=16&load=0.95&slot=500", 60);
  const fabric = await stepping("#switch=benes&ports=16&load=0.9&slot=60", 24);
  const memories = await stepping("#switch=psm&ports=16&load=0.9&slot=60", 24);
  const race = await open(browser, "#view=race&switch=oq&switch=islip&switch=pim&switch=mwm&ports=16&load=0.8&slot=0");
  await race.page.getByRole("button", { name: "Start" }).click();
  const before = await frames(race.page, "race");
  const time = await processorTime(race.page, () => race.page.waitForTimeout(3000));
  const frame = time / (await frames(race.page, "race") - before);
  await race.context.close();
  const first = [];
  for (let count = 0; count < 5; count += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForSelector(".picture");
    first.push(await page.evaluate(() => performance.getEntriesByName("draw", "measure")[0].startTime));
    await context.close();
  }
  // The first picture is timed by the clock, and shares the processors with what else runs.
  const share = Math.max(1, loadavg()[0] / cpus().length);
  console.log(`a step ${step.toFixed(1)} ms (median; of a fabric ${fabric.toFixed(1)}, of memories ${memories.toFixed(1)}), a frame of a race ${frame.toFixed(1)} ms (mean), ` +
    `first picture ${median(first).toFixed(0)} ms (median) at ${share.toFixed(1)} programs for each processor`);
  // The limits are 16, 33 and 500 ms. Other work on a machine doubles the time of a frame, so the
  // test fails at twice the limits; the figures above are what counts.
  assert.ok(Math.max(step, fabric, memories) < 32 && frame < 66 && median(first) < 1000 * share);
});
