// Why a cell did not leave in a slot: whom it lost to. Nothing but what the simulator tells of the slot.

import { Slot } from "./protocol";

/** What kept a cell. */
export type Cause = "arrives" | "behind" | "input" | "output" | "unmatched" | "queue" | "fabric" | "memory" | "departs" | "dropped";

export interface Reason {
  slot: number;
  cause: Cause;
  text: string;
  /** The VOQ that it lost to, if there is one. */
  rival: { input: number; output: number } | null;
  /** Cells of its own VOQ before it. */
  ahead: number;
}

/** What is told of a slot for the cell that arrived at `input` for `output` in slot `arrived`. */
export function reason(slot: Slot, input: number, output: number, arrived: number): Reason {
  const ports = slot.arrivals.length;
  const gone = slot.departures[output];
  const base = { slot: slot.slot, rival: null, ahead: 0 };
  if (slot.dropped.some(cell => cell.input === input && cell.arrived === arrived)) {
    return { ...base, cause: "dropped", text: "It is dropped: there is no room for it." };
  }
  if (gone?.input === input && gone.arrived === arrived) {
    const delay = slot.slot - arrived;
    return { ...base, cause: "departs", text: `It departs, ${delay} ${delay === 1 ? "slot" : "slots"} after its arrival.` };
  }
  const inVoq = slot.cells[input * ports + output] ?? [];
  const place = inVoq.indexOf(arrived);
  const ahead = place >= 0 ? place : Math.max(0, (slot.inside[input * ports + output] ?? 1) - 1);
  const before = ahead === 1 ? "one cell of the same input and output is" : `${ahead} cells of the same input and output are`;
  if (slot.memories) {
    const found = slot.memories.find(([, , from, , born]) => from === input && born === arrived)
      ?? slot.steps.flatMap(step => (step.step === "written" && step.input === input && slot.slot === arrived ? [[step.memory, step.departs] as const] : []))[0];
    const rival = gone && gone.input >= 0 ? { input: gone.input, output } : null;
    return { ...base, cause: "memory", rival, ahead,
      text: found ? `It is in memory ${found[0]} and departs in slot ${found[1]}: output ${output} sends the cells that came before it first.` : "It waits in a memory." };
  }
  if (slot.fabric_after) {
    const held = slot.fabric_after.buffers.find(buffer => buffer.cells.some(cell => cell[0] === input && cell[1] === output && cell[2] === arrived));
    if (!held) return { ...base, cause: "fabric", ahead, text: `It waits in its VOQ at input ${input}${ahead > 0 ? `; ${before} before it` : ""}, or on a link.` };
    const at = `${held.side} ${held.port} of element ${held.element} in stage ${held.stage}`;
    const first = held.cells[0]?.[0] === input && held.cells[0][2] === arrived;
    const other = held.for?.map(index => slot.fabric_after?.buffers[index]?.cells[0]).find(cell => cell !== undefined);
    const rival = first && other ? { input: other[0], output: other[1] } : null;
    const why = !first ? "behind another cell of its buffer" : held.need === undefined ? "and can move in the next slot"
      : held.need === "room" ? `and needs room${other ? ` where the cell ${other[0]}→${other[1]} is` : ""}` : "and its predecessor is not there yet";
    return { ...base, cause: "fabric", rival, ahead, text: `It is at ${at}, ${why}.` };
  }
  if (slot.queues?.inputs) {
    const first = slot.queues.first?.[input] ?? -1;
    const sent = slot.departures.findIndex(cell => cell.input === input);
    const head = slot.cells.slice(input * ports, (input + 1) * ports).flatMap(cells => cells.slice(0, 1)).reduce((a, b) => Math.min(a, b), Infinity);
    if (head < arrived) {
      return { ...base, cause: "behind", ahead, rival: first >= 0 ? { input, output: first } : null,
        text: `It is behind the head-of-line cell of input ${input}, which is for output ${first}${sent >= 0 ? " and departs" : " and is blocked"}.` };
    }
  }
  if (slot.queues?.outputs && !slot.queues.voqs) {
    const rival = gone && gone.input >= 0 ? { input: gone.input, output } : null;
    return { ...base, cause: "queue", ahead, rival,
      text: rival ? `Output ${output} sends a cell of input ${rival.input}, which is before it in the queue of the output.` : `Output ${output} sends nothing.` };
  }
  const lost = gone && gone.input >= 0 && gone.input !== input ? { input: gone.input, output } : null;
  if (ahead > 0) {
    const moved = gone?.input === input ? "and the first of them departs" : lost ? `and output ${output} serves input ${lost.input}` : "and none of them departs";
    return { ...base, cause: "behind", ahead, rival: gone?.input === input ? { input, output } : lost, text: `In its VOQ ${before} before it, ${moved}.` };
  }
  const taken = slot.matching?.[input] ?? -1;
  const granted = slot.steps.filter(step => step.step === "grant" && step.output === output).at(-1);
  if (taken >= 0 && taken !== output) {
    const other = lost ? ` Output ${output} serves input ${lost.input}.` : "";
    const grant = granted?.step === "grant" && granted.input === input ? ` Output ${output} had granted it, and the input accepted output ${taken}.` : "";
    return { ...base, cause: lost ? "output" : "input", ahead: 0, rival: lost ?? { input, output: taken },
      text: `It heads its VOQ. Its input is matched with output ${taken}.${grant}${other}` };
  }
  if (lost) {
    const grant = granted?.step === "grant" ? ` Output ${output} granted input ${granted.input}.` : "";
    return { ...base, cause: "output", ahead: 0, rival: lost, text: `It heads its VOQ. Output ${output} sends a cell of input ${lost.input}.${grant}` };
  }
  if (slot.queues?.outputs) return { ...base, cause: "queue", ahead: 0, text: `It waits at its input or in the buffer of output ${output}, which sends nothing.` };
  return { ...base, cause: "unmatched", ahead: 0, text: `It heads its VOQ. Neither its input nor output ${output} sends anything: the matching is not maximal here.` };
}
