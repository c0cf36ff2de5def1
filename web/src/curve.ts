// The view of a curve: delay against load, growing while one looks, with intervals and verdicts.

import { App, View } from "./app";
import { tickStep } from "./chart";
import { button, h, s } from "./dom";
import { Curve as Measured, failed, Point, Verdict } from "./protocol";
import * as simulator from "./simulator";
import { CURVE, isFile, LOADS, request } from "./state";

/** Slots that all runs of a curve go on at a time. */
const PIECE = 400;
/** How often the interval in which the capacity lies is halved. */
const HALVINGS = 3;

interface Line { spec: string; name: string; points: Map<number, Point>; halvings: number }

/** Between the largest load below which all are stable and the smallest that is not. */
export function edge(points: Point[]): { stable: number | null; unstable: number | null } {
  const sorted = [...points].sort((a, b) => a.load - b.load);
  const unstable = sorted.find(point => point.verdict === "unstable")?.load ?? null;
  const stable = sorted.filter(point => point.verdict === "stable" && (unstable === null || point.load < unstable)).at(-1)?.load ?? null;
  return { stable, unstable };
}

const WORDS: Record<Verdict, string> = { stable: "stable", unstable: "unstable", undecided: "undecided" };

export class Curve implements View {
  readonly element = h("section", { class: "view curve", "aria-label": "Curve" });
  private readonly stage = h("div", { class: "plot", tabindex: 0, role: "region", "aria-label": "Plot" });
  private readonly table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Measured points" });
  private readonly go = button("Stop", "Stop or go on", () => this.toggle(), { class: "play" });
  private readonly at = h("p", { class: "at", role: "status" });
  private lines: Line[] = [];
  private known = "";
  private running = false;
  private turn = 0;

  constructor(private readonly app: App) {
    this.element.append(
      h("div", { class: "transport", role: "toolbar", "aria-label": "Curve" }, button("↺", "Measure again", () => this.again()), this.go, this.at),
      this.stage,
      h("p", { class: "hint" }, `Each point is the mean of ${CURVE.replications} replications of ${CURVE.slots} slots after ${CURVE.warmup} slots of warm-up, ` +
        "with its 95 % interval by Student's t; it moves until they are done. A filled mark is stable, an open one undecided, a cross unstable. " +
        "Between the largest stable load and the smallest unstable one lies the capacity: the page halves that interval. Space stops and goes on."),
      this.table);
  }

  private specs(): string[] {
    return this.app.state.switches.slice(0, 4);
  }

  private requests(loads: (line: number) => number[]): string[] {
    const { state, file } = this.app;
    const { replications, slots, warmup } = CURVE;
    return this.specs().map((spec, line) =>
      `curve=${loads(line).join(" ")};${replications};${slots};${warmup}\n${request({ ...state, added: [] }, spec, file)}`);
  }

