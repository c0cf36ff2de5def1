// A round-robin pointer as a hand on a dial.

import { Dial } from "./frames";
import { s } from "./dom";

/** Draws the dial of a port. The hand points at one of `ports` ticks, 0 at the top, clockwise. */
export function drawDial(dial: Dial, ports: number, x: number, y: number, radius: number, label: string): SVGElement {
  const angle = (port: number) => (port / ports) * 2 * Math.PI - Math.PI / 2;
  const at = (port: number, share: number) =>
    [x + Math.cos(angle(port)) * radius * share, y + Math.sin(angle(port)) * radius * share] as const;
  const ticks = ports > 32 ? "" : Array.from({ length: ports }, (_, port) => {
    const [x1, y1] = at(port, 0.78);
    const [x2, y2] = at(port, 0.96);
    return `M${x1.toFixed(1)},${y1.toFixed(1)}L${x2.toFixed(1)},${y2.toFixed(1)}`;
  }).join("");
  const [hx, hy] = at(dial.at, 0.72);
  const group = s("g", { class: dial.moved ? "dial moved" : "dial" },
    s("title", {}, dial.moved ? `${label} has moved from ${dial.before} to ${dial.at}` : `${label} is at ${dial.at}`),
    s("circle", { cx: x, cy: y, r: radius, class: "face" }),
    s("path", { d: ticks, class: "ticks" }));
  if (dial.moved) {
    const [bx, by] = at(dial.before, 0.72);
    group.append(s("line", { x1: x, y1: y, x2: bx, y2: by, class: "before" }));
  }
  group.append(s("line", { x1: x, y1: y, x2: hx, y2: hy, class: "hand" }), s("circle", { cx: x, cy: y, r: 1.6, class: "pin" }));
  return group;
}
