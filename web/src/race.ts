// The view of a race: two to four switches on the same cells.

import { App, View } from "./app";
import { chart } from "./chart";
import { button, h, s } from "./dom";
import { About, failed, Status } from "./protocol";
import * as simulator from "./simulator";
import { CURVE, isFile, MOST_SLOT, RACE, request } from "./state";

/** Samples of the curves. When there are twice as many, every other one is dropped. */
const SAMPLES = 300;
const SPEEDS = [1, 10, 100, 1000];

interface Lane {
  about: About;
  card: HTMLElement;
  squares: SVGElement[];
  figures: HTMLElement;
  backlog: [number, number][];
  delay: [number, number][];
}

export class Race implements View {
  readonly element = h("section", { class: "view race", "aria-label": "Race" });
  private readonly cards = h("div", { class: "cards" });
  private readonly charts = h("div", { class: "charts" });
  private readonly go = button("Start", "Start the race", () => this.toggle(), { class: "play" });
  private readonly at = h("p", { class: "at", role: "status" });
  private readonly speed = h("select", { "aria-label": "Slots at a time" }, ...SPEEDS.map(speed =>
    h("option", { value: speed, selected: speed === 100 }, `${speed} ${speed === 1 ? "slot" : "slots"} at a time`)));
  private readonly differences = h("div", { class: "differences", role: "status" });
  private lanes: Lane[] = [];
  private key_ = "";
  private now = 0;
  private running = false;
  private busy = false;

  constructor(private readonly app: App) {
    this.element.append(
      h("div", { class: "transport", role: "toolbar", "aria-label": "Race" }, button("↺", "Back to slot 0", () => this.again()),
        this.go, button("→", "Some slots more", () => void this.some()), this.speed, this.at),
      this.cards, this.charts, this.differences,
      h("p", { class: "hint" }, "All switches get the same cells. A square is a VOQ: the stronger its colour, the more cells. " +
        "A dot marks a matched pair. A frame marks a VOQ whose length differs from that of the first switch. " +
        "Keys: space starts and stops, → runs some slots more."));
  }

  private specs(): string[] {
    const { switches } = this.app.state;
    return switches.length >= 2 ? switches : RACE;
  }

  async show(): Promise<void> {
    const { state, file } = this.app;
    const requests = this.specs().map(spec => request(state, spec, file));
    const key = requests.join("\n\n");
    if (key === this.key_ && this.now === state.slot) {
      this.element.dataset.drawn = String(this.now);
      return;
    }
    this.key_ = key;
    this.stop();
    this.lanes = [];
    const abouts = await simulator.start(requests);
    if (key !== this.key_) return;
    const bad = abouts.find(failed);
    if (bad && failed(bad)) {
      this.key_ = "";
      this.app.say(bad.error);
      this.cards.replaceChildren();
      this.charts.replaceChildren();
      return;
    }
    this.now = 0;
    this.lanes = (abouts as About[]).map((about, index) => this.lane(about, index));
    this.cards.replaceChildren(...this.lanes.map(lane => lane.card));
    this.differences.replaceChildren(...(isFile(state.traffic) ? [] : [button("Measure the differences", "Measure the differences of delay with their intervals", () => void this.measure())]));
    const target = state.slot;
    const piece = Math.max(1, Math.ceil(target / 100));
    let statuses: Status[] | null = null;
    while (this.now < target || statuses === null) {
      statuses = await this.advance(Math.min(piece, target - this.now));
      if (key !== this.key_ || statuses === null) return;
    }
    this.draw(statuses);
  }

  private again(): void {
    this.stop();
    this.key_ = "";
    this.app.set({ slot: 0 });
  }

  hide(): void {
    this.stop();
  }

  picture(): SVGElement | null {
    return this.charts.querySelector("svg");
  }

  private lane(about: About, index: number): Lane {
    const { ports } = about;
    const side = 10;
    const grid = s("svg", {
      viewBox: `0 0 ${ports * side} ${ports * side}`, class: "mini", role: "img", "aria-label": `The VOQs of ${about.name}`,
    });
    const squares: SVGElement[] = [];
    for (let voq = 0; voq < ports * ports; voq += 1) {
      const [x, y] = [(voq % ports) * side, Math.floor(voq / ports) * side];
      const square = s("g", {},
        s("rect", { x: x + 0.5, y: y + 0.5, width: side - 1, height: side - 1, rx: 1.5 }), s("circle", { cx: x + side / 2, cy: y + side / 2, r: 2.1 }));
      squares.push(square);
      grid.append(square);
    }
    const figures = h("dl", { class: "figures" });
    const card = h("article", { class: `card colour-${index}` }, h("h2", {}, about.switch), grid, figures);
    return { about, card, squares, figures, backlog: [[0, 0]], delay: [] };
  }

