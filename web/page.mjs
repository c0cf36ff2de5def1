// Writes web/explorer.html: the page, its styles, its scripts and the module in one file.
// Called by web/build with the path of the module.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { sources } from "./sources.mjs";

const web = dirname(fileURLToPath(import.meta.url));
const [modulePath, out = join(web, "explorer.html")] = process.argv.slice(2);

async function bundle(entry, define = {}) {
  const result = await build({
    entryPoints: [join(web, "src", entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
    charset: "utf8", define, legalComments: "none",
  });
  // A script in a page ends at the first end tag in it, whatever that is part of.
  return result.outputFiles[0].text.trim().replaceAll("</", "<\\/");
}

const worker = await bundle("worker.ts");
const page = await bundle("main.ts", { WORKER: JSON.stringify(worker) });
const style = (await build({ entryPoints: [join(web, "src/style.css")], minify: true, write: false })).outputFiles[0].text.trim();
const module = gzipSync(readFileSync(modulePath), { level: 9 }).toString("base64");
const parts = { "@SOURCES@": sources(), "@STYLE@": style, "@MODULE@": module, "@PAGE@": page };
const html = readFileSync(join(web, "src/page.html"), "utf8").replace(/@[A-Z]+@/g, name => parts[name]);
writeFileSync(out, html);
console.log(`${out}: ${html.length} bytes, module ${module.length}, scripts ${page.length}`);
