// The picture of a slot: a crossbar with a VOQ at each crosspoint.

import { drawDial } from "./dial";
import { s } from "./dom";
import { drawFabric, marker } from "./fabric_picture";
import { Frame, Ranked } from "./frames";
import { columnX, Geometry, geometry, node, rowY, squareSide } from "./geometry";
import { drawMemories } from "./memories_picture";
import { Pair, Slot } from "./protocol";

export interface Look {
  slot: Slot;
  frame: Frame;
  /** Pairs that the viewer has guessed, or null. */
  guess: Pair[] | null;
  /** The VOQ that the keyboard is at, or null. */
  focus: Pair | null;
}

/** How many cells wait, by input and output: in VOQs where there are some, else anywhere inside. */
export function waiting(slot: Slot): number[] {
  return slot.queues?.voqs ?? slot.inside;
}

/** Draws a slot. A picture of the same slot is changed and not drawn anew. */
export function draw({ slot, frame, guess, focus }: Look, before: SVGElement | null): SVGElement {
  if (slot.memories || slot.fabric) return special(slot, frame, guess, focus, before);
  const ports = slot.arrivals.length;
  const dials = frame.dials.input.length + frame.dials.output.length > 0;
  const g = geometry(ports, dials);
  const same = fixed(g, slot, frame, focus);
  const svg = before !== null && same.parentNode === before ? before : s("svg", {
    viewBox: `0 0 ${g.width} ${g.height}`, class: "picture", role: "img",
    style: `--natural:${g.width}px;--ports:${ports}`,
  }, same);
  svg.setAttribute("aria-label", `Slot ${slot.slot}, ${frame.title}. ${frame.text}`);
  while (svg.lastChild !== same) svg.lastChild?.remove();
  svg.append(portSigns(g, slot, frame), marks(g, slot, frame));
  if (guess) svg.append(drawGuess(g, guess));
  return svg;
}

/** A switch that is no crossbar: its own picture, and below it a square for each input and output. */
function special(slot: Slot, frame: Frame, guess: Pair[] | null, focus: Pair | null, before: SVGElement | null): SVGElement {
  const { group, width, height } = slot.memories ? drawMemories(slot, frame) : drawFabric(slot, frame);
  const ports = slot.arrivals.length;
  const side = ports <= 8 ? 30 : ports <= 16 ? 20 : 9;
  const [left, top] = [Math.max(64, (width - ports * side) / 2), height + 34];
  const total = top + ports * side + 8;
  const pad = squares(slot, guess, focus, side, [left, top]);
  const viewBox = `0 0 ${width} ${total}`;
  const svg = before !== null && pad.parentNode === before && before.getAttribute("viewBox") === viewBox ? before : s("svg", {
    viewBox, class: "picture special", role: "img", style: `--natural:${width}px;--ports:${Math.max(8, ports)}`,
  }, pad);
  svg.setAttribute("aria-label", `Slot ${slot.slot}, ${frame.title}. ${frame.text}`);
  while (svg.firstChild !== pad) svg.firstChild?.remove();
  svg.prepend(group);
  return svg;
}

/** A square for each input and output. It is kept as long as nothing in it changes, for it is most of the elements. */
function squares(slot: Slot, guess: Pair[] | null, focus: Pair | null, side: number, [left, top]: [number, number]): SVGElement {
  const ports = slot.arrivals.length;
  const key = `${JSON.stringify(guess)} ${focus?.input} ${focus?.output} ${left} ${top}`;
  const before = kept.get(slot);
  if (before?.key === key) return before.group;
  const pad = s("g", { class: "pad" }, s("text", { x: left, y: top - 18, class: "figure", "font-size": 12 }, "Cells inside, by input and output"));
  slot.inside.forEach((cells, index) => {
    const [input, output] = [Math.floor(index / ports), index % ports];
    const [x, y] = [left + output * side, top + input * side];
    const at = focus?.input === input && focus.output === output;
    const name = `Cells ${input}→${output}: ${cells}`;
    const guessed = guess?.some(pair => pair.input === input && pair.output === output);
    const one = s("g", { class: `voq${cells > 0 ? " some" : ""}${at ? " at" : ""}${slot.arrivals[input] === output ? " fresh" : ""}`,
      "data-input": input, "data-output": output },
      ports <= 8 ? s("title", {}, name) : null, s("rect", { x: x + 1, y: y + 1, width: side - 2, height: side - 2, rx: 3, class: guessed ? "box guessed" : "box" }));
    if (cells > 0 && side > 9) one.append(s("text", { x: x + side / 2, y: y + side / 2, class: "length", "font-size": side * 0.45 }, String(cells)));
    pad.append(one);
  });
  for (let port = 0; port < ports && side > 9; port += 1) {
    pad.append(s("text", { x: left - 6, y: top + (port + 0.5) * side, class: "figure end", "font-size": 11 }, `in ${port}`));
  }
  kept.set(slot, { key, group: pad });
  return pad;
}

