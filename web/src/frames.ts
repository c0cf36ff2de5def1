// A slot as frames: what is seen at each step, and what is said of it.

import { Buffer, Event, Fabric, Pair, Remembered, Slot } from "./protocol";

export interface Cycle { inputs: number[]; red: number; green: number; kept: "red" | "green" }
type Of<Step> = Omit<Extract<Event, { step: Step }>, "step">;
export type Ranked = Of<"ranked">;
export type Slack = Of<"slack">;
export type Written = Of<"written">;
export interface Dial { at: number; before: number; moved: boolean }

/** What a step shows. Lists hold what is visible at this step, earlier steps included. */
export interface Frame {
  /** The kind, for colours and tests. */
  kind: "arrivals" | "requests" | "grants" | "accepts" | "service" | "greedy" | "path" | "merge" | "cycle"
    | "weights" | "prices" | "slack" | "ranks" | "roots" | "proposed" | "writes" | "waits" | "matching" | "departures";
  title: string;
  text: string;
  requests: Pair[];
  grants: Pair[];
  /** Pairs that are matched so far. */
  matched: Pair[];
  red: number[];
  green: number[];
  cycle: Cycle | null;
  /** Augmenting path: inputs and outputs of the same index. */
  path: { inputs: number[]; outputs: number[] } | null;
  weights: { input: number; output: number; weight: number }[];
  prices: { input: number[]; output: number[] };
  /** The pairs that compete and are left, as the graph of FIND_ROOTS. */
  ranked: Ranked[];
  roots: Pair[];
  slack: Slack[];
  /** Cells that have been written to memories so far in this slot. */
  written: Written[];
  captured: { input: number; output: number; cells: number }[];
  /** By output and by input; empty where the scheduler has no pointers. */
  dials: { output: Dial[]; input: Dial[] };
  departing: boolean;
}

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
const voq = (pair: Pair) => `${pair.input}→${pair.output}`;
const pairs = (list: Pair[]) => list.map(voq).join(", ");
const byOutput = (a: Pair, b: Pair) => a.output - b.output;
const byInput = (a: Pair, b: Pair) => a.input - b.input;

/** The pairs of a matching that is given by input. */
export function matchingPairs(matching: number[]): Pair[] {
  return matching.flatMap((output, input) => (output < 0 ? [] : [{ input, output }]));
}

/** The cells that depart, as pairs. */
export function departing(slot: Slot): Pair[] {
  return slot.departures.flatMap((cell, output) => (cell.input < 0 ? [] : [{ input: cell.input, output }])).sort(byInput);
}

function dials(state: Remembered[] | undefined, of: RegExp): Dial[] {
  const values = state?.find(entry => of.test(entry.name))?.values ?? [];
  return values.map(at => ({ at, before: at, moved: false }));
}

/** Frames of one slot, from its arrivals to its departures. */
export function frames(slot: Slot): Frame[] {
  const list: Frame[] = [];
  const now: Frame = {
    kind: "arrivals", title: "Arrivals", text: "",
    requests: [], grants: [], matched: [], red: [], green: [], cycle: null, path: null,
    weights: [], prices: { input: [], output: [] }, ranked: [], roots: [], slack: [], written: [], captured: [],
    dials: { output: dials(slot.state, /^grant pointers/), input: dials(slot.state, /^(accept|request) pointers/) },
    departing: false,
  };
  const show = (kind: Frame["kind"], title: string, text: string, more: Partial<Frame> = {}) => {
    const copy = (all: Dial[]) => all.map(dial => ({ ...dial }));
    list.push({
      ...now, kind, title, text,
      dials: { output: copy(now.dials.output), input: copy(now.dials.input) },
      matched: [...now.matched], ranked: [...now.ranked], requests: [...now.requests], grants: [...now.grants], ...more,
    });
  };
  show("arrivals", "Arrivals", arrivalsText(slot));
  iterations(slot.steps, now, show);
  searches(slot.steps, now, show);
  merges(slot.steps, now, show);
  writes(slot, now, show);
  phases(slot.steps, now, show, false);
  const captured = slot.steps.filter(event => event.step === "captured");
  const matching = slot.matching;
  if (matching) {
    const all = matchingPairs(matching);
    const holds = (pair: Pair) => (slot.inside[pair.input * matching.length + pair.output] ?? 0) > 0;
    const idle = all.filter(pair => !holds(pair)).length;
    now.matched = all;
    now.requests = [];
    now.grants = [];
    const empty = idle > 0 ? ` ${count(idle, "matched VOQ is", "matched VOQs are")} empty.` : "";
    show("matching", "Matching", `The matching has ${count(all.length, "pair")}: ${pairs(all) || "none"}.${empty}`);
  }
  const sent = departing(slot);
  now.matched = sent;
  now.requests = [];
  now.grants = [];
  const delays = sent.map(pair => slot.slot - (slot.departures[pair.output]?.arrived ?? slot.slot));
  const longest = delays.length > 0 ? ` The longest delay is ${count(Math.max(...delays), "slot")}.` : "";
  const frame = captured.length === 0 ? ""
    : ` New frames are captured: ${captured.map(one => `${voq(one)} with ${count(one.cells, "cell")}`).join(", ")}.`;
  const dropped = slot.dropped.length === 0 ? "" : ` ${count(slot.dropped.length, "cell is", "cells are")} dropped.`;
  show("departures", "Departures",
    `${count(sent.length, "cell departs", "cells depart")}; ${slot.backlog} stay inside.${longest}${dropped}${frame}`,
    { captured, departing: true });
  waits(slot, show);
  phases(slot.steps, now, show, true);
  return list;
}

