// The picture of shared memories: which cell is where, and in which slot it departs.

import { s } from "./dom";
import { Frame } from "./frames";
import { Slot } from "./protocol";

/** Draws memories as rows and departure slots as columns, inputs on the left, outputs on the right. */
export function drawMemories(slot: Slot, frame: Frame): { group: SVGElement; width: number; height: number } {
  const ports = slot.arrivals.length;
  const memories = slot.state?.find(one => one.name === "cells, by memory")?.values.length ?? 2 * ports - 1;
  const inside = [
    ...(slot.memories ?? []).map(cell => ({ cell, fresh: false })),
    ...frame.written.map(one => ({ cell: [one.memory, one.departs, one.input, one.output, slot.slot] as const, fresh: true })),
  ];
  // The same width in all steps of a slot.
  const due = slot.steps.flatMap(step => (step.step === "written" ? [step.departs] : []));
  const last = Math.max(slot.slot + 5, ...due, ...inside.map(({ cell }) => cell[1]));
  const columns = Math.min(last - slot.slot + 1, 24);
  const row = memories <= 16 ? 34 : memories <= 32 ? 22 : 12;
  const column = columns <= 12 ? 62 : 44;
  const [left, top, right] = [150, 40, 110];
  const height = top + Math.max(memories * row, ports * 24) + 16;
  const width = left + columns * column + right;
  const y = (memory: number) => top + memory * row + row / 2;
  const portY = (port: number) => top + ((port + 0.5) * (height - top - 16)) / ports;
  const x = (due: number) => left + (due - slot.slot) * column;
  const group = s("g", { class: "memories" });
  group.append(s("text", { x: left, y: 12, class: "figure", "font-size": 12 }, "departs in slot"),
    s("rect", { x: left, y: top - 2, width: column, height: memories * row + 4, class: frame.departing ? "due now" : "due" }));
  for (let due = 0; due < columns; due += 1) {
    group.append(s("text", { x: left + (due + 0.5) * column, y: 28, class: "name middle", "font-size": 12 }, String(slot.slot + due)));
  }
  for (let memory = 0; memory < memories; memory += 1) {
    group.append(s("line", { x1: left, x2: left + columns * column, y1: y(memory) + row / 2, y2: y(memory) + row / 2, class: "rule" }));
  }
  for (let port = 0; port < ports && ports <= 32; port += 1) {
    const arrival = slot.arrivals[port] ?? -1;
    group.append(s("text", { x: 44, y: portY(port), class: "name end", "font-size": 12 }, `in ${port}`),
      s("text", { x: width - 44, y: portY(port), class: "name", "font-size": 12 }, `out ${port}`));
    if (arrival >= 0 && frame.kind === "arrivals") {
      group.append(s("g", { class: "arrival" }, s("rect", { x: 50, y: portY(port) - 9, width: 26, height: 18, rx: 4 }),
        s("text", { x: 63, y: portY(port), "font-size": 11 }, `→${arrival}`)));
    }
  }
  for (const { cell: [memory, due, input, output, arrived], fresh } of inside) {
    if (due - slot.slot >= columns) continue;
    const reads = frame.departing && due === slot.slot;
    const label = `Memory ${memory}: the cell ${input}→${output} of slot ${arrived}, due in slot ${due}`;
    const box = s("g", { class: `held${fresh ? " fresh" : ""}${reads ? " read" : ""}` }, s("title", {}, label),
      s("rect", { x: x(due) + 2, y: y(memory) - row / 2 + 2, width: column - 4, height: row - 4, rx: 3 }));
    if (row > 12) box.append(s("text", { x: x(due) + column / 2, y: y(memory), "font-size": Math.min(12, row * 0.5) }, `${input}→${output}`));
    const lines = group.firstChild;
    const draw = (path: SVGElement) => group.insertBefore(path, lines);
    if (fresh && frame.kind === "writes") draw(s("path", { d: `M48,${portY(input)}C${left - 84},${portY(input)} ${left - 88},${y(memory)} ${left - 66},${y(memory)}`, class: "write" }));
    if (reads) {
      const end = width - 48;
      draw(s("path", { d: `M${left + columns * column},${y(memory)}C${end - 60},${y(memory)} ${end - 50},${portY(output)} ${end},${portY(output)}`, class: "read-line" }));
    }
    group.append(box);
  }
  // Above the lines of writes.
  for (let memory = 0; memory < memories && row > 12; memory += 1) {
    group.append(s("text", { x: left - 8, y: y(memory), class: "figure end memory", "font-size": 12 }, `memory ${memory}`));
  }
  return { group, width, height };
}
