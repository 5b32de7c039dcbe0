/** L-BFGS as an engine: where it ends, in how many steps, and what it keeps of each system. */
import { assert, assertEquals, assertLess, assertNotEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  FIRE,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  LBFGS,
  type LBFGSOptions,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { type Model, potential } from "../../src/models/mod.ts";
import { ARGON, argon, assertNear, assertSameBits, bitsOf, spring } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

/** Crystals of many sizes, rattled by more and more. */
function ragged(): Batch {
  return Batch.from([argon(2, 0, 0.05), argon(1, 1, 0.1), argon(3, 2, 0.2), argon(2, 3, 0.3)]);
}

function engineOf(options: LBFGSOptions, backend: EngineBackend, fmax = 1e-3) {
  return new LBFGS({
    ...options,
    model: ARGON,
    ...where(backend),
    hooks: [ConvergenceHook.fromFmax(fmax)],
  });
}

Deno.test(
  "L-BFGS relaxes crystals to where FIRE does, in less than a third of the steps",
  onEngines(async (backend) => {
    const expected = ragged();
    await using slow = new FIRE({
      model: ARGON,
      dt: 0.63,
      dtMax: 6.3,
      ...where(backend),
      hooks: [ConvergenceHook.fromFmax(1e-3)],
    });
    await slow.run(expected, 1000);
    for (const options of [{}, { lineSearch: true }, { memory: 1 }, { memory: 50 }]) {
      const batch = ragged();
      await using opt = engineOf(options, backend);
      await opt.run(batch, 1000);
      assertEquals([...batch.get("status")], [1, 1, 1, 1]);
      assertNear(batch.get("energy"), expected.get("energy"), 2e-5);
      for (const [s, steps] of batch.get("stepsDone").entries()) {
        assertLess(3 * steps, expected.get("stepsDone")[s]!, JSON.stringify(options));
      }
    }
  }),
);

Deno.test(
  "no atom goes further than maxStep in a step, which each system has for itself",
  onEngines(async (backend) => {
    const batch = Batch.from([argon(2, 1, 0.4), argon(2, 2, 0.4)]);
    const limits = [0.05, 0.2];
    await using opt = engineOf({ maxStep: limits, curvature: 1 }, backend);
    const most = [0, 0];
    let before = batch.get("positions").slice();
    for (let step = 0; step < 12; step++) {
      await opt.step(batch);
      const now = batch.get("positions");
      for (let k = 0; k < now.length; k += 3) {
        const far = Math.hypot(...[0, 1, 2].map((i) => now[k + i]! - before[k + i]!));
        const s = batch.systemOfNode[k / 3]!;
        most[s] = Math.max(most[s]!, far);
      }
      before = now.slice();
    }
    assertNear(most, limits, 1e-4);
  }),
);

Deno.test(
  "a finished system keeps its history bitwise identical while others go on",
  onEngines(async (backend) => {
    const batch = Batch.from([argon(2, 0, 0.003), argon(2, 2, 0.3)]);
    await using opt = engineOf({}, backend, 0.02);
    const seen: number[][] = [];
    opt.hooks.add(hook({
      name: "watch",
      on: { dynamics: { ON_CONVERGE: (ctx) => void seen.push(Array.from(ctx.convergedMask)) } },
    }));
    for (let i = 0; i < 100 && seen.length === 0; i++) await opt.step(batch);
    assertEquals(seen, [[1, 0]]);
    const kept = async (place: number) => {
      const { states } = (await opt.save()).resident;
      const names = ["lbfgsHistory", "lbfgsMemory", "lbfgsCounts"];
      return names.map((name) => {
        const all = Array.from(states[name]!), half = all.length / 2;
        return all.slice(half * place, half * (place + 1));
      });
    };
    const [before, others] = [await kept(0), await kept(1)];
    assertEquals(before[2]![2], 1);
    await opt.run(batch, 3);
    assertEquals(await kept(0), before);
    assertNotEquals(await kept(1), others);
  }),
);

Deno.test(
  "L-BFGS that is saved in mid-run goes on to the same bits, in a line search too",
  onEngines(async (backend) => {
    for (const options of [{}, { lineSearch: true, curvature: 0.5, maxStep: 1 }]) {
      const whole = ragged();
      await using one = engineOf(options, backend);
      await one.run(whole, 14);
      for (const at of [1, 6]) {
        let parts = ragged();
        await using first = engineOf(options, backend);
        await first.run(parts, at);
        await using second = engineOf(options, backend);
        parts = await second.load(structuredClone(await first.save()));
        await second.run(parts, 14 - at);
        assertSameBits(bitsOf(parts), bitsOf(whole), JSON.stringify(options));
      }
    }
  }),
);

/** Two wells side by side, and a wall that rises ever more steeply: what steps by curvature alone overshoot. */
const WELLS: Model = potential(({ positions, forces }) => {
  let energy = 0;
  for (let k = 0; k < positions.length; k += 3) {
    const x = positions[k]!;
    energy += 0.25 * x ** 4 - 0.5 * x * x;
    forces[k]! -= x ** 3 - x;
  }
  return energy;
}, { name: "two wells" });

Deno.test(
  "with a line search a step that does not lower the energy is taken back, and no evaluation more is made than steps",
  onEngines(async (backend) => {
    const end = async (lineSearch: boolean) => {
      const batch = Batch.from([argon(1, 0)]);
      batch.set("positions", batch.get("positions").map((_, k) => k % 3 === 0 ? 0.1 + k / 100 : 0));
      await using opt = new LBFGS({
        model: WELLS,
        lineSearch,
        curvature: 0.05,
        maxStep: 5,
        ...where(backend),
        hooks: [ConvergenceHook.fromFmax(1e-3)],
      });
      const energies: number[] = [];
      opt.hooks.add(hook({
        name: "energies",
        frequency: 1,
        reads: ["energy"],
        on: { dynamics: { AFTER_STEP: ({ read }) => void energies.push(read.energy[0]!) } },
      }));
      await opt.run(batch, 100);
      return { energies, status: batch.get("status")[0], steps: opt.stepCount };
    };
    const { energies, status, steps } = await end(true);
    assertEquals(status, 1);
    assertEquals(energies.length, steps);
    assertLess(steps, 40);
    // Once it goes down it stays down: what rose is left at the next step.
    let low = Infinity;
    for (const [i, energy] of energies.entries()) {
      if (energy > low + 1e-6 && i + 1 < energies.length) {
        assertLess(energies[i + 1]!, energy, `step ${i} is taken back`);
      }
      low = Math.min(low, energy);
    }
    assertNear([energies.at(-1)!], [4 * -0.25], 1e-4);
    assert((await end(false)).energies.some((energy) => energy > 1), "it goes astray without");
  }),
);

test(
  "where the host has moved atoms L-BFGS begins anew",
  onEnginesAndGpu(async (backend) => {
    for (const lineSearch of [false, true]) {
      const [moved, fresh] = [Batch.from([argon(2, 1)]), Batch.from([argon(2, 1)])];
      const elsewhere = argon(2, 5, 0.2).positions;
      await using opt = engineOf({ lineSearch }, backend);
      await opt.run(moved, 4);
      moved.set("positions", elsewhere);
      await opt.run(moved, 6);
      fresh.set("positions", elsewhere);
      await using other = engineOf({ lineSearch }, backend);
      await other.run(fresh, 6);
      assertNear(moved.get("positions"), fresh.get("positions"), 1e-5, 1);
      assertNear(moved.get("energy"), fresh.get("energy"), 1e-6);
    }
  }),
);

test("a line search needs energies of its model", async () => {
  const forcesOnly: Model = { ...spring(1), name: "forces only", gives: ["forces"] };
  await using opt = new LBFGS({ model: forcesOnly, lineSearch: true, device: "wasm" });
  const error = await assertRejects(() => opt.run(Batch.from([argon(1, 0)]), 1), TypeError);
  assertEquals(
    error.message,
    "Cannot run LBFGS: LBFGS needs a model that gives energy; got forces only, which gives forces",
  );
});

Deno.test(
  "L-BFGS keeps to constraints and ends where FIRE does, in a cell that relaxes too",
  onEngines(async (backend) => {
    const pairs = Array.from({ length: 8 }, (_, i) => [2 * i, 2 * i + 1] as const);
    const cases = [
      { constraints: [fixAtoms([0, 5, 9])] },
      { constraints: [fixAtoms([0, 5, 9])], cell: true },
      { constraints: [fixBonds(pairs)] },
      { constraints: [fixCenterOfMass()], cell: true },
    ];
    // In the fast suite all on wasm; elsewhere one.
    for (const options of backend === "wasm" ? cases : cases.slice(-1)) {
      const [batch, expected] = [Batch.from([argon(2, 3)]), Batch.from([argon(2, 3)])];
      const given = { ...options, model: ARGON, ...where(backend) };
      await using opt = new LBFGS({ ...given, hooks: [ConvergenceHook.fromFmax(5e-4)] });
      await opt.run(batch, 100);
      await using slow = new FIRE({ ...given, dt: 0.5, hooks: [ConvergenceHook.fromFmax(5e-4)] });
      await slow.run(expected, 1000);
      assertEquals([...batch.get("status"), ...expected.get("status")], [1, 1]);
      assertNear(batch.get("energy"), expected.get("energy"), 2e-5);
    }
  }),
);
