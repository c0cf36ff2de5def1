// The state of the scheduler and the queues as tables, for reading and for screen readers.

import { h } from "./dom";
import { About, Slot } from "./protocol";
import { waiting } from "./picture";

/** What the scheduler remembers, and the totals so far. */
export function statePanel(slot: Slot, about: About | null): Node[] {
  const rows: [string, string][] = [
    ["Switch", about?.switch ?? ""],
    ["Cells inside", String(slot.backlog)],
    ["Cells departed", String(slot.departed)],
    ...(slot.lost > 0 ? [["Cells dropped", String(slot.lost)] as [string, string]] : []),
    ["Mean delay so far", slot.departed > 0 ? `${(slot.delays / slot.departed).toFixed(2)} slots` : "no departure yet"],
    ["Hash of departures", slot.hash],
    ...(slot.state ?? []).map(({ name, values }): [string, string] =>
      [name[0]?.toUpperCase() + name.slice(1), values.map(value => (value < 0 ? "–" : String(value))).join(" ")]),
  ];
  return [h("h2", {}, "State"), h("dl", { class: "state" },
    ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))];
}

/** The queue lengths as a table, which is made when it is opened. */
export function tablePanel(slot: Slot, open: boolean): HTMLElement {
  const panel = h("details", { class: "table", open }, h("summary", {}, "Queues as a table"));
  const fill = () => {
    if (panel.open && panel.children.length === 1) panel.append(table(slot));
  };
  panel.addEventListener("toggle", fill);
  fill();
  return panel;
}

function table(slot: Slot): HTMLElement {
  const ports = slot.arrivals.length;
  const lengths = waiting(slot);
  const head = h("tr", {}, h("th", { scope: "col" }, "Input"),
    ...Array.from({ length: ports }, (_, output) => h("th", { scope: "col" }, `→${output}`)));
  const body = Array.from({ length: ports }, (_, input) => h("tr", {}, h("th", { scope: "row" }, String(input)),
    ...lengths.slice(input * ports, (input + 1) * ports).map(length => h("td", {}, String(length)))));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Queues as a table" },
      h("table", {}, h("caption", {}, "Cells from each input for each output, before the decision"),
        h("thead", {}, head), h("tbody", {}, ...body)));
}