/**
 * What is the same in most steps of a slot: lines, VOQs and crosspoints. They are kept, for they are
 * most of the elements.
 */
function fixed(g: Geometry, slot: Slot, frame: Frame, focus: Pair | null): SVGElement {
  const key = `${frame.kind === "arrivals"} ${focus?.input} ${focus?.output}`;
  const before = kept.get(slot);
  if (before?.key === key) return before.group;
  const group = s("g", {}, lines(g), s("g", { class: "voqs" }, ...drawQueues(g, slot, frame, focus)), crosspoints(g));
  kept.set(slot, { key, group });
  return group;
}

const kept = new WeakMap<Slot, { key: string; group: SVGElement }>();

/** The lines of all inputs and outputs. */
function lines(g: Geometry): SVGElement {
  let path = "";
  const [right, bottom] = [columnX(g, g.ports - 1), g.top + g.ports * g.cell + 10];
  for (let port = 0; port < g.ports; port += 1) {
    path += `M${g.left - 8},${rowY(g, port)}H${right}M${columnX(g, port)},${g.top + g.cell * 0.5}V${bottom}`;
  }
  return s("path", { d: path, class: "lines" });
}

/** Dots of one path: lines without length, with round ends. */
function crosspoints(g: Geometry): SVGElement {
  let d = "";
  for (let input = 0; g.ports <= 32 && input < g.ports; input += 1) {
    for (let output = 0; output < g.ports; output += 1) d += `M${node(g, input, output).join(",")}h0`;
  }
  return s("path", { d, class: "crosspoints", "stroke-width": Math.min(6, g.cell * 0.12) });
}

/** A square for each VOQ with its cells. */
function drawQueues(g: Geometry, slot: Slot, frame: Frame, focus: Pair | null): SVGElement[] {
  const lengths = waiting(slot);
  const side = squareSide(g);
  const longest = Math.max(1, ...lengths);
  return lengths.map((length, index) => {
    const [input, output] = [Math.floor(index / g.ports), index % g.ports];
    const [x, y] = [g.left + output * g.cell + g.cell * 0.06, g.top + input * g.cell + g.cell * 0.06];
    const fresh = slot.arrivals[input] === output;
    const at = focus?.input === input && focus.output === output;
    const name = `VOQ ${input}→${output}, ${length} ${length === 1 ? "cell" : "cells"}`;
    const group = s("g", {
      class: `voq${length > 0 ? " some" : ""}${fresh ? " fresh" : ""}${at ? " at" : ""}`,
      "data-input": input, "data-output": output, role: "img", "aria-label": name,
    });
    group.append(s("title", {}, name), s("rect", { x, y, width: side, height: side, rx: Math.min(7, side * 0.14), class: "box" }));
    if (length === 0) return group;
    if (g.ports <= 8) group.append(...cellsOf(slot, index, x, y, side, fresh && frame.kind === "arrivals"));
    else {
      // Depth of colour by length; the number where there is room.
      const deep = 0.12 + 0.5 * (length / longest);
      group.append(s("rect", { x, y, width: side, height: side, rx: Math.min(7, side * 0.14), class: "heat", opacity: deep.toFixed(2) }));
      if (g.ports <= 16) {
        group.append(s("text", { x: x + side / 2, y: y + side / 2, class: "length", "font-size": g.number }, String(length)));
      }
    }
    return group;
  });
}