  /** Runs more slots; null if a switch has stopped. */
  private async advance(slots: number): Promise<Status[] | null> {
    const key = this.key_;
    const answers = await simulator.advance(this.lanes.length, slots);
    if (key !== this.key_) return null;
    const bad = answers.findIndex(failed);
    if (bad >= 0) {
      const answer = answers[bad];
      this.stop();
      this.key_ = "";
      this.app.say(`${this.lanes[bad]?.about.name}: ${answer && failed(answer) ? answer.error : ""}`);
      return null;
    }
    const statuses = answers as Status[];
    this.now += slots;
    statuses.forEach((status, index) => {
      const lane = this.lanes[index] as Lane;
      lane.backlog.push([this.now, status.backlog]);
      if (status.departed > 0) lane.delay.push([this.now, status.delays / status.departed]);
      for (const points of [lane.backlog, lane.delay]) {
        if (points.length > 2 * SAMPLES) points.splice(0, points.length, ...points.filter((_, place) => place % 2 === 0));
      }
    });
    return statuses;
  }

  private draw(statuses: Status[]): void {
    performance.mark("race");
    const { ports } = this.app.state;
    const first = statuses[0] as Status;
    statuses.forEach((status, index) => {
      const lane = this.lanes[index] as Lane;
      const longest = Math.max(1, ...status.inside);
      lane.squares.forEach((square, voq) => {
        const length = status.inside[voq] ?? 0;
        const matched = status.matching?.[Math.floor(voq / ports)] === voq % ports;
        const differs = index > 0 && first.inside[voq] !== length;
        square.setAttribute("class", `${matched ? "matched" : ""}${differs ? " differs" : ""}`);
        square.style.setProperty("--depth", length === 0 ? "0" : (0.15 + 0.85 * Math.sqrt(length / longest)).toFixed(2));
      });
      const figure = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
      lane.figures.replaceChildren(
        figure("Backlog", `${status.backlog} cells`),
        figure("Mean delay", status.departed > 0 ? `${(status.delays / status.departed).toFixed(2)} slots` : "–"),
        figure("99 % of delays", `up to ${status.p99} slots`),
        figure("Throughput", this.now > 0 ? (status.departed / (this.now * ports)).toFixed(4) : "–"),
        ...(status.lost > 0 ? [figure("Dropped", `${status.lost} cells`)] : []),
        figure("Hash", status.hash));
    });
    const line = (points: "backlog" | "delay") =>
      this.lanes.map((lane, index) => ({ name: lane.about.name, colour: index, points: lane[points] }));
    this.charts.replaceChildren(
      chart("Backlog, cells", line("backlog"), this.now), chart("Mean delay since slot 0, slots", line("delay"), this.now));
    this.at.textContent = `${this.now.toLocaleString("en")} slots`;
    this.element.dataset.drawn = String(this.now);
    performance.measure("race", "race");
  }

  /** The differences of mean delay, paired over replications of the same load. */
  private async measure(): Promise<void> {
    const { state, file } = this.app;
    const key = this.key_;
    const { replications, slots, warmup } = CURVE;
    const requests = this.specs().map(spec => `curve=${state.load};${replications};${slots};${warmup}\n${request({ ...state, added: [] }, spec, file)}`);
    this.differences.replaceChildren(h("p", {}, "Measuring."));
    const begun = await simulator.curves(requests);
    for (let curve = 0; curve < begun.length; curve += 1) {
      if (key !== this.key_) return;
      await simulator.advanceCurve(curve, slots + warmup);
    }
    const answers = await simulator.differences(begun.length);
    if (key !== this.key_) return;
    const first = this.lanes[0]?.about.name ?? "";
    this.differences.replaceChildren(h("p", {}, `Mean delay less that of ${first}, in slots, with 95 % intervals from ${replications} pairs of replications of ${slots.toLocaleString("en")} slots:`),
      h("ul", {}, ...answers.map((answer, index) => {
        const name = this.lanes[index + 1]?.about.switch ?? "";
        const one = failed(answer) ? undefined : answer.differences[0];
        const text = one?.mean === undefined ? "nothing to compare" : `${one.mean.toFixed(3)}${one.ci95 === undefined ? "" : ` ± ${one.ci95.toFixed(3)}`}`;
        const clear = one?.mean !== undefined && one.ci95 !== undefined && Math.abs(one.mean) <= one.ci95 ? "; the interval contains 0" : "";
        return h("li", {}, h("b", {}, name), `: ${text}${clear}`);
      })));
    this.element.dataset.measured = "yes";
  }

  private async some(): Promise<void> {
    if (this.busy || this.lanes.length === 0) return;
    this.busy = true;
    const slots = Math.min(Number(this.speed.value), MOST_SLOT - this.now);
    const statuses = slots > 0 ? await this.advance(slots) : null;
    this.busy = false;
    if (!statuses) return this.stop();
    this.draw(statuses);
    if (!this.running) this.app.note({ slot: this.now });
  }

  private toggle(): void {
    if (this.running) return this.stop();
    this.running = true;
    this.go.textContent = "Stop";
    const turn = async () => {
      if (!this.running) return;
      await this.some();
      if (this.running) requestAnimationFrame(() => void turn());
    };
    void turn();
  }

  private stop(): void {
    if (this.running) this.app.note({ slot: this.now });
    this.running = false;
    this.go.textContent = "Start";
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === " ") this.toggle();
    else if (event.key === "ArrowRight") void this.some();
    else return false;
    return true;
  }
}
