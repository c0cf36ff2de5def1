// The facts of the stories: what each text says is what the simulator gives.

import assert from "node:assert/strict";
import test from "node:test";
import { page, shown } from "./simulated.mjs";

/** Why a later slot does not take place; nothing if it does. */
function stops(link, slot) {
  try {
    shown(`${link}&slot=${slot}`);
    return "";
  } catch (error) {
    return error.message;
  }
}

test("there are ten stories of about ten steps", () => {
  assert.ok(page.STORIES.length >= 10);
  for (const { id, title, about, steps } of page.STORIES) {
    assert.match(id, /^[a-z0-9-]{1,40}$/);
    assert.ok(title.length > 3 && about.length > 20, id);
    assert.ok(steps.length >= 8 && steps.length <= 14, `${id}: ${steps.length} steps`);
  }
  assert.equal(new Set(page.STORIES.map(story => story.id)).size, page.STORIES.length);
});

for (const { id, steps } of page.STORIES) {
  test(`what the story ${id} says is so`, () => {
    steps.forEach(({ link, text, facts }, index) => {
      assert.ok(text.length > 15, `${id} ${index + 1}`);
      assert.ok(facts.length > 0, `${id} ${index + 1} has no fact`);
      const seen = shown(link);
      const said = words => seen.frame.text.includes(words);
      const { slot, frame, frames, pairs, cells, lanes, causes, reasons, edges, at } = seen;
      for (const fact of facts) {
        const names = { slot, frame, frames, pairs, cells, lanes, causes, reasons, edges, at, said, stops: slot => stops(link, slot) };
        const holds = new Function(...Object.keys(names), `return ${fact};`)(...Object.values(names));
        assert.equal(holds, true, `${id}, step ${index + 1}: ${fact}; ${frame?.text ?? JSON.stringify(lanes?.map(lane => [lane.throughput, lane.delay, lane.backlog]) ?? edges ?? reasons?.length)}`);
      }
      // A step of a slot exists, so that the link shows what the text is about.
      if (frames) assert.ok(seen.state.step < frames.length, `${id}, step ${index + 1}: there are ${frames.length} steps`);
    });
  });
}

test("a false fact would be found", () => {
  const seen = shown(page.STORIES[0].steps[0].link);
  assert.equal(seen.frame.text.includes("4 cells arrive"), false);
  assert.throws(() => shown("#switch=nothing"));
});