/** Cells as tokens with their arrival slots, the head-of-line cell first. */
function cellsOf(slot: Slot, index: number, x: number, y: number, side: number, fresh: boolean): SVGElement[] {
  const length = waiting(slot)[index] ?? 0;
  // Cells of a flow cross in order: those that wait here are the last ones inside.
  const inside = slot.inside[index] ?? 0;
  const all = slot.cells[index] ?? [];
  const known = inside === all.length || inside === length;
  const born = all.slice(Math.max(0, inside - length));
  const rows = slot.arrivals.length <= 4 ? 4 : 3;
  const room = length > rows ? rows - 1 : rows;
  const gap = side * 0.05;
  const height = (side - gap * (rows + 1)) / rows;
  const list: SVGElement[] = [];
  for (let place = 0; place < Math.min(length, room); place += 1) {
    const top = y + gap + place * (height + gap);
    const last = fresh && place === length - 1;
    list.push(s("rect", {
      x: x + gap, y: top, width: side - 2 * gap, height, rx: 2.5, class: `cell${last ? " new" : ""}${place === 0 ? " first" : ""}`,
    }));
    if (known && born[place] !== undefined) {
      list.push(s("text", { x: x + side / 2, y: top + height / 2, class: "born", "font-size": Math.min(12.5, height * 0.86) }, String(born[place])));
    }
  }
  if (length > room) {
    list.push(s("text", { x: x + side / 2, y: y + side - gap - height / 2, class: "more", "font-size": Math.min(12.5, height * 0.9) },
      slot.arrivals.length <= 4 ? `+${length - room} more` : `+${length - room}`));
  }
  return list;
}

/** Inputs on the left, outputs below, with pointers, prices and cells that arrive and depart. */
function portSigns(g: Geometry, slot: Slot, frame: Frame): SVGElement {
  const group = s("g", { class: "ports", "font-size": g.label });
  const every = g.ports <= 32 ? 1 : 4;
  const radius = Math.min(19, g.cell * 0.42);
  const queues = slot.queues;
  const bottom = g.top + g.ports * g.cell;
  const arrivalsOnly = frame.kind === "arrivals";
  for (let port = 0; port < g.ports; port += 1) {
    const y = rowY(g, port);
    const dial = frame.dials.input[port];
    let x = g.left - 14;
    if (dial) {
      group.append(drawDial(dial, g.ports, x - radius, y, radius, `The pointer of input ${port}`));
      x -= 2 * radius + 8;
    }
    if (port % every === 0) group.append(s("text", { x, y, class: "name end" }, g.ports <= 16 ? `in ${port}` : String(port)));
    const price = frame.prices.input[port];
    const waits = queues?.inputs?.[port];
    const left = price !== undefined ? `price ${price}` : waits ? `${waits} cells` : "";
    if (left && g.ports <= 16) group.append(s("text", { x, y: y - g.label * 1.05, class: "figure end", "font-size": g.label * 0.8 }, left));
    const arrival = slot.arrivals[port] ?? -1;
    if (arrivalsOnly && arrival >= 0 && g.ports <= 32) group.append(arrivalToken(g, port, arrival, y));
    const column = columnX(g, port);
    const below = frame.dials.output[port];
    let down = bottom + 16;
    if (below) {
      group.append(drawDial(below, g.ports, column, down + radius, radius, `The pointer of output ${port}`));
      down += 2 * radius + 8;
    }
    if (port % every === 0) {
      group.append(s("text", { x: column, y: down + g.label * 0.5, class: "name middle" }, g.ports <= 8 ? `out ${port}` : String(port)));
    }
    const cell = slot.departures[port];
    const own = frame.prices.output[port];
    const queue = queues?.outputs?.[port];
    const below2 = own !== undefined ? (g.ports <= 8 ? `price ${own}` : String(own))
      : frame.departing && cell && cell.input >= 0 ? (g.ports <= 8 ? `sends ${cell.arrived}` : "●")
        : queue ? (g.ports <= 8 ? `${queue} ${queue === 1 ? "cell" : "cells"}` : String(queue)) : "";
    if (below2 && g.ports <= 32) {
      group.append(s("text", {
        x: column, y: down + g.label * 1.7, class: frame.departing ? "figure middle sent" : "figure middle", "font-size": g.label * 0.8,
      }, below2));
    }
  }
  return group;
}

/** A cell that arrives, with the output that it is for. */
function arrivalToken(g: Geometry, input: number, output: number, y: number): SVGElement {
  const size = Math.min(24, g.cell * 0.5);
  const x = 6;
  return s("g", { class: "arrival" },
    s("title", {}, `A cell for output ${output} arrives at input ${input}`),
    s("rect", { x, y: y - size / 2, width: size, height: size, rx: 4 }),
    s("text", { x: x + size / 2, y, "font-size": size * 0.55 }, String(output)));
}

const route = (g: Geometry, { input, output }: Pair) => {
  const [x, y] = node(g, input, output);
  return `M${g.left - 8},${y}H${x}V${g.top + g.ports * g.cell + 10}`;
};

