// The simulator in its own thread. Run 0 is that of the view of one slot, 1 to 4 those of a race.

import { Module } from "./module";
import { About, Answer, failed, Question, Slot, Status } from "./protocol";

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
