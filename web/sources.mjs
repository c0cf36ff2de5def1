// The hash of all that explorer.html is made of. crates/switchlab-web/tests/built.rs computes the
// same without node; whoever changes one changes the other.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const FOLDERS = ["crates/switchlab-core/src", "crates/switchlab-statistics/src", "crates/switchlab-web/src", "web/src"];
const FILES = ["web/build", "web/package-lock.json", "web/page.mjs"];

/** Files below a folder, but for unit tests that are files of their own. */
function below(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "tests" ? [] : below(path);
    return entry.name === "tests.rs" ? [] : [path];
  });
}

export function sources() {
  const hash = createHash("sha256");
  for (const path of [...FOLDERS.flatMap(below), ...FILES].sort()) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\n${bytes.length}\n`);
    hash.update(bytes);
  }
  return hash.digest("hex");
}