function arrivalsText(slot: Slot): string {
  const cells = matchingPairs(slot.arrivals);
  if (cells.length === 0) return "No cell arrives in this slot.";
  return `${count(cells.length, "cell arrives", "cells arrive")}: ${pairs(cells)}.`;
}

type Show = (kind: Frame["kind"], title: string, text: string, more?: Partial<Frame>) => void;

/** Requests, grants, accepts and pointers. */
function iterations(events: Event[], now: Frame, show: Show): void {
  const service = events.filter(event => event.step === "on service");
  if (service.length > 0) {
    now.matched = service.map(({ input, output }) => ({ input, output }));
    show("service", "On service", `The frames of these VOQs go on: ${pairs(now.matched)}. They are matched first.`);
  }
  const starts = events.flatMap((event, index) => (event.step === "iteration" ? [index] : []));
  let number = 0;
  starts.forEach((start, place) => {
    const own = events.slice(start + 1, starts[place + 1] ?? events.length);
    const requests = own.flatMap(event =>
      event.step === "requests" ? event.inputs.map(input => ({ input, output: event.output })) : []);
    if (requests.length === 0) return;
    number += 1;
    const name = `Iteration ${number}`;
    const earlier = [...now.matched];
    now.requests = requests;
    const unmatched = earlier.length > 0 ? "Unmatched inputs request" : "Inputs request";
    show("requests", `${name}: requests`,
      `${unmatched} every unmatched output for which they have a cell: ${count(requests.length, "request")}.`);
    const grants = own.flatMap(event => (event.step === "grant" ? [event] : [])).sort(byOutput);
    if (grants.length > 0) {
      now.grants = grants;
      const each = grants.map(grant => `${grant.output} grants ${grant.input}`).join(", ");
      show("grants", `${name}: grants`, `Each output grants at most one request. Output ${each}.`);
    }
    const accepts = own.flatMap(event => (event.step === "accept" ? [event] : [])).sort(byInput);
    const moved = own.flatMap(event => (event.step === "pointer" ? [event] : []));
    for (const event of moved) {
      const dial = now.dials[event.side][event.port];
      if (dial) Object.assign(dial, { before: event.before, at: event.after, moved: true });
    }
    now.matched = [...earlier, ...accepts];
    now.grants = [];
    now.requests = [];
    const each = accepts.map(accept => `${accept.input} accepts ${accept.output}`).join(", ");
    const lost = grants.length - accepts.length;
    const wasted = grants.length > 0 && lost > 0 ? ` ${count(lost, "grant is", "grants are")} not accepted.` : "";
    const pointers = moved.length > 0 ? ` ${count(moved.length, "pointer moves", "pointers move")}.` : "";
    show("accepts", `${name}: accepts`,
      accepts.length > 0 ? `Input ${each}.${wasted}${pointers}` : `No grant is accepted.${pointers}`);
    for (const dial of [...now.dials.output, ...now.dials.input]) dial.moved = false;
  });
}

