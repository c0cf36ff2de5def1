// The view of a cell's life: slot by slot, whom it lost to.

import { App, View } from "./app";
import { button, h, s } from "./dom";
import { failed, Life as Told, Waited } from "./protocol";
import * as simulator from "./simulator";
import { request } from "./state";
import { Cause, Reason, reason } from "./why";

/** How many slots up to the one that is shown are searched for cells that waited long. */
const SEARCHED = 200;

const CAUSES: Record<Cause, string> = {
  arrives: "arrives", behind: "behind its own queue", input: "its input sends another cell", output: "its output serves another input",
  unmatched: "unmatched", queue: "in the queue of its output", fabric: "in the fabric", memory: "in a memory", departs: "departs", dropped: "dropped",
};

export class Life implements View {
  readonly element = h("section", { class: "view life", "aria-label": "A cell's life" });
  private readonly heading = h("h2", { class: "step-title" });
  private readonly words = h("p", { class: "step-text", role: "status" });
  private readonly stage = h("div", { class: "strip-stage" });
  private readonly list = h("ol", { class: "reasons" });
  private readonly found = h("div", { class: "found" });
  private asked = "";
  private searched = "";

  constructor(private readonly app: App) {
    this.element.append(h("div", { class: "said" }, this.heading, this.words), this.found, this.stage,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Slot by slot" }, this.list),
      h("p", { class: "hint" }, "Each square of the strip is a slot, coloured by what kept the cell in it. A slot of the list opens in the view of one slot."));
  }

  async show(): Promise<void> {
    const { state, file } = this.app;
    const text = request(state, state.switches[0] as string, file);
    const from = Math.max(0, state.slot - SEARCHED + 1);
    const search = `${text} ${state.slot}`;
    if (search !== this.searched) {
      this.searched = search;
      const cells = await simulator.longest(text, from, Math.min(SEARCHED, state.slot + 1));
      if (search !== this.searched) return;
      if (failed(cells)) return this.fail(cells.error);
      this.choices(cells.cells, from);
      const first = cells.cells[0];
      if (!state.cell && first) return this.app.set({ cell: { slot: first.arrived, input: first.input } });
    }
    const { cell } = this.app.state;
    if (!cell) return this.fail("No cell has departed yet: choose a later slot.");
    const key = `${text} ${cell.slot} ${cell.input}`;
    if (key === this.asked) {
      this.element.dataset.drawn = `${cell.slot}.${cell.input}`;
      return;
    }
    this.asked = key;
    const told = await simulator.life(text, cell.slot, cell.input);
    if (key !== this.asked) return;
    if (failed(told)) return this.fail(told.error);
    this.draw(told, cell.slot, cell.input);
  }

  private fail(message: string): void {
    this.asked = "";
    this.app.say(message);
    this.heading.textContent = "No cell to tell of";
    this.words.textContent = "Choose another slot or other settings.";
    this.stage.replaceChildren();
    this.list.replaceChildren();
  }

  private choices(cells: Waited[], from: number): void {
    this.found.replaceChildren(h("p", {}, `Cells that waited longest, of those that departed in slots ${from} to ${this.app.state.slot}:`),
      h("div", { class: "buttons" }, ...cells.map(cell =>
        button(`${cell.input}→${cell.output} of slot ${cell.arrived}: ${cell.delay}`, `The cell from input ${cell.input} to output ${cell.output} that arrived in slot ${cell.arrived} and waited ${cell.delay} slots`,
          () => this.app.set({ cell: { slot: cell.arrived, input: cell.input } })))));
  }

  private draw({ about, slots, output, departed }: Told, arrival: number, input: number): void {
    const reasons = slots.map(slot => reason(slot, input, output, arrival));
    const waited = reasons.length - 1;
    this.heading.textContent = `The cell ${input}→${output} of slot ${arrival}, in ${about.name}`;
    const counts = new Map<Cause, number>();
    for (const one of reasons) if (one.cause !== "departs") counts.set(one.cause, (counts.get(one.cause) ?? 0) + 1);
    const causes = [...counts].sort((a, b) => b[1] - a[1]).map(([cause, count]) => `${count} ${count === 1 ? "slot" : "slots"}: ${CAUSES[cause]}`).join("; ");
    const rivals = new Map<string, number>();
    for (const one of reasons) if (one.rival) rivals.set(`${one.rival.input}→${one.rival.output}`, (rivals.get(`${one.rival.input}→${one.rival.output}`) ?? 0) + 1);
    const worst = [...rivals].sort((a, b) => b[1] - a[1])[0];
    this.words.textContent = departed && waited === 0 ? "It departed in the slot of its arrival."
      : `It ${departed ? `waited ${waited} ${waited === 1 ? "slot" : "slots"}` : `is still inside after ${reasons.length} slots`}. ${causes}.` +
        (worst ? ` It lost most often to ${worst[0]}: ${worst[1]} ${worst[1] === 1 ? "time" : "times"}.` : "");
    this.stage.replaceChildren(strip(reasons));
    // Slots with the same reason, one after the other, are one line.
    const runs: { from: Reason; to: Reason }[] = [];
    for (const one of reasons) {
      const last = runs.at(-1);
      if (last && last.to.text === one.text) last.to = one;
      else runs.push({ from: one, to: one });
    }
    this.list.replaceChildren(...runs.map(({ from, to }) => {
      const name = from === to ? `Slot ${from.slot}` : `Slots ${from.slot} to ${to.slot}`;
      const go = h("button", { type: "button", class: `step why-${from.cause}` }, h("b", {}, name), " ", h("span", {}, from.text));
      go.addEventListener("click", () => this.app.set({ view: "slot", slot: from.slot, step: 0 }));
      return h("li", {}, go);
    }));
    this.element.dataset.drawn = `${arrival}.${input}`;
  }

  hide(): void {}

  picture(): SVGElement | null {
    return this.stage.querySelector("svg");
  }

  key(event: KeyboardEvent): boolean {
    const buttons = [...this.list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 || at < 0) return false;
    buttons[at + by]?.focus();
    return true;
  }
}

/** The slots of a cell as squares in rows of 25. */
function strip(reasons: Reason[]): SVGElement {
  const [side, across] = [26, 25];
  const rows = Math.ceil(reasons.length / across);
  const kinds = [...new Set(reasons.map(one => one.cause))];
  const width = across * side + 8;
  const legend = rows * side + 24;
  const perRow = 3;
  const height = legend + Math.ceil(kinds.length / perRow) * 22 + 6;
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "strip", role: "img", "aria-label": `The ${reasons.length} slots of the cell: ${reasons.map(one => CAUSES[one.cause]).join(", ").slice(0, 600)}` });
  reasons.forEach((one, index) => {
    const [x, y] = [4 + (index % across) * side, 4 + Math.floor(index / across) * side];
    svg.append(s("g", {}, s("title", {}, `Slot ${one.slot}: ${one.text}`), s("rect", { x, y, width: side - 3, height: side - 3, rx: 4, class: `why why-${one.cause}` }),
      s("text", { x: x + (side - 3) / 2, y: y + (side - 3) / 2 }, one.cause === "departs" ? "✓" : one.ahead > 0 ? String(one.ahead) : "")));
  });
  kinds.forEach((kind, index) => {
    const [x, y] = [4 + (index % perRow) * (width / perRow), legend + Math.floor(index / perRow) * 22];
    svg.append(s("rect", { x, y: y - 7, width: 14, height: 14, rx: 3, class: `why why-${kind}` }), s("text", { x: x + 20, y, class: "legend" }, CAUSES[kind]));
  });
  return svg;
}
