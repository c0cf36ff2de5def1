// The page: a bar of views, a form, the view, and what can be taken away.

import { App, View } from "./app";
import { controls } from "./controls";
import { button, h, save } from "./dom";
import { filePicker, MOST_BYTES, recognise, standalone } from "./export";
import { OneSlot } from "./one_slot";
import { failed } from "./protocol";
import { Curve } from "./curve";
import { Life } from "./life";
import { Race } from "./race";
import { enter, Stories, storyBar } from "./story_view";
import * as simulator from "./simulator";
import { command, matrix, parse, RACE, request, State } from "./state";

const NAMES: Record<State["view"], string> = { slot: "One slot", race: "Race", curve: "Curve", life: "A cell's life", stories: "Stories" };

/** The element of the page with this id, which page.html has. */
const part = (id: string) => document.getElementById(id) as HTMLElement;

function tools(app: App, view: () => View): HTMLElement {
  const line = h("code", { class: "command", tabindex: 0, role: "region", "aria-label": "Command line" });
  const told = h("span", { role: "status", class: "hint" });
  const { state } = app;
  const text = command(state);
  line.textContent = text;
  const copy = button("Copy the command", "Copy the command line that gives the same run", async () => {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = "Copied.";
    } catch {
      getSelection()?.selectAllChildren(line);
      told.textContent = "Selected: copy it with the keyboard.";
    }
  });
  const picture = button("Picture as SVG", "Save the picture as SVG", () => {
    const svg = view().picture();
    if (svg) save(`switchlab-${state.view}-${state.slot}.svg`, "image/svg+xml", standalone(svg));
  });
  const cells = button("Cells as CSV", "Save the arrivals up to here as a trace", async () => {
    const slots = state.view === "race" ? Math.max(1, state.slot) : state.slot + 1;
    const answer = await simulator.trace(request(state, state.switches[0] ?? "oq", app.file), slots);
    if (failed(answer)) app.say(answer.error);
    else save("cells.csv", "text/csv", answer.csv);
  });
  const rates = state.rates.length === 0 ? null
    : button("Rates as CSV", "Save the load matrix for the command", () => save("rates.csv", "text/csv", matrix(state)));
  const added = state.added.length === 0 ? null
    : h("div", { class: "added" },
      h("p", {}, `${state.added.length} ${state.added.length === 1 ? "cell" : "cells"} added. Save the cells as CSV next to the command.`),
      button("Remove added cells", "Remove the added cells", () => app.set({ added: [], step: 0 })));
  return h("section", { class: "tools", "aria-label": "Take it along" },
    h("h2", {}, "Take it along"), added, h("div", { class: "buttons" }, picture, cells, rates, copy), told, line,
    filePicker(file => void drop(app, file)));
}

/** Takes a trace or a matrix as traffic. */
async function drop(app: App, file: File): Promise<void> {
  if (file.size > MOST_BYTES) return app.say(`A file here has at most ${MOST_BYTES / 1e6} MB.`);
  const text = await file.text();
  const found = recognise(text);
  if ("error" in found) return app.say(found.error);
  app.file = text;
  const name = file.name.replace(/[^\w.-]/g, "_").slice(-60) || "dropped.csv";
  app.say();
  app.set({ traffic: `${found.kind}(file=${name})`, rates: [], cell: null, ports: found.ports, added: [], slot: 0, step: 0 });
}

/** The form anew. The control that has the focus stays the same element, for it is in use. */
function renderControls(app: App): void {
  const { state } = app;
  const form = controls(app);
  if (state.view === "slot") {
    const predict = h("input", { type: "checkbox", id: "predict", checked: state.predict });
    predict.addEventListener("change", () => app.set({ predict: predict.checked, step: 0 }));
    form.append(h("div", { class: "field check" }, predict, h("label", { for: "predict" }, "Predict first: hide the decision until I have guessed")));
  }
  const active = document.activeElement;
  const focused = active instanceof HTMLElement && active.closest("#controls") ? active : null;
  const same = focused?.id ? form.querySelector<HTMLElement>(`#${focused.id}`) : null;
  part("controls").replaceChildren(form);
  if (!focused || !same || same.tagName !== focused.tagName) return;
  if (focused instanceof HTMLSelectElement) {
    same.replaceWith(focused);
    focused.focus();
  } else same.focus();
}

