// The picture as SVG, the trace as CSV, and files that are dropped.

import { h } from "./dom";

/** A picture that stands alone: with the styles that it has on the page. */
export function standalone(svg: SVGElement): string {
  const copy = svg.cloneNode(true) as SVGElement;
  const properties = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
    "font-size", "font-weight", "font-family", "text-anchor", "dominant-baseline", "visibility"];
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    const target = to[index] as SVGElement;
    target.setAttribute("style", properties.map(name => `${name}:${style.getPropertyValue(name)}`).join(";"));
    target.removeAttribute("class");
  });
  const box = (svg.getAttribute("viewBox") ?? "0 0 100 100").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box[2] as string);
  copy.setAttribute("height", box[3] as string);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/** What a dropped file is, and how many ports it needs; or what is wrong. */
export function recognise(text: string): { kind: "matrix" | "trace"; ports: number } | { error: string } {
  const lines = text.split(/\r?\n/).map(line => line.trim()).filter(line => line !== "");
  if (lines.length === 0) return { error: "The file is empty." };
  let most = 0;
  if (/^slot,input,output(,|$)/.test(lines[0] as string)) {
    for (const line of lines.slice(1)) {
      const [, input, output] = line.split(",").map(Number);
      most = Math.max(most, input ?? NaN, output ?? NaN);
    }
    if (!Number.isInteger(most) || most > 63) return { error: "A trace here has ports from 0 to 63, and each line is slot,input,output." };
    return { kind: "trace", ports: Math.max(2, most + 1) };
  }
  const square = lines.every(line => line.split(",").length === lines.length && line.split(",").every(word => /^\s*[\d.eE+-]+\s*$/.test(word)));
  if (square && lines.length >= 2 && lines.length <= 64) return { kind: "matrix", ports: lines.length };
  return { error: "The file is neither a trace with the header slot,input,output nor a matrix of 2 to 64 lines with as many rates each." };
}

/** The largest file that is read. */
export const MOST_BYTES = 20_000_000;

export function filePicker(use: (file: File) => void): HTMLElement {
  const input = h("input", { type: "file", accept: ".csv,text/csv,text/plain", id: "file-input" });
  input.addEventListener("change", () => {
    if (input.files?.[0]) use(input.files[0]);
    input.value = "";
  });
  return h("div", { class: "field" }, h("label", { for: "file-input" }, "Open a trace or a matrix, or drop it onto the page"), input);
}
