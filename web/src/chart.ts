// A line chart, by hand.

import { s } from "./dom";

export interface Line { name: string; colour: number; points: [number, number][] }

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 250, 52, 118, 30, 34];

/** A step of 1, 2 or 5 times a power of ten, for about `count` ticks. */
export function tickStep(range: number, count: number): number {
  const raw = Math.max(range, 1e-9) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5, 10].find(factor => factor * power >= raw) ?? 10) * power;
}

const short = (value: number) =>
  value >= 1e6 ? `${+(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${+(value / 1e3).toFixed(1)}k` : String(+value.toPrecision(4));

export function chart(title: string, lines: Line[], slots: number): SVGElement {
  const most = Math.max(1e-9, ...lines.flatMap(line => line.points.map(point => point[1])));
  const step = tickStep(most, 4);
  const top = Math.ceil(most / step) * step;
  const end = Math.max(slots, 1);
  const x = (slot: number) => LEFT + (slot / end) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const last = lines.map(line => `${line.name} ${short(line.points.at(-1)?.[1] ?? 0)}`).join(", ");
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": `${title} after ${slots} slots: ${last}` },
    s("text", { x: 4, y: 16, class: "chart-title" }, title));
  for (let value = 0; value <= top + step / 2; value += step) {
    svg.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "grid" }),
      s("text", { x: LEFT - 6, y: y(value), class: "tick end" }, short(value)));
  }
  const across = tickStep(end, 4);
  for (let slot = 0; slot <= end; slot += across) {
    svg.append(s("text", { x: x(slot), y: HEIGHT - BOTTOM + 16, class: "tick middle" }, short(slot)));
  }
  svg.append(s("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, class: "tick end" }, "slots"));
  // Names at the ends of the lines, apart from each other.
  const ends = lines.map(line => ({ line, at: y(line.points.at(-1)?.[1] ?? 0) })).sort((a, b) => a.at - b.at);
  ends.forEach((one, index) => {
    const above = ends[index - 1];
    if (above) one.at = Math.max(one.at, above.at + 15);
  });
  const over = (ends.at(-1)?.at ?? 0) - (HEIGHT - BOTTOM);
  if (over > 0) for (const one of ends) one.at -= over;
  for (const { line, at } of ends) {
    const d = line.points.map(([slot, value], index) => `${index === 0 ? "M" : "L"}${x(slot).toFixed(1)},${y(value).toFixed(1)}`).join("");
    svg.append(s("path", { d, class: `line colour-${line.colour}` }),
      s("text", { x: WIDTH - RIGHT + 8, y: at, class: `line-name colour-${line.colour}` },
        line.name.length > 15 ? `${line.name.slice(0, 14)}…` : line.name));
  }
  return svg;
}