/** Greedy matching, augmenting paths, weights and prices. */
function searches(events: Event[], now: Frame, show: Show): void {
  const greedy = events.flatMap(event => (event.step === "greedy" ? [event] : []));
  if (greedy.length > 0) {
    now.matched = greedy.map(({ input, output }) => ({ input, output })).sort(byInput);
    show("greedy", "Greedy matching", `The search begins with ${count(greedy.length, "pair")}: ${pairs(now.matched)}.`);
  }
  events.filter(event => event.step === "path").forEach((path, index) => {
    now.matched = now.matched.filter(pair => !path.inputs.includes(pair.input));
    path.inputs.forEach((input, place) => now.matched.push({ input, output: path.outputs[place] as number }));
    const added = path.inputs.map((input, place) => `${input}→${path.outputs[place]}`).join(", ");
    show("path", `Augmenting path ${index + 1}`, `The matching grows by one pair. New pairs: ${added}.`, { path });
  });
  const weights = events.flatMap(event => (event.step === "weight" ? [event] : [])).sort(byInput);
  if (weights.length > 0) {
    now.matched = weights.map(({ input, output }) => ({ input, output }));
    now.weights = weights;
    const sum = weights.reduce((sum, one) => sum + one.weight, 0);
    show("weights", "Weights", `The matched VOQs weigh ${weights.map(one => one.weight).join(" + ")} = ${sum}.`);
  }
  const prices = events.flatMap(event => (event.step === "price" ? [event] : []));
  if (prices.length > 0) {
    for (const price of prices) now.prices[price.side][price.port] = price.price;
    const sum = prices.reduce((sum, one) => sum + one.price, 0);
    show("prices", "Prices",
      `The prices of all ports sum to ${sum}, and no VOQ weighs more than the prices of its two ports. ` +
      "So no matching weighs more.");
  }
  now.weights = [];
  now.prices = { input: [], output: [] };
}

/** SERENA and its variants. */
function merges(events: Event[], now: Frame, show: Show): void {
  const merge = events.find(event => event.step === "merge");
  if (!merge) return;
  Object.assign(now, { red: merge.red, green: merge.green, requests: [], grants: [] });
  const same = merge.red.filter((output, input) => output >= 0 && merge.green[input] === output).length;
  const union = same === merge.red.length ? "They are equal." : `They share ${count(same, "pair")}.`;
  show("merge", "Two matchings",
    `Red is made of the arrivals, green is the matching of the slot before. ${union}`);
  const cycles = events.filter(event => event.step === "cycle");
  now.matched = matchingPairs(merge.red).filter(pair => merge.green[pair.input] === pair.output);
  cycles.forEach((cycle, index) => {
    const colour = cycle.kept === "red" ? merge.red : merge.green;
    now.matched = [...now.matched, ...cycle.inputs.map(input => ({ input, output: colour[input] as number }))];
    show("cycle", `Cycle ${index + 1} of ${cycles.length}`,
      `Inputs ${cycle.inputs.join(", ")}. Red weighs ${cycle.red}, green weighs ${cycle.green}: ${cycle.kept} is kept.`,
      { cycle });
  });
  Object.assign(now, { red: [], green: [] });
}

/** Cells to shared memories. */
function writes(slot: Slot, now: Frame, show: Show): void {
  const written = slot.steps.flatMap(event => (event.step === "written" ? [event] : []));
  if (slot.memories === undefined || written.length === 0) return;
  now.written = written;
  const each = written.map(cell => `${voq(cell)} to memory ${cell.memory}, due in slot ${cell.departs}`).join("; ");
  show("writes", "Writes", "A cell departs in a slot that is known when it arrives. A memory takes one cell in a slot, and holds one " +
    `that is due in a slot. Written: ${each}.`);
}

/** Buffers of a fabric by index, of which none can move again whatever arrives. */
export function deadlocked(fabric: Fabric): Set<number> {
  const dead = new Set(fabric.buffers.flatMap((buffer, index) => (buffer.for === undefined ? [] : [index])));
  for (let before = -1; before !== dead.size;) {
    before = dead.size;
    for (const index of dead) {
      if (fabric.buffers[index]?.for?.some(other => !dead.has(other))) dead.delete(index);
    }
  }
  return dead;
}

