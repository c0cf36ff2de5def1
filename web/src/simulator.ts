// The worker, as functions that answer later.

import { About, Answer, Catalogue, Curve, Estimate, Life, Question, Slot, Status, Waited } from "./protocol";

declare const WORKER: string;

const worker = new Worker(URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" })));
const waiting = new Map<number, (answer: never) => void>();
let last = 0;

worker.onmessage = ({ data }: MessageEvent<{ id: number; answer: never }>) => {
  waiting.get(data.id)?.(data.answer);
  waiting.delete(data.id);
};

function ask<T>(question: Question): Promise<T> {
  last += 1;
  worker.postMessage({ id: last, question });
  return new Promise(resolve => waiting.set(last, resolve));
}

export const open = (module: string) => ask<Answer<Catalogue>>({ verb: "open", module });
export const slot = (request: string, slot: number) =>
  ask<Answer<{ about: About; slot: Slot }>>({ verb: "slot", request, slot });
export const trace = (request: string, slots: number) =>
  ask<Answer<{ csv: string }>>({ verb: "trace", request, slots });
export const start = (requests: string[]) => ask<Answer<About>[]>({ verb: "start", requests });
export const curves = (requests: string[]) => ask<Answer<Curve>[]>({ verb: "curves", requests });
export const advanceCurve = (curve: number, slots: number) => ask<Answer<Curve>>({ verb: "advance curve", curve, slots });
export const differences = (curves: number) => ask<Answer<{ differences: Partial<Estimate>[] }>[]>({ verb: "differences", curves });
export const life = (request: string, arrival: number, input: number) =>
  ask<Answer<Life>>({ verb: "life", request, arrival, input });
export const longest = (request: string, from: number, slots: number) =>
  ask<Answer<{ cells: Waited[] }>>({ verb: "longest", request, from, slots });
export const advance = (runs: number, slots: number) => ask<Answer<Status>[]>({ verb: "advance", runs, slots });
