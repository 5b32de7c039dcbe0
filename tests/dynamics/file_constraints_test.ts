// Atoms that a file fixes stay where they are in every engine, and what no engine can hold is said.
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { Batch, initVelocities, type System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { parseRunLog, report, runLog } from "../../src/config/runs/mod.ts";
import {
  Dynamics,
  FIRE,
  fireRelaxer,
  fuse,
  type Integrator,
  langevin,
  LBFGS,
  NVE,
  SizeAwareSampler,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { Reporter } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertSameBits, bitsOf, crystals } from "./atoms.ts";
import { BACKENDS, on, where } from "./backends.ts";

const SCHEMES: readonly (() => Integrator)[] = [
  () => velocityVerlet({ dt: 2 }),
  () => langevin({ dt: 2, temperature: 60, friction: 0.05, seed: 1 }),
  () => fireRelaxer({ dt: 0.5 }),
];

/** A crystal as a file brings it: with the flags of its first atoms, `undefined` for a file that fixes none. */
function fromFile(flags: readonly string[] | undefined, seed = 1): System {
  const [system] = crystals(1).systems();
  const text = writeExtxyz(initialized(system!, seed));
  if (flags === undefined) return parseExtxyz(text)[0]!;
  const width = flags[0]!.split(" ").length;
  const moves = Array(width).fill("T").join(" ");
  const lines = text.trimEnd().split("\n").map((line, i) => {
    if (i === 0) return line;
    if (i === 1) return line.replace(/Properties=\S+/, `$&:move_mask:L:${width}`);
    return `${line} ${flags[i - 2] ?? moves}`;
  });
  return parseExtxyz(lines.join("\n") + "\n")[0]!;
}

function initialized(system: System, seed: number): System {
  const batch = Batch.from([system]);
  initVelocities(batch, 40, { seed });
  return batch.system(0);
}

Deno.test(
  "atoms that a file fixes do not move by a bit under any scheme, coordinates likewise, and the others do",
  on(BACKENDS, async (backend) => {
    for (const scheme of SCHEMES) {
      for (const [flags, fixed] of [[["F", "F"], [0, 1, 2, 3, 4, 5]], [["T T F"], [2]]] as const) {
        const batch = Batch.from([fromFile(flags)]), before = batch.get("positions").slice();
        await using md = new Dynamics(scheme(), { model: ARGON, ...where(backend) });
        await md.run(batch, 10);
        for (const [i, x] of batch.get("positions").entries()) {
          assertEquals(x === before[i], (fixed as readonly number[]).includes(i), `${i}`);
        }
      }
    }
  }),
);

Deno.test("fileConstraints: false ignores what a file fixes, and nothing else is accepted", async () => {
  const batch = Batch.from([fromFile(["F"])]), before = batch.get("positions").slice();
  await using md = new NVE({ model: ARGON, dt: 2, fileConstraints: false });
  await md.run(batch, 5);
  assert(batch.get("positions").every((x, i) => x !== before[i]));
  assertEquals(md.constraints, []);
  assertThrows(
    () => new NVE({ model: ARGON, dt: 2, fileConstraints: "no" as never }),
    TypeError,
    'fileConstraints must be true or false; got "no"',
  );
});

Deno.test("a file that fixes nothing runs bitwise identically to one without a mask, alone and beside one that does", async () => {
  const run = async (systems: readonly System[]) => {
    const batch = Batch.from(systems);
    await using md = new NVE({ model: ARGON, dt: 2 });
    return [await md.run(batch, 20), md.constraints.map(({ name }) => name)] as const;
  };
  const [alone] = await run([fromFile(undefined)]);
  const [masked, none] = await run([fromFile(["T"])]);
  assertEquals(none, []);
  const [beside, some] = await run([fromFile(["F", "F"]), fromFile(undefined)]);
  assertEquals(some, ["move_mask (2 of 64 atoms)"]);
  for (const name of ["positions", "velocities"] as const) {
    assertEquals(masked.get(name), alone.get(name));
    assertEquals(beside.get(name).slice(96), alone.get(name));
  }
});

Deno.test("fused stages and L-BFGS hold what a file fixes; stages do not answer for themselves", async () => {
  const batch = Batch.from([fromFile(["F"])]), before = batch.get("positions").slice(0, 3);
  await using all = fuse(
    new LBFGS({ model: ARGON, nSteps: 5 }),
    new FIRE({ model: ARGON, dt: 0.5, nSteps: 5 }),
    new NVE({ model: ARGON, dt: 2, nSteps: 5 }),
  );
  await all.run(batch);
  assertEquals([...batch.get("status")], [3]);
  assertEquals(batch.get("positions").slice(0, 3), before);
  const own = new NVE({ model: ARGON, dt: 2, fileConstraints: false });
  assertThrows(() => fuse(own), TypeError, "fileConstraints of NVE applies to all stages");
});

Deno.test("a stream holds the fixed atoms of each of its systems, in any batch", async () => {
  const flags = [undefined, undefined, ["F", "F"], ["T", "F"], undefined, ["T"]];
  const systems = flags.map((flags, i) => fromFile(flags, i + 1));
  await using md = new NVE({ model: ARGON, dt: 2, nSteps: 6 });
  const sink = new MemorySink();
  await md.stream(new SizeAwareSampler(systems, { maxSystems: 2 }), { sinks: [sink], maxSteps: 6 });
  const done = sink.read();
  assertEquals(done.size, 6);
  for (const [i, place] of Array.from(done.get("sourceId"), (id, place) => [id, place])) {
    await using alone = new NVE({ model: ARGON, dt: 2 });
    const batch = await alone.run(Batch.from([systems[i!]!]), 6);
    const now = done.system(place!).get("positions");
    assertEquals(now, batch.get("positions"), `${i}`);
    const isFixed = (k: number) => flags[i!]?.[Math.floor(k / 3)] === "F";
    assert(now.every((x, k) => (x === systems[i!]!.get("positions")[k]) === isFixed(k)), `${i}`);
  }
});

Deno.test("a mask that has changed holds from the next run on, and a checkpoint goes on under the old one", async () => {
  const batch = Batch.from([fromFile(["F"])]), before = batch.get("positions").slice(0, 3);
  await using md = new NVE({ model: ARGON, dt: 2 });
  await md.run(batch, 5);
  const saved = await md.save();
  await md.run(batch, 5);
  assertEquals(batch.get("positions").slice(0, 3), before);
  await using other = new NVE({ model: ARGON, dt: 2 });
  const resumed = await other.load(saved);
  await other.run(resumed, 5);
  assertSameBits(bitsOf(resumed), bitsOf(batch), "resumed");
  batch.set("move_mask", new Uint8Array(32).fill(1));
  await md.run(batch, 5);
  assert(batch.get("positions").slice(0, 3).every((x, i) => x !== before[i]));
});

Deno.test("a constraint that no engine knows is warned of once, with its system", async () => {
  const warnings: HookWarning[] = [];
  const kwargs = { a1: 0, a2: 1, bondlength: 2 };
  const constraints = [{ name: "FixBondLength", kwargs }];
  const [plain] = crystals(1).systems();
  const odd = { ...inputOf(plain!), info: { constraints, label: "pair" } };
  await using md = new NVE({ model: ARGON, dt: 2, onWarning: (one) => void warnings.push(one) });
  await md.run(Batch.from([plain!, odd]), 2);
  await md.run(Batch.from([odd]), 2);
  assertEquals(warnings.length, 1);
  assertMatch(String(warnings[0]!.error), /FixBondLength of system 1 \(pair\) is ignored/);
  await using quiet = new NVE({
    model: ARGON,
    dt: 2,
    fileConstraints: false,
    onWarning: (one) => void warnings.push(one),
  });
  await quiet.run(Batch.from([odd]), 2);
  assertEquals(warnings.length, 1);
});

function inputOf(system: System) {
  const { symbols, positions, cell, pbc } = system;
  return { symbols, positions, cell, pbc };
}

Deno.test("run log and report list the constraints, those of the file included", async () => {
  let log = "";
  await using md = new NVE({ model: ARGON, dt: 2 });
  md.hooks.add(runLog({ write: (line) => void (log += line) }));
  await md.run(Batch.from([fromFile(["F", "F"])]), 2);
  await md.close();
  const { history } = new Reporter({ reporters: [], scalars: {} });
  const run = { name: "a run", records: parseRunLog(log), history };
  const text = await report(run, { format: "markdown" });
  assertStringIncludes(text, "| constraints | move\\_mask (2 of 32 atoms) |");
  const bad = log.replace('["move_mask (2 of 32 atoms)"]', "7");
  assertThrows(() => parseRunLog(bad), SyntaxError, "constraints");
});
