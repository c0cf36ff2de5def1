// The picture of a multistage fabric: elements, links, cells, credits, and who waits for whom.

import { s } from "./dom";
import { deadlocked, Frame, placeOf } from "./frames";
import { Buffer, Slot } from "./protocol";

export function drawFabric(slot: Slot, frame: Frame): { group: SVGElement; width: number; height: number } {
  const fabric = (frame.departing ? slot.fabric_after : slot.fabric) ?? slot.fabric;
  const group = s("g", { class: "fabric" });
  if (!fabric) return { group, width: 10, height: 10 };
  const ports = slot.arrivals.length;
  const stages = fabric.stages.length;
  const lane = ports <= 4 ? 96 : ports <= 8 ? 64 : 40;
  const [left, top, box, gap] = [96, 56, 128, 74];
  const stageX = (stage: number) => left + stage * (box + gap);
  const portY = (position: number) => top + (position + 0.5) * lane;
  const width = stageX(stages) - gap + 96;
  const height = top + ports * lane + 26;
  const waiting = frame.kind === "waits";
  const dead = waiting ? deadlocked(fabric) : new Set<number>();
  fabric.stages.forEach((stage, number) => {
    group.append(s("text", { x: stageX(number) + box / 2, y: 16, class: "name middle", "font-size": 13 }, `stage ${number}`),
      s("text", { x: stageX(number) + box / 2, y: 34, class: "figure middle", "font-size": 11 }, stage.role));
    for (let element = 0; element * stage.radix < ports; element += 1) {
      group.append(s("rect", {
        x: stageX(number), y: top + element * stage.radix * lane + 5, width: box, height: stage.radix * lane - 10, rx: 8, class: "element",
      }));
    }
  });
  let links = "";
  fabric.links.forEach((ends, link) => ends.forEach((end, position) => {
    const from = link === 0 ? left - 34 : stageX(link - 1) + box;
    const to = link === stages ? stageX(stages) - gap + 34 : stageX(link);
    links += `M${from},${portY(position)}L${to},${portY(end)}`;
  }));
  group.append(s("path", { d: links, class: "links" }));
  for (let port = 0; port < ports; port += 1) {
    const arrival = slot.arrivals[port] ?? -1;
    const voqs = slot.inside.slice(port * ports, (port + 1) * ports).reduce((sum, cells) => sum + cells, 0);
    const cell = slot.departures[port];
    group.append(s("text", { x: left - 40, y: portY(port), class: "name end", "font-size": 13 }, `in ${port}`),
      s("text", { x: width - 56, y: portY(port), class: "name", "font-size": 13 }, `out ${port}`),
      s("text", { x: left - 40, y: portY(port) + 16, class: "figure end", "font-size": 11 }, `${voqs} inside`));
    if (frame.kind === "arrivals" && arrival >= 0) group.append(token(left - 84, portY(port) - 24, `→${arrival}`, "fresh"));
    if (frame.kind === "departures" && cell && cell.input >= 0) {
      group.append(s("text", { x: width - 56, y: portY(port) + 16, class: "figure sent", "font-size": 11 }, `from ${cell.input}`));
    }
  }
  fabric.credits.forEach((ends, link) => ends.forEach(([requests, open, groups], position) => {
    const at = link === 0 ? left - 30 : stageX(link - 1) + box + 4;
    const text = groups === 1 ? (open ? "" : "no credit") : `${open}/${groups}`;
    const name = `Link ${link}, position ${position}: ${open} of ${groups} groups have a credit, ${requests} have a cell to send`;
    if (text && ports <= 8) group.append(s("g", {}, s("title", {}, name),
      s("text", { x: at, y: portY(position) - 8, class: open < groups ? "credit short" : "credit", "font-size": 10 }, text)));
  }));
  // Cells of a buffer side by side, buffers of the groups of a port below each other.
  const at = new Map<number, [number, number]>();
  const rows = new Map<string, number>();
  const size = ports <= 4 ? 22 : ports <= 8 ? 17 : 12;
  const tokens: SVGElement[] = [];
  const boxes = new Map<string, string>();
  fabric.buffers.forEach((buffer, index) => {
    const radix = fabric.stages[buffer.stage]?.radix ?? 2;
    const position = buffer.element * radix + buffer.port;
    const place = `${buffer.stage} ${buffer.side} ${position}`;
    const row = rows.get(place) ?? 0;
    rows.set(place, row + 1);
    const most = Math.max(1, Math.floor((lane - 14) / (size + 2)));
    const across = Math.floor(row / most);
    const y = portY(position) - lane / 2 + 9 + (row % most) * (size + 2);
    const step = (size + 8) * across;
    const x = buffer.side === "input" ? stageX(buffer.stage) + 5 + step : stageX(buffer.stage) + box - size - 11 - step;
    at.set(index, [x + size / 2 + 3, y + size / 2]);
    const blocked = buffer.for !== undefined && waiting;
    const kind = dead.has(index) ? "dead" : blocked ? "blocked" : "";
    if (ports <= 8) tokens.push(tokenOf(buffer, x, y, size, kind));
    else {
      // Many buffers: their squares are one path of each kind, which is drawn in a fraction of the time.
      boxes.set(kind, `${boxes.get(kind) ?? ""}M${x},${y}h${size + 6}v${size}h${-size - 6}z`);
      tokens.push(s("text", { x: x + size / 2 + 3, y: y + size / 2 }, String(buffer.cells[0]?.[1] ?? "")));
    }
  });
  if (waiting) {
    fabric.buffers.forEach((buffer, index) => {
      const [x, y] = at.get(index) as [number, number];
      for (const other of buffer.for ?? []) {
        const [tx, ty] = at.get(other) ?? [x, y];
        const bend = Math.abs(tx - x) < 30 ? 34 : 0;
        // From edge to edge, so that the heads are beside the buffers.
        const long = Math.max(1, Math.hypot(tx - x, ty - y));
        const short = Math.min(size * 0.9, long * 0.4);
        const [ex, ey] = [tx - ((tx - x) / long) * short, ty - ((ty - y) / long) * short];
        group.append(s("path", {
          d: `M${x},${y}Q${(x + tx) / 2 - bend},${(y + ty) / 2 - 14} ${ex},${ey}`,
          class: dead.has(index) ? "wait dead" : "wait", "marker-end": dead.has(index) ? "url(#head-dead)" : "url(#head)",
        }));
      }
    });
    group.prepend(marker("head", "wait-head"), marker("head-dead", "wait-head dead"));
  }
  if (ports <= 8) group.append(...tokens);
  else group.append(...[...boxes].map(([kind, d]) => s("path", { d, class: `boxes ${kind}` })), s("g", { class: "held", "font-size": size * 0.62 }, ...tokens));
  return { group, width, height };
}

export function marker(id: string, kind: string): SVGElement {
  return s("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" },
    s("path", { d: "M0,0L8,4L0,8z", class: kind }));
}

function token(x: number, y: number, text: string, kind: string): SVGElement {
  return s("g", { class: `held ${kind}` }, s("rect", { x, y, width: 28, height: 18, rx: 3 }), s("text", { x: x + 14, y: y + 9, "font-size": 11 }, text));
}

/** A buffer: its first cell with the output that it is for, and how many more there are. */
function tokenOf(buffer: Buffer, x: number, y: number, size: number, kind: string): SVGElement {
  const [first] = buffer.cells;
  const cells = buffer.cells.map(([input, output, born]) => `${input}→${output} of slot ${born}`).join(", ");
  const more = buffer.cells.length > 1 ? `+${buffer.cells.length - 1}` : "";
  return s("g", { class: `held ${kind}` }, s("title", {}, `${placeOf(buffer)}: ${cells}`),
    s("rect", { x, y, width: size + 6, height: size, rx: 3 }),
    s("text", { x: x + size / 2 + 3, y: y + size / 2, "font-size": size * 0.62 }, `${first?.[1] ?? ""}${more}`));
}