/** Requests, grants, matched pairs, matchings to merge, cycles and weights. */
function marks(g: Geometry, slot: Slot, frame: Frame): SVGElement {
  const group = s("g", { class: "marks" });
  if (g.ports <= 16) group.append(...frameMarks(g, slot, frame));
  const r = Math.max(2.5, Math.min(8, g.cell * 0.13));
  const at = (pair: Pair) => node(g, pair.input, pair.output);
  const faint = frame.cycle !== null;
  for (const pair of frame.matched) {
    if (frame.departing && !slot.matching && !slot.queues?.inputs) {
      // The cell comes from a queue at the output, and not from a crosspoint in this slot.
      const [x, bottom] = [columnX(g, pair.output), g.top + g.ports * g.cell + 10];
      group.append(s("path", { d: `M${x},${bottom - g.cell * 0.25}V${bottom}`, class: "match" }));
      continue;
    }
    const [cx, cy] = at(pair);
    const idle = (slot.inside[pair.input * g.ports + pair.output] ?? 0) === 0;
    const kind = `match${idle ? " idle" : ""}${faint ? " faint" : ""}`;
    group.append(s("path", { d: route(g, pair), class: kind }), s("circle", { cx, cy, r, class: kind }));
  }
  for (const pair of frame.grants) {
    const [cx, cy] = at(pair);
    group.append(s("path", { d: `M${cx},${g.top + g.ports * g.cell + 10}V${cy}`, class: "grant" }));
  }
  for (const pair of frame.requests) {
    const [cx, cy] = at(pair);
    const granted = frame.grants.some(grant => grant.input === pair.input && grant.output === pair.output);
    group.append(s("circle", { cx, cy, r, class: granted ? "granted" : "request" }));
  }
  for (const [colour, matching] of [["green", frame.green], ["red", frame.red]] as const) {
    matching.forEach((output, input) => {
      if (output < 0) return;
      const [cx, cy] = node(g, input, output);
      group.append(colour === "green"
        ? s("circle", { cx, cy, r: r * 1.25, class: "green" })
        : s("path", { d: `M${cx},${cy - r * 0.95}l${r * 0.95},${r * 0.95}l${-r * 0.95},${r * 0.95}l${-r * 0.95},${-r * 0.95}z`, class: "red" }));
    });
  }
  if (frame.ranked.length > 0) group.append(...graph(g, frame));
  for (const cell of g.ports <= 8 ? leastSlack(frame) : []) {
    const [x, y] = node(g, cell.input, cell.output);
    group.append(label(x - 4, y - r - 7, `slack ${cell.cushion - cell.thread}`, cell.cushion > cell.thread ? "weight" : "weight critical", Math.min(12, g.cell * 0.18)));
  }
  if (frame.cycle) group.append(cycle(g, frame));
  if (frame.path) group.append(s("path", { d: pathOf(g, frame.path), class: "augmenting" }));
  for (const { input, output, weight } of g.ports <= 16 ? frame.weights : []) {
    const [x, y] = node(g, input, output);
    group.append(label(x, y - r - 7, String(weight), "weight", Math.min(13, g.cell * 0.3)));
  }
  for (const { input, output, cells } of g.ports <= 16 ? frame.captured : []) {
    const [x, y] = node(g, input, output);
    group.append(label(x, y - r - 7, `frame ${cells}`, "weight", Math.min(12, g.cell * 0.22)));
  }
  return group;
}

/** Of each VOQ the cell with the least slackness. */
function leastSlack(frame: Frame): Frame["slack"] {
  const least = new Map<string, Frame["slack"][number]>();
  for (const cell of frame.slack) {
    const key = `${cell.input} ${cell.output}`;
    const before = least.get(key);
    if (!before || cell.cushion - cell.thread < before.cushion - before.thread) least.set(key, cell);
  }
  return [...least.values()];
}

/** Captured frames of two cells or more, as far as they are left. */
function frameMarks(g: Geometry, slot: Slot, frame: Frame): SVGElement[] {
  const frames = (frame.departing ? slot.frames_after : slot.frames) ?? [];
  return frames.flatMap((cells, index) => {
    if (cells < 2) return [];
    const [input, output] = [Math.floor(index / g.ports), index % g.ports];
    const [x, y] = [g.left + output * g.cell + g.cell * 0.06, g.top + input * g.cell + g.cell * 0.06];
    const size = Math.min(12, g.cell * 0.26);
    return [s("g", { class: "frame-mark" }, s("title", {}, `The captured frame of VOQ ${input}→${output} has ${cells} cells`),
      s("rect", { x: x - 1, y: y - 1, width: squareSide(g) + 2, height: squareSide(g) + 2, rx: 7 }),
      ...(g.ports <= 8 ? [label(x + squareSide(g) / 2, y - 5, `frame ${cells}`, "weight", size)] : []))];
  });
}

