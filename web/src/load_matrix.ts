// The load matrix: a rate for each input and output, dragged or set by keys.

import { App } from "./app";
import { button, h } from "./dom";
import { MOST_EDITED } from "./state";

const STEP = 0.01;
/** Pixels of a drag for a rate of 1. */
const REACH = 200;

const round = (rate: number) => Number(Math.min(1, Math.max(0, rate)).toFixed(3));

/** The editor, or how to begin, if the rates of the traffic are known. */
export function loadMatrix(app: App): HTMLElement | null {
  const { state } = app;
  const { ports } = state;
  if (ports > MOST_EDITED) return null;
  if (state.rates.length === 0) {
    if (app.rates?.length !== ports * ports) return null;
    return h("div", { class: "field" }, button("Edit the load matrix", "Edit the rates of this traffic", () =>
      app.set({ rates: (app.rates ?? []).map(round), traffic: "matrix(file=rates.csv)", step: 0 })));
  }
  const values = [...state.rates];
  const cells: HTMLElement[] = [];
  const rowSums = Array.from({ length: ports }, () => h("td", { class: "sum" }));
  const columnSums = Array.from({ length: ports }, () => h("td", { class: "sum" }));
  const note = h("p", { class: "hint", role: "status" });
  const paint = () => {
    values.forEach((rate, index) => {
      const cell = cells[index] as HTMLElement;
      cell.textContent = rate.toFixed(2).replace(/^0/, "");
      cell.style.setProperty("--depth", String(Math.min(1, rate)));
      cell.setAttribute("aria-valuenow", String(rate));
    });
    const sum = (list: number[]) => list.reduce((sum, rate) => sum + rate, 0);
    let over = 0;
    const show = (element: HTMLElement | undefined, total: number) => {
      if (!element) return;
      element.textContent = total.toFixed(2);
      element.classList.toggle("over", total > 1.0000001);
      if (total > 1.0000001) over += 1;
    };
    for (let port = 0; port < ports; port += 1) {
      show(rowSums[port], sum(values.slice(port * ports, (port + 1) * ports)));
      show(columnSums[port], sum(values.filter((_, index) => index % ports === port)));
    }
    note.textContent = over > 0 ? "A row or a column adds up to more than 1: no switch can serve that." : "Drag a rate up or down, or use the arrow keys.";
    return over === 0;
  };
  const use = () => {
    if (paint()) app.set({ rates: [...values], step: 0, added: [] });
  };
  const change = (index: number, rate: number) => {
    values[index] = round(rate);
    paint();
  };
  const rows = Array.from({ length: ports }, (_, input) => {
    const row = h("tr", {}, h("th", { scope: "row" }, String(input)));
    for (let output = 0; output < ports; output += 1) {
      const index = input * ports + output;
      const cell = h("div", { class: "rate", id: `rate-${index}`, role: "slider", tabindex: 0, "aria-label": `Rate from ${input} to ${output}`, "aria-valuemin": 0, "aria-valuemax": 1 });
      cell.addEventListener("keydown", event => {
        const by: Record<string, number> = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: 10 * STEP, PageDown: -10 * STEP };
        const step = by[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        change(index, (values[index] ?? 0) + step);
        use();
      });
      cell.addEventListener("pointerdown", event => {
        cell.setPointerCapture(event.pointerId);
        const [from, rate] = [event.clientY, values[index] ?? 0];
        const move = (moved: PointerEvent) => change(index, rate + (from - moved.clientY) / REACH);
        cell.addEventListener("pointermove", move);
        cell.addEventListener("pointerup", () => {
          cell.removeEventListener("pointermove", move);
          use();
        }, { once: true });
      });
      cells.push(cell);
      row.append(h("td", {}, cell));
    }
    row.append(rowSums[input] as HTMLElement);
    return row;
  });
  const table = h("table", { class: "rates" }, h("caption", {}, "Load matrix: cells for each slot"),
    h("tr", {}, h("td"), ...Array.from({ length: ports }, (_, output) => h("th", { scope: "col" }, `→${output}`)), h("td")),
    ...rows, h("tr", {}, h("td"), ...columnSums, h("td")));
  paint();
  return h("div", { class: "field" }, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Load matrix" }, table), note,
    button("Uniform traffic again", "Leave the load matrix", () => app.set({ rates: [], traffic: "uniform", step: 0 })));
}