  async show(): Promise<void> {
    if (isFile(this.app.state.traffic)) {
      this.stop();
      this.known = "";
      this.lines = [];
      this.stage.replaceChildren();
      this.table.replaceChildren();
      return this.app.say("A curve needs traffic that has a load; choose another traffic than a file.");
    }
    const key = this.requests(() => LOADS).join("\n\n");
    if (key === this.known) return this.go.disabled ? this.draw() : this.run();
    this.stop();
    this.known = key;
    this.go.disabled = false;
    delete this.element.dataset.done;
    const answers = await simulator.curves(this.requests(() => LOADS));
    if (key !== this.known) return;
    const bad = answers.find(failed);
    if (bad && failed(bad)) {
      this.known = "";
      this.stage.replaceChildren();
      this.table.replaceChildren();
      return this.app.say(bad.error);
    }
    this.lines = this.specs().map(spec => ({ spec, name: spec.replace(/\(.*/, ""), points: new Map(), halvings: 0 }));
    (answers as Measured[]).forEach((answer, line) => this.take(line, answer));
    this.draw();
    this.run();
  }

  private take(line: number, answer: Measured): void {
    for (const point of answer.points) this.lines[line]?.points.set(point.load, point);
  }

  private run(): void {
    if (this.running) return;
    this.running = true;
    this.go.textContent = "Stop";
    this.turn += 1;
    const turn = this.turn;
    void (async () => {
      while (this.running && turn === this.turn) {
        if (!(await this.some(turn))) break;
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      if (turn === this.turn) this.stop();
    })();
  }

  /** Goes on by a piece; whether there is more to do. */
  private async some(turn: number): Promise<boolean> {
    let more = false;
    for (let line = 0; line < this.lines.length; line += 1) {
      const answer = await simulator.advanceCurve(line, PIECE);
      if (turn !== this.turn) return false;
      if (failed(answer)) {
        this.app.say(answer.error);
        return false;
      }
      this.take(line, answer);
      this.at.textContent = answer.done ? "All slots measured." : `${Math.max(0, answer.now - CURVE.warmup).toLocaleString("en")} of ${CURVE.slots.toLocaleString("en")} slots measured`;
      if (!answer.done || (await this.halve(line, turn))) more = true;
      if (turn !== this.turn) return false;
    }
    this.draw();
    if (!more) {
      this.element.dataset.done = "yes";
      this.go.disabled = true;
    }
    return more;
  }

  /** Measures at the middle of where the capacity lies; whether there was reason to. */
  private async halve(line: number, turn: number): Promise<boolean> {
    const own = this.lines[line];
    if (!own || own.halvings >= HALVINGS) return false;
    const { stable, unstable } = edge([...own.points.values()]);
    if (stable === null || unstable === null) return false;
    own.halvings += 1;
    const load = Number(((stable + unstable) / 2).toFixed(4));
    if (own.points.has(load)) return false;
    const request = this.requests(() => [load])[line] as string;
    const answers = await simulator.curves(this.lines.map((_, place) => (place === line ? request : "")));
    const answer = answers[line];
    if (turn !== this.turn || !answer || failed(answer)) return false;
    this.take(line, answer);
    return true;
  }

  private again(): void {
    this.stop();
    this.known = "";
    void this.show();
  }

  private toggle(): void {
    if (this.go.disabled) return;
    if (this.running) this.stop();
    else if (this.lines.length > 0) this.run();
  }

  private stop(): void {
    this.running = false;
    this.turn += 1;
    this.go.textContent = "Go on";
  }

  hide(): void {
    this.stop();
  }

  picture(): SVGElement | null {
    return this.stage.querySelector("svg");
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== " ") return false;
    this.toggle();
    return true;
  }

  private draw(): void {
    performance.mark("curve");
    this.stage.replaceChildren(plot(this.lines));
    const rows = this.lines.flatMap(line => [...line.points.values()].sort((a, b) => a.load - b.load).map(point => h("tr", {},
      h("th", { scope: "row" }, line.name), h("td", {}, String(point.load)), h("td", {}, figure(point.delay)),
      h("td", {}, figure(point.throughput, 4)), h("td", {}, WORDS[point.verdict]), h("td", {}, point.stopped ?? ""))));
    const edges = this.lines.map(line => {
      const { stable, unstable } = edge([...line.points.values()]);
      const words = unstable === null ? `no load up to ${Math.max(...line.points.keys())} is unstable`
        : stable === null ? `unstable from ${unstable} on` : `between ${stable} and ${unstable}`;
      return h("li", {}, h("b", {}, line.name), `: ${words}`);
    });
    this.table.replaceChildren(h("p", { class: "edges-title" }, "Capacity"), h("ul", { class: "edges" }, ...edges),
      h("table", {}, h("caption", {}, "Mean delay in slots and throughput, with 95 % intervals"),
        h("thead", {}, h("tr", {}, ...["Switch", "Load", "Delay", "Throughput", "Verdict", ""].map(name => name ? h("th", { scope: "col" }, name) : h("td", {})))),
        h("tbody", {}, ...rows)));
    performance.measure("curve", "curve");
    this.element.dataset.drawn = "curve";
  }
}

function figure(estimate: Point["delay"], digits?: number): string {
  if (!estimate) return "–";
  // Mean and half width with the same number of places.
  const places = digits ?? (estimate.mean >= 100 ? 0 : estimate.mean >= 10 ? 1 : estimate.mean >= 1 ? 2 : 3);
  const round = (value: number) => value.toFixed(places);
  return estimate.ci95 === undefined ? round(estimate.mean) : `${round(estimate.mean)} ± ${round(estimate.ci95)}`;
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 430, 60, 120, 34, 44];

function plot(lines: Line[]): SVGElement {
  const all = lines.flatMap(line => [...line.points.values()].flatMap(point => (point.delay && point.delay.mean > 0 ? [point.delay.mean] : [])));
  const low = Math.floor(Math.log10(Math.max(0.01, Math.min(1, ...all))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, ...all))));
  const x = (load: number) => LEFT + load * (WIDTH - LEFT - RIGHT);
  const y = (delay: number) => HEIGHT - BOTTOM - ((Math.log10(Math.max(delay, 10 ** low)) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const said = lines.map(line => {
    const { stable, unstable } = edge([...line.points.values()]);
    return `${line.name} ${unstable === null ? "stable at all loads that are decided" : `has its capacity between ${stable ?? 0} and ${unstable}`}`;
  }).join("; ");
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart wide", role: "img", "aria-label": `Mean delay against load. ${said}` },
    s("text", { x: 4, y: 14, class: "chart-title" }, "Mean delay, slots"));
  for (let power = low; power <= high; power += 1) {
    for (const factor of power < high ? [1, 2, 5] : [1]) {
      const value = factor * 10 ** power;
      svg.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "grid" }));
      if (factor === 1 || high - low <= 2) svg.append(s("text", { x: LEFT - 8, y: y(value), class: "tick end" }, String(+value.toPrecision(2))));
    }
  }
  for (let load = 0; load <= 1.001; load += tickStep(1, 10)) {
    svg.append(s("text", { x: x(load), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(+load.toFixed(2))));
  }
  svg.append(s("text", { x: x(1), y: HEIGHT - 8, class: "tick end" }, "load of a line"));
  const names: { at: number; index: number }[] = [];
  lines.forEach((line, index) => {
    const points = [...line.points.values()].filter(point => point.delay).sort((a, b) => a.load - b.load);
    const { stable, unstable } = edge(points);
    if (stable !== null && unstable !== null) {
      svg.prepend(s("rect", { x: x(stable), width: Math.max(1.5, x(unstable) - x(stable)), y: TOP, height: HEIGHT - TOP - BOTTOM, class: `capacity colour-${index}` }));
    }
    const drawn = points.filter(point => point.verdict !== "unstable");
    const d = drawn.map((point, place) => `${place === 0 ? "M" : "L"}${x(point.load).toFixed(1)},${y(point.delay?.mean ?? 0).toFixed(1)}`).join("");
    const group = s("g", { class: `points colour-${index}` }, s("path", { d, class: `line colour-${index}` }));
    for (const point of points) {
      const { mean, ci95 } = point.delay ?? { mean: 0 };
      const [cx, cy] = [x(point.load), y(mean)];
      if (ci95 !== undefined && point.verdict !== "unstable") {
        const [top, bottom] = [y(mean + ci95), y(Math.max(mean - ci95, 10 ** low))];
        group.append(s("path", { d: `M${cx},${top}V${bottom}M${cx - 4},${top}h8M${cx - 4},${bottom}h8`, class: "interval" }));
      }
      group.append(s("g", {}, s("title", {}, `${line.name} at load ${point.load}: ${figure(point.delay)} slots, ${WORDS[point.verdict]}`),
        point.verdict === "unstable" ? s("path", { d: `M${cx - 5},${cy - 5}l10,10m0,-10l-10,10`, class: "cross" })
          : s("circle", { cx, cy, r: 4.2, class: point.verdict })));
    }
    svg.append(group);
    names.push({ at: y(drawn.at(-1)?.delay?.mean ?? 1), index });
  });
  names.sort((a, b) => a.at - b.at).forEach((name, place) => {
    const above = names[place - 1];
    if (above) name.at = Math.max(name.at, above.at + 16);
    const text = lines[name.index]?.name ?? "";
    svg.append(s("text", { x: WIDTH - RIGHT + 10, y: name.at, class: `line-name colour-${name.index}` }, text.length > 14 ? `${text.slice(0, 13)}…` : text));
  });
  return svg;
}
