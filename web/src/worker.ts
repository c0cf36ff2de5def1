// The simulator in its own thread. Run 0 is that of the view of one slot, 1 to 4 those of a race,
// 5 that of a cell's life.

import { Module } from "./module";
import { About, Answer, failed, Life, Question, Slot, Status, Waited } from "./protocol";

/** Run 0: what it is of, and the slot that is next. */
let one = { request: "", next: 0, about: null as About | null };
let module: Module;

function slot(request: string, wanted: number): Answer<{ about: About; slot: Slot }> {
  if (one.about === null || one.request !== request || wanted < one.next) {
    const about: Answer<About> = module.build(0, request);
    if (failed(about)) {
      one.about = null;
      return about;
    }
    one = { request, next: 0, about };
  }
  if (wanted > one.next) {
    const status: Answer<Status> = module.advance(0, wanted - one.next);
    one.next = wanted;
    if (failed(status)) {
      one.about = null;
      return status;
    }
  }
  const answer: Answer<Slot> = module.slot(0);
  one.next = wanted + 1;
  if (failed(answer)) {
    one.about = null;
    return answer;
  }
  return { about: one.about as About, slot: answer };
}

const nextSlot = (run: number): Answer<Slot> => module.slot(run);

/** The most slots of a cell's life that are told. */
const MOST_LIFE = 400;

/** The slots of a cell that arrives at an input, up to its departure. */
function life(request: string, arrival: number, input: number): Answer<Life> {
  const about: Answer<About> = module.build(5, request);
  if (failed(about)) return about;
  const before: Answer<Status> = module.advance(5, arrival);
  if (failed(before)) return before;
  const slots: Slot[] = [];
  let output = -1;
  let departed = false;
  while (slots.length < MOST_LIFE && !departed) {
    const slot = nextSlot(5);
    if (failed(slot)) {
      if (slots.length > 0) break;
      return slot;
    }
    if (slots.length === 0) {
      output = slot.arrivals[input] ?? -1;
      if (output < 0) return { error: `No cell arrives at input ${input} in slot ${arrival}.` };
    }
    slots.push(slot);
    const gone = slot.departures[output];
    departed = gone?.input === input && gone.arrived === arrival;
    if (slot.dropped.some(cell => cell.input === input && cell.arrived === arrival)) break;
  }
  return { about, slots, output, departed };
}

/** The cells that departed in some slots after the longest delays. */
function longest(request: string, from: number, count: number): Answer<{ cells: Waited[] }> {
  const about: Answer<About> = module.build(5, request);
  if (failed(about)) return about;
  const before: Answer<Status> = module.advance(5, from);
  if (failed(before)) return before;
  const cells: Waited[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const slot = nextSlot(5);
    if (failed(slot)) break;
    slot.departures.forEach((cell, output) => {
      if (cell.input >= 0) cells.push({ input: cell.input, output, arrived: cell.arrived, delay: slot.slot - cell.arrived });
    });
  }
  cells.sort((a, b) => b.delay - a.delay || a.arrived - b.arrived || a.input - b.input);
  return { cells: cells.slice(0, 10) };
}

async function reply(question: Question): Promise<unknown> {
  switch (question.verb) {
    case "open":
      module = await Module.open(question.module);
      return module.list();
    case "slot":
      return slot(question.request, question.slot);
    case "trace":
      return module.trace(question.slots, question.request);
    case "start":
      return question.requests.map((request, index) => module.build(index + 1, request));
    case "curves":
      return question.requests.map((request, index) => module.curve(index, request));
    case "advance curve":
      return module.advanceCurve(question.curve, question.slots);
    case "differences":
      return Array.from({ length: question.curves - 1 }, (_, other) => module.differences(0, other + 1));
    case "life":
      return life(question.request, question.arrival, question.input);
    case "longest":
      return longest(question.request, question.from, question.slots);
    case "advance":
      return Array.from({ length: question.runs }, (_, index) => module.advance(index + 1, question.slots));
  }
}

onmessage = async ({ data }: MessageEvent<{ id: number; question: Question }>) => {
  try {
    postMessage({ id: data.id, answer: await reply(data.question) });
  } catch (error) {
    postMessage({ id: data.id, answer: { error: `The simulator stopped: ${String(error)}. Load the page again.` } });
  }
};
