// The form: switch, traffic, load, seed.

import { App } from "./app";
import { button, h } from "./dom";
import { loadMatrix } from "./load_matrix";
import { Entry } from "./protocol";
import { isFile, MOST_PORTS, MOST_SLOT, RACE } from "./state";

/**
 * A control with its label. Its id follows from the label, so that the same control of the next form
 * has the same one.
 */
function field(label: string, control: HTMLElement, hint = ""): HTMLElement {
  control.id = `control-${label.toLowerCase().replace(/\W+/g, "-")}`;
  const about = hint ? h("span", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, about);
}

/** A choice of names, and the whole spec as text. */
function specField(label: string, entries: Entry[], value: string, use: (spec: string) => void): HTMLElement[] {
  const name = /^\s*([\w-]+)/.exec(value)?.[1] ?? "";
  const known = entries.find(entry => entry.name === name);
  const select = h("select", {}, ...entries.map(entry => h("option", { value: entry.name, selected: entry.name === name }, entry.name)));
  if (!known) select.prepend(h("option", { value: name, selected: true }, name || "none"));
  select.addEventListener("change", () => use(select.value));
  const list = [field(label, select, known?.about ?? "")];
  const parameters = known?.parameters ?? [];
  if (parameters.length > 0 || !known) {
    const input = h("input", { type: "text", value, spellcheck: "false", autocomplete: "off", maxlength: 300 });
    input.addEventListener("change", () => use(input.value.trim() || name));
    const keys = parameters.map(parameter => parameter.name).join(", ");
    list.push(field(`${label}: parameters`, input, `name(key=value,...) with ${keys || "no keys"}`));
  }
  return list;
}

/** Edited rates are for one number of ports; with another the traffic is uniform again. */
const fresh = (app: App) => (app.state.rates.length > 0 ? { traffic: "uniform" } : {});

/** The form anew, for the current state. */
export function controls(app: App): HTMLElement {
  // Listeners read app.state: a control may outlive the form that it was made for.
  const { state, catalogue } = app;
  const form = h("form", { class: "controls", "aria-label": "What is simulated" });
  form.addEventListener("submit", event => event.preventDefault());
  const restart = { step: 0, added: [] };
  const several = state.view === "race" || state.view === "curve";
  state.switches.forEach((spec, index) => {
    const use = (spec: string) =>
      app.set({ switches: app.state.switches.map((old, place) => (place === index ? spec : old)), step: 0 });
    const label = several ? `Switch ${index + 1}` : "Switch";
    if (!several && index > 0) return;
    form.append(...specField(label, catalogue.switches, spec, use));
  });
  if (several) {
    const more = button("Add a switch", "Add a switch to compare", () =>
      app.set({ switches: [...state.switches, RACE.find(spec => !state.switches.includes(spec)) ?? "rrm"] }));
    const less = button("Remove the last", "Remove the last switch", () =>
      app.set({ switches: state.switches.slice(0, -1) }));
    more.disabled = state.switches.length >= 4;
    less.disabled = state.switches.length <= (state.view === "race" ? 2 : 1);
    form.append(h("div", { class: "buttons" }, more, less));
  }
  const ports = h("select", {}, ...[...new Set([2, 3, 4, 5, 6, 8, 12, 16, 24, 32, MOST_PORTS, state.ports])].sort((a, b) => a - b)
    .map(number => h("option", { value: number, selected: number === state.ports }, String(number))));
  ports.addEventListener("change", () => app.set({ ports: Number(ports.value), rates: [], cell: null, ...fresh(app), ...restart }));
  form.append(field("Ports", ports));
  form.append(...specField("Traffic", catalogue.traffic, state.traffic, traffic => app.set({
    rates: [], cell: null, traffic: isFile(traffic) && !traffic.includes("(") ? `${traffic.trim()}(file=dropped.csv)` : traffic, step: 0,
  })));
  if (!isFile(state.traffic)) {
    form.append(...specField("Arrivals", catalogue.arrivals, state.arrivals, arrivals => app.set({ arrivals, cell: null, step: 0 })));
    const load = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: state.load });
    const shown = h("output", {}, state.load.toFixed(2));
    load.addEventListener("input", () => (shown.textContent = Number(load.value).toFixed(2)));
    load.addEventListener("change", () => app.set({ load: Number(load.value), cell: null, step: 0 }));
    const one = field("Load", load);
    one.append(shown);
    one.classList.add("range");
    if (state.view !== "curve") form.append(one);
  }
  const seed = h("input", { type: "text", inputmode: "numeric", pattern: "[0-9]*", maxlength: 20, value: state.seed });
  seed.addEventListener("change", () => {
    const valid = /^\d{1,20}$/.test(seed.value) && BigInt(seed.value) < 1n << 64n;
    if (valid) app.set({ seed: seed.value, cell: null, step: 0 });
    else app.say("A seed is a whole number below 2^64.");
  });
  const next = button("Next seed", "Take the next seed", () =>
    app.set({ seed: String((BigInt(state.seed) + 1n) % (1n << 64n)), cell: null, step: 0 }));
  const both = field("Seed", seed);
  both.append(next);
  both.classList.add("row");
  form.append(both);
  if (state.view === "life") {
    const slot = h("input", { type: "number", min: 0, max: MOST_SLOT, value: state.slot });
    slot.addEventListener("change", () => {
      const wanted = Math.round(Number(slot.value));
      if (wanted >= 0 && wanted <= MOST_SLOT) app.set({ slot: wanted, cell: null });
      else app.say(`A slot here is a number from 0 to ${MOST_SLOT}.`);
    });
    form.append(field("Up to slot", slot));
  }
  const matrix = loadMatrix(app);
  if (matrix) form.append(matrix);
  return form;
}
