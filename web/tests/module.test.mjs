// The module: its departures are those of the native program, and no request makes it panic.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openModule, web } from "./module.mjs";
import { random } from "./random.mjs";

const module = await openModule();

test("departures are those of the native program", () => {
  const rows = readFileSync(process.env.LIST ?? join(web, "tests/departures.txt"), "utf8").split("\n").filter(line => line !== "" && !line.startsWith("#"));
  const switches = new Map();
  for (const row of rows) {
    const [name, ports, traffic, arrivals, load, seed, slots, hash] = row.split(";");
    const request = `switch=${name}\nports=${ports}\ntraffic=${traffic}\narrivals=${arrivals}\nload=${load}\nseed=${seed}\nadded=\nfile\n`;
    assert.equal(module.build(0, request).error, undefined, row);
    assert.equal(module.advance(0, Number(slots)).hash, hash, row);
    switches.set(name, (switches.get(name) ?? 0) + 1);
  }
  const complete = [...switches.values()].filter(settings => settings === 5).length;
  assert.ok(complete >= 15, `${complete} switches with five settings`);
  for (const { name } of module.list().switches) assert.ok(switches.has(name), `${name} is offered, and held to nothing`);
});

test("a slot that is told is the slot that is run", () => {
  for (const { name } of module.list().switches) {
    const request = `switch=${name}\nports=4\nload=0.8`;
    if (module.build(0, request).error) continue;
    module.build(1, request);
    for (let slot = 0; slot < 60; slot += 1) {
      const told = module.slot(0);
      assert.equal(told.slot, slot, name);
      const run = module.advance(1, 1);
      assert.equal(told.hash, run.hash, `${name}, slot ${slot}`);
      const before = told.inside.reduce((sum, cells) => sum + cells, 0);
      const out = told.departures.filter(cell => cell.input >= 0).length + told.dropped.length;
      assert.equal(before - out, told.backlog, `${name}, slot ${slot}: cells are conserved`);
    }
  }
});

test("an added cell arrives, and the trace has it", () => {
  const request = "switch=islip\nports=4\nload=0.5\nseed=3\nadded=2.1.3";
  module.build(0, request);
  const slots = [0, 1, 2, 3].map(() => module.slot(0));
  assert.equal(slots[2].arrivals[1], 3);
  const { csv } = module.trace(4, request);
  assert.ok(csv.includes("\n2,1,3\n"), csv);
  // The trace, dropped onto the page, gives the same run.
  module.build(1, `switch=islip\nports=4\ntraffic=trace(file=x)\nload=\nseed=3\nfile\n${csv}`);
  assert.deepEqual([0, 1, 2, 3].map(() => module.slot(1)), slots);
});

test("no request makes the module panic", () => {
  const draw = random(7);
  const names = module.list().switches.map(entry => entry.name);
  const pick = list => list[Math.floor(draw() * list.length)];
  const noise = () => String.fromCharCode(...Array.from({ length: Math.floor(draw() * 12) }, () => Math.floor(draw() * 0x3000)));
  let refused = 0;
  for (let count = 0; count < 2000; count += 1) {
    const spec = pick([pick(names), `${pick(names)}(${noise()})`, `${pick(names)}(iterations=${Math.floor(draw() * 1e6)})`, noise(), ""]);
    const lines = [
      `switch=${spec}`, `ports=${pick([0, 1, 2, 3, 7, 8, 64, 65, 5000, noise()])}`,
      `traffic=${pick(["uniform", "chang", "hotspot(count=9)", "asymmetric", "trace(file=x)", "matrix(file=x)", "unbalanced(w=2)", noise()])}`,
      `arrivals=${pick(["bernoulli", "onoff(mean=0.001)", "bursty(mean=1)", noise()])}`,
      `load=${pick(["0", "1", "-1", "nan", "1e308", "", "0.9", noise()])}`, `seed=${pick(["0", "18446744073709551615", "-1", noise()])}`,
      `added=${pick(["", "0.0.0", "1.63.63", "9.9", noise()])}`, noise(), "file",
      pick(["slot,input,output\n0,0,0\n1,1,1", "0.5,0.5\n0.5,0.5", noise(), "slot,input,output\n0,0,0\n0,0,0"]),
    ];
    const answer = module.build(0, lines.filter(line => draw() < 0.97).join("\n"));
    if (answer.error === undefined) {
      module.advance(0, 30);
      module.slot(0);
    } else {
      assert.ok(answer.error.length > 5);
      refused += 1;
    }
  }
  assert.ok(refused > 500, String(refused));
});