/** Which buffers of a fabric wait for which. */
function waits(slot: Slot, show: Show): void {
  const fabric = slot.fabric_after;
  if (!fabric) return;
  const blocked = fabric.buffers.filter(buffer => buffer.for !== undefined);
  const dead = deadlocked(fabric);
  const first = blocked[0];
  const one = first ? ` The first: ${placeOf(first)} waits for ${first.need === "room" ? "room" : "a predecessor"} in ` +
    `${first.for?.map(other => placeOf(fabric.buffers[other] as Buffer)).slice(0, 3).join(" and ") ?? "another buffer"}.` : "";
  const circle = dead.size > 0
    ? ` ${count(dead.size, "buffer")} of them can never move again: each waits for another of them, and following the arrows leads into a circle. This is a deadlock.` : "";
  show("waits", "Who waits for whom",
    `${count(blocked.length, "buffer")} of ${fabric.buffers.length} cannot move ${blocked.length === 1 ? "its" : "their"} first cell.${one}${circle}`,
    { departing: true });
}

export function placeOf(buffer: Buffer): string {
  return `${buffer.side} ${buffer.port} of element ${buffer.element} in stage ${buffer.stage} (group ${buffer.group})`;
}

/** The phases of a combined input and output queued switch: slackness, ranks, roots. */
function phases(events: Event[], now: Frame, show: Show, after: boolean): void {
  const starts = events.flatMap((event, index) => (event.step === "phase" ? [index] : []));
  starts.forEach((start, place) => {
    const phase = events[start];
    if (phase?.step !== "phase" || phase.after !== after) return;
    const own = events.slice(start + 1, starts[place + 1] ?? events.length);
    const name = `Phase ${place + 1}`;
    Object.assign(now, { matched: [], ranked: [], roots: [], slack: [] });
    const slack = own.flatMap(event => (event.step === "slack" ? [event] : []));
    const ranked = own.flatMap(event => (event.step === "ranked" ? [event] : []));
    const when = after ? " This phase comes after the departures." : "";
    if (slack.length > 0) {
      const least = slack.reduce((a, b) => (b.cushion - b.thread < a.cushion - a.thread ? b : a));
      const critical = slack.filter(cell => cell.cushion <= cell.thread).length;
      show("slack", `${name}: slackness`,
        `The slackness of a cell is its output cushion less its input thread. ${critical === 0 ? "Every cell has some" : count(critical, "cell has none", "cells have none")}. ` +
        `The least is ${least.cushion - least.thread}, of the cell ${voq(least)} of slot ${least.arrived}: cushion ${least.cushion}, thread ${least.thread}.${when}`,
        { slack });
    }
    if (ranked.length === 0) return;
    now.ranked = ranked;
    show("ranks", `${name}: ranks`,
      `${count(ranked.length, "pair competes", "pairs compete")}. Each has its rank at the input and at the output; arrows lead to what is liked less. ` +
      `A pair without an arrow towards it is a root.${when}`);
    const iterations = [...new Set(own.flatMap(event => (event.step === "root" ? [event.iteration] : [])))];
    for (const iteration of iterations) {
      const roots = own.flatMap(event => (event.step === "root" && event.iteration === iteration ? [event] : []));
      const left = now.ranked.filter(pair => !roots.some(root => root.input === pair.input || root.output === pair.output));
      show("roots", `${name}: roots ${iteration + 1}`,
        `${count(roots.length, "root is", "roots are")} matched: ${pairs(roots)}. The other pairs of their lines leave the graph; ${left.length} stay.`,
        { roots });
      now.matched = [...now.matched, ...roots].sort(byInput);
      now.ranked = left;
    }
    const proposed = own.flatMap(event => (event.step === "proposed" ? [event] : []));
    if (proposed.length > 0) {
      show("proposed", `${name}: Gale-Shapley`,
        `No pair is a root: the graph has a cycle. Gale-Shapley matches the rest: ${pairs(proposed)}.`, { roots: proposed });
      now.matched = [...now.matched, ...proposed].sort(byInput);
    }
    now.ranked = [];
    show("matching", `${name}: transfer`, `${count(now.matched.length, "cell crosses", "cells cross")}: ${pairs(now.matched)}.`);
  });
  Object.assign(now, { matched: [], ranked: [], roots: [], slack: [] });
}