/** What changes when a view is chosen. */
function enterView(view: State["view"], { switches, ports, slot, view: from }: State): Partial<State> {
  const one = [switches[0] ?? "islip"];
  switch (view) {
    case "race": return { view, switches: switches.length >= 2 ? switches : RACE, ports: Math.max(ports, 8), slot: 2000, step: 0, added: [], rates: [], ...plain(ports), story: "" };
    case "curve": return { view, switches: switches.length >= 2 ? switches : ["oq", one[0] === "oq" ? "islip" : one[0] as string], step: 0, added: [], story: "" };
    case "life": return { view, switches: one, slot: from === "slot" ? Math.max(slot, 200) : 500, step: 0, cell: null, story: "" };
    case "stories": return { view, story: "" };
    case "slot": return { view, switches: one, slot: from === "life" ? slot : 20, step: 0, story: "" };
  }
}

/** More ports than there were have no edited rates. */
const plain = (ports: number): Partial<State> => (ports < 8 ? { traffic: "uniform" } : {});

async function begin(): Promise<void> {
  const alert = part("alert");
  const catalogue = await simulator.open(part("module").textContent as string);
  if (failed(catalogue)) {
    alert.textContent = catalogue.error;
    alert.hidden = false;
    return;
  }
  const { state, problems } = parse(location.hash);
  const app = new App(enter(state), catalogue, alert);
  app.say(...problems);
  const views: Record<State["view"], View> = {
    slot: new OneSlot(app), race: new Race(app), curve: new Curve(app), life: new Life(app), stories: new Stories(app),
  };
  let shown: View | null = null;
  const known = new Map<string, string>();
  const differs = (what: string, value: unknown) => {
    const text = JSON.stringify(value);
    const before = known.get(what);
    known.set(what, text);
    return text !== before;
  };
  const render = () => {
    const { state } = app;
    const view = views[state.view];
    if (view !== shown) {
      shown?.hide();
      shown = view;
      part("view").replaceChildren(view.element);
      part("tabs").replaceChildren(...(Object.keys(NAMES) as State["view"][]).map(name => {
        const tab = button(NAMES[name], NAMES[name], () => {
          if (name === app.state.view) return;
          app.say();
          app.set(enterView(name, app.state));
        });
        if (name === state.view) tab.setAttribute("aria-current", "page");
        return tab;
      }));
    }
    const { step: _, slot, at: __, cell: ___, ...settings } = state;
    if (differs("settings", [settings, state.view === "life" ? slot : 0])) renderControls(app);
    if (differs("tools", [settings, slot, app.file.length])) part("tools").replaceChildren(tools(app, () => views[app.state.view]));
    document.title = `${state.view === "slot" ? `Slot ${state.slot} of ${state.switches[0]}` : NAMES[state.view]} · switchlab explorer`;
    if (differs("story", [state.story, state.at])) part("story").replaceChildren(...storyBar(app));
    document.body.classList.toggle("telling", state.view === "stories");
    view.show();
  };
  app.ratesKnown = () => {
    // Only whether there is something to edit depends on them.
    if (differs("rates", app.rates?.length ?? 0) && app.state.rates.length === 0) renderControls(app);
  };
  app.changed(() => {
    render();
  });
  addEventListener("hashchange", () => {
    const { state, problems } = parse(location.hash);
    app.say(...problems);
    app.set(enter(state));
  });
  addEventListener("keydown", event => {
    const target = event.target as HTMLElement;
    const takesKeys = target.closest("input, select, textarea, [contenteditable]") !== null;
    const presses = event.key === " " && target.closest("button, summary") !== null;
    const scrolls = event.key.startsWith("Arrow") && target.closest(".scroll, .command") !== null;
    if (takesKeys || presses || scrolls || event.ctrlKey || event.metaKey || event.altKey) return;
    if (views[app.state.view].key(event)) event.preventDefault();
  });
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void drop(app, file);
  });
  render();
}

void begin();
