// What a link shows, computed without a browser: the page's own sources over the module.

import { build } from "esbuild";
import { join } from "node:path";
import { openModule, web } from "./module.mjs";

const { outputFiles: [bundle] } = await build({
  stdin: {
    contents: 'export * from "./frames"; export * from "./state"; export * from "./stories"; export * from "./why"; export { edge } from "./curve";',
    resolveDir: join(web, "src"), loader: "ts",
  },
  bundle: true, write: false, format: "esm", target: "es2022", define: { WORKER: '""' },
});
// The worker is never asked here; only its constructor is there.
globalThis.Worker ??= class { postMessage() {} };
export const page = await import(`data:text/javascript;base64,${Buffer.from(bundle.text).toString("base64")}`);
const module = await openModule();

const good = answer => {
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
};

/** What a link shows: the slot and its frames, the lanes of a race, the reasons of a life, the lines of a curve. */
export function shown(link) {
  const { state, problems } = page.parse(link);
  if (problems.length > 0) throw new Error(problems.join(" "));
  const requests = state.switches.map(spec => page.request(state, spec, ""));
  if (state.view === "race") {
    const lanes = requests.map((request, run) => {
      good(module.build(run, request));
      const status = good(module.advance(run, state.slot));
      return { ...status, delay: status.delays / status.departed, throughput: status.departed / (state.slot * state.ports) };
    });
    return { state, lanes };
  }
  if (state.view === "curve") {
    const { replications, slots, warmup } = page.CURVE;
    const lines = requests.map(request => {
      good(module.curve(0, `curve=${page.LOADS.join(" ")};${replications};${slots};${warmup}\n${request}`));
      return good(module.advance_curve(0, slots + warmup));
    });
    return { state, lines, edges: lines.map(line => page.edge(line.points)), at: (line, load) => lines[line].points.find(point => point.load === load) };
  }
  good(module.build(0, requests[0]));
  if (state.view === "life") {
    const { slot: arrival, input } = state.cell;
    good(module.advance(0, arrival));
    const reasons = [];
    let output;
    for (let count = 0; count < 400; count += 1) {
      const slot = good(module.slot(0));
      output ??= slot.arrivals[input];
      reasons.push(page.reason(slot, input, output, arrival));
      if (["departs", "dropped"].includes(reasons.at(-1).cause)) break;
    }
    return { state, reasons, causes: cause => reasons.filter(one => one.cause === cause).length };
  }
  good(module.advance(0, state.slot));
  const slot = good(module.slot(0));
  const frames = page.frames(slot);
  const frame = frames[Math.min(state.step, frames.length - 1)];
  const { ports } = state;
  return { state, slot, frames, frame, cells: (input, output) => slot.inside[input * ports + output],
    pairs: (slot.matching ?? []).flatMap((output, input) => (output < 0 ? [] : [`${input}→${output}`])) };
}
