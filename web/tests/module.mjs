// The module of explorer.html, called in node.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

export const web = join(dirname(fileURLToPath(import.meta.url)), "..");
export const html = readFileSync(join(web, "explorer.html"), "utf8");

export async function openModule() {
  const text = /<script type="application\/octet-stream" id="module">([^<]*)</.exec(html)[1];
  const { instance } = await WebAssembly.instantiate(gunzipSync(Buffer.from(text, "base64")), {});
  const { exports } = instance;
  const answer = length => JSON.parse(Buffer.from(exports.memory.buffer, exports.output(), length).toString());
  const request = text => {
    const bytes = Buffer.from(text);
    const start = exports.input(bytes.length);
    new Uint8Array(exports.memory.buffer, start, bytes.length).set(bytes);
  };
  return {
    list: () => answer(exports.list()),
    build: (run, text) => (request(text), answer(exports.build(run))),
    advance: (run, slots) => answer(exports.advance(run, slots)),
    slot: run => answer(exports.slot(run)),
    curve: (curve, text) => (request(text), answer(exports.curve(curve))),
    differences: (first, other) => answer(exports.differences(first, other)),
    advance_curve: (curve, slots) => answer(exports.advance_curve(curve, slots)),
    trace: (slots, text) => (request(text), answer(exports.trace(slots))),
  };
}