/** The graph of FIND_ROOTS: arrows from each pair to the next one that its input, or its output, likes less. */
function graph(g: Geometry, frame: Frame): SVGElement[] {
  const list: SVGElement[] = [marker("arrow", "arrow-head")];
  const at = (pair: Pair) => node(g, pair.input, pair.output);
  const size = Math.min(15, g.cell * 0.2);
  const chain = (line: Ranked[]) => line.forEach((pair, place) => {
    const next = line[place + 1];
    if (!next) return;
    const [[x, y], [tx, ty]] = [at(pair), at(next)];
    const long = Math.hypot(tx - x, ty - y);
    const [dx, dy] = [(tx - x) / long, (ty - y) / long];
    const bend = long > g.cell * 1.2 ? 0.16 * long : 0;
    const [fx, fy, ex, ey] = [x + dx * size, y + dy * size, tx - dx * size, ty - dy * size];
    list.push(s("path", { d: `M${fx},${fy}Q${(fx + ex) / 2 + dy * bend},${(fy + ey) / 2 - dx * bend} ${ex},${ey}`, class: "arrow", "marker-end": "url(#arrow)" }));
  });
  for (let port = 0; port < g.ports; port += 1) {
    chain(frame.ranked.filter(pair => pair.input === port).sort((a, b) => a.row - b.row));
    chain(frame.ranked.filter(pair => pair.output === port).sort((a, b) => a.column - b.column));
  }
  const has = (pairs: Pair[], one: Pair) => pairs.some(pair => pair.input === one.input && pair.output === one.output);
  for (const pair of frame.ranked) {
    const [x, y] = at(pair);
    const root = has(frame.roots, pair);
    const lost = !root && frame.roots.some(one => one.input === pair.input || one.output === pair.output);
    list.push(s("g", { class: `vertex${root ? " root" : ""}${lost ? " lost" : ""}` },
      s("title", {}, `${pair.input}→${pair.output}: rank ${pair.row} at the input, ${pair.column} at the output`),
      s("circle", { cx: x, cy: y, r: size }), ...(g.ports <= 16 ? [s("text", { x, y, "font-size": size * 0.82 }, `${pair.row},${pair.column}`)] : [])));
  }
  return list;
}

function label(x: number, y: number, text: string, kind: string, size: number): SVGElement {
  const width = text.length * size * 0.6 + 8;
  return s("g", { class: kind },
    s("rect", { x: x - width / 2, y: y - size * 0.72, width, height: size * 1.44, rx: 3 }),
    s("text", { x, y, "font-size": size }, text));
}

/** A cycle: along the row from green to red, along the column to the next green. */
function cycle(g: Geometry, frame: Frame): SVGElement {
  const inputs = frame.cycle?.inputs ?? [];
  const kept = frame.cycle?.kept ?? "green";
  let rows = "";
  let columns = "";
  for (const input of inputs) {
    const [red, green] = [frame.red[input] as number, frame.green[input] as number];
    const [y, from, to] = [rowY(g, input), columnX(g, green), columnX(g, red)];
    rows += `M${from},${y}H${to}`;
    const other = inputs.find(other => frame.green[other] === red);
    if (other !== undefined) columns += `M${to},${y}V${rowY(g, other)}`;
  }
  return s("path", { d: rows + columns, class: `cycle ${kept}` });
}

function pathOf(g: Geometry, path: { inputs: number[]; outputs: number[] }): string {
  let d = "";
  path.inputs.forEach((input, place) => {
    const output = path.outputs[place] as number;
    const y = rowY(g, input);
    const before = place > 0 ? columnX(g, path.outputs[place - 1] as number) : g.left - 8;
    d += place === 0 ? `M${before},${y}H${columnX(g, output)}` : `V${y}H${columnX(g, output)}`;
  });
  return `${d}V${g.top + g.ports * g.cell + 10}`;
}

function drawGuess(g: Geometry, guess: Pair[]): SVGElement {
  const group = s("g", { class: "guess" });
  for (const pair of guess) {
    const [x, y] = [g.left + pair.output * g.cell + g.cell * 0.06, g.top + pair.input * g.cell + g.cell * 0.06];
    group.append(s("rect", { x: x - 2, y: y - 2, width: squareSide(g) + 4, height: squareSide(g) + 4, rx: 8 }));
  }
  return group;
}
