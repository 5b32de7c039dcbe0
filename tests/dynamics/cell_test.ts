/** Cells that relax, with each optimizer on each backend. */
import {
  assert,
  assertEquals,
  assertLess,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { Batch, type BuiltInName, fcc, System } from "../../src/batch/mod.ts";
import {
  type CellOptions,
  ConvergenceHook,
  Dynamics,
  fire2Relaxer,
  fireRelaxer,
  fuse,
  type Integrator,
  lbfgsRelaxer,
  NVE,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { AlignCellHook, WrapPeriodicHook } from "../../src/observe/mod.ts";
import { slowTest, test } from "../suite.ts";
import { ARGON, argon, assertNear, assertSameBits, bitsOf, evaluate } from "./atoms.ts";
import { BACKENDS, type EngineBackend, on, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";

/** The optimizers, with cells that relax in this way. */
const OPTIMIZERS: readonly ((cell: boolean | CellOptions) => Integrator)[] = [
  (cell) => fireRelaxer({ dt: 0.5, cell }),
  (cell) => fire2Relaxer({ dt: 0.05, tMax: 1, cell }),
  (cell) => lbfgsRelaxer({ cell }),
  (cell) => lbfgsRelaxer({ cell, lineSearch: true }),
];

/** All are tried on wasm, and one of them, another in each test, elsewhere. */
function optimizersOn(backend: EngineBackend, place: number): typeof OPTIMIZERS {
  return backend === "wasm" ? OPTIMIZERS : [OPTIMIZERS[place]!];
}

/** All values of a batch with cells, for bitwise comparison. */
const FIELDS: readonly BuiltInName[] = ["positions", "cell", "forces", "energy", "stepsDone"];

/**
 * Argon's crystal of 32 atoms in this potential, as ASE 3.29 relaxes it: `LBFGS(FrechetCellFilter(atoms,
 * scalar_pressure=P))` to fmax 1e-5, from a strained and rattled one. Å, eV.
 */
const ASE = {
  free: { edge: Math.cbrt(1170.0012609134515 / 8), energy: -2.4837736032460427 },
  pressed: { pressure: 0.01, edge: Math.cbrt(936.8439641063597 / 8), energy: -1.639741394597806 },
} as const;

const STRETCHED = [0.03, 0, 0, 0, 0.03, 0, 0, 0, 0.03];
/** Neither symmetric nor of one sign. */
const SKEWED = [0.03, 0.02, -0.01, 0, -0.03, 0.015, 0.01, 0, 0];

/** x (1 + ε), atoms and cell. */
function strained(system: System, strain: readonly number[]): System {
  const all = (rows: ArrayLike<number>) =>
    Array.from(rows, (x, i) => {
      const first = i - i % 3;
      return x + [0, 1, 2].reduce((sum, k) => sum + rows[first + k]! * strain[3 * k + i % 3]!, 0);
    });
  const { symbols, positions, cell, pbc } = system;
  return new System({ symbols, positions: all(positions), cell: all(cell!), pbc });
}

function engineOf(scheme: Integrator, backend: EngineBackend, fmax: number) {
  return new Dynamics(scheme, {
    model: ARGON,
    ...where(backend),
    hooks: [ConvergenceHook.fromFmax(fmax)],
  });
}

async function relax(scheme: Integrator, batch: Batch, backend: EngineBackend, fmax = 2e-5) {
  batch.ensure("stress");
  await using engine = engineOf(scheme, backend, fmax);
  await engine.run(batch, 1500);
  assert(batch.get("status").every((status) => status === 1), `${scheme.name} relaxes all`);
}

/** Edges and cosines of a cell. */
function shapeOf(cell: ArrayLike<number>): { edges: number[]; cosines: number[] } {
  const row = (k: number) => [cell[3 * k]!, cell[3 * k + 1]!, cell[3 * k + 2]!];
  const dot = (i: number, j: number) => row(i).reduce((sum, x, k) => sum + x * row(j)[k]!, 0);
  const edges = [0, 1, 2].map((k) => Math.sqrt(dot(k, k)));
  const cosines = [[0, 1], [0, 2], [1, 2]].map(([i, j]) => dot(i!, j!) / edges[i!]! / edges[j!]!);
  return { edges, cosines };
}

Deno.test(
  "a strained crystal returns to its lattice constant, its shape and its energy: those of ASE",
  onEngines(async (backend) => {
    for (const make of optimizersOn(backend, 0)) {
      const scheme = make(true);
      const batch = Batch.from([
        strained(argon(2, 3, 0.05), STRETCHED),
        strained(argon(2, 4, 0.05), SKEWED),
      ]);
      await relax(scheme, batch, backend);
      for (const [s, { cell }] of batch.systems().entries()) {
        const { edges, cosines } = shapeOf(cell!);
        // Argon is soft: forces of 2e-5 eV/Å are strains of some 1e-5.
        assertNear(edges, Array(3).fill(2 * ASE.free.edge), 5e-5);
        assertNear(cosines, [0, 0, 0], 5e-5, 1);
        assertNear([batch.get("energy")[s]!], [ASE.free.energy], 1e-6);
      }
      assertNear(batch.get("stress"), Array(18).fill(0), 2e-6, 1);
    }
  }),
);

Deno.test(
  "under pressure a crystal has the lattice constant of its equation of state, that of ASE, and a stress of -P",
  onEngines(async (backend) => {
    const { pressure, edge, energy } = ASE.pressed;
    // The least of E(a) + P a³, by looking.
    const enthalpies = async (edges: readonly number[]) => {
      const crystals = edges.map((a) => fcc({ element: "Ar", a, cells: 2 }));
      const { energy } = await evaluate(ARGON, crystals);
      return energy.map((e, i) => e + pressure * (2 * edges[i]!) ** 3);
    };
    let [low, high] = [4.7, 5.2];
    while (high - low > 1e-6) {
      const edges = Array.from({ length: 11 }, (_, i) => low + (high - low) * i / 10);
      const all = await enthalpies(edges), best = all.indexOf(Math.min(...all));
      [low, high] = [edges[best - 1]!, edges[best + 1]!];
    }
    assertNear([low], [edge], 2e-6);
    for (const make of optimizersOn(backend, 1)) {
      const scheme = make({ pressure: [0, pressure] });
      const batch = Batch.from([0, 1].map((seed) => strained(argon(2, seed, 0.03), SKEWED)));
      await relax(scheme, batch, backend);
      const [free, pressed] = batch.systems().map(({ cell }) => shapeOf(cell!).edges);
      assertNear(free!, Array(3).fill(2 * ASE.free.edge), 5e-5);
      assertNear(pressed!, Array(3).fill(2 * low), 5e-5);
      assertNear([batch.get("energy")[1]!], [energy], 1e-4);
      const diagonal = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      assertNear(batch.get("stress").slice(9), diagonal.map((one) => -pressure * one), 5e-6, 1);
    }
  }),
);

Deno.test(
  "the enthalpy never rises in a relaxation with a line search",
  onEngines(async (backend) => {
    const batch = Batch.from([strained(argon(2, 1, 0.2), SKEWED)]);
    batch.ensure("stress");
    const scheme = lbfgsRelaxer({ cell: { pressure: 0.02 }, lineSearch: true });
    await using engine = engineOf(scheme, backend, 1e-3);
    const seen: number[] = [];
    engine.hooks.add(hook({
      name: "enthalpy",
      frequency: 1,
      reads: ["energy", "cell"],
      on: {
        dynamics: {
          AFTER_STEP: ({ read: { energy, cell } }) => {
            const { edges, cosines: [a, b, c] } = shapeOf(cell);
            const skew = Math.sqrt(1 - a! ** 2 - b! ** 2 - c! ** 2 + 2 * a! * b! * c!);
            seen.push(energy[0]! + 0.02 * edges[0]! * edges[1]! * edges[2]! * skew);
          },
        },
      },
    }));
    await engine.run(batch, 300);
    assertEquals([...batch.get("status")], [1]);
    // Steps that went too far are taken back: what stays never rises.
    const kept = seen.filter((one, i) => i + 1 === seen.length || seen[i + 1]! <= one + 1e-5);
    assertLess(seen.length - kept.length, seen.length / 3);
    for (const [i, one] of kept.entries()) {
      if (i > 0) assertLess(one, kept[i - 1]! + 1e-5);
    }
  }),
);

slowTest(
  "a crystal whose atoms feel no force is not relaxed while its cell is strained",
  onEngines(async (backend) => {
    for (const make of OPTIMIZERS) {
      const crystal = () => Batch.from([fcc({ element: "Ar", a: 1.03 * ASE.free.edge, cells: 2 })]);
      const [fixed, free] = [crystal(), crystal()];
      await using still = engineOf(make(false), backend, 1e-3);
      await still.run(fixed, 10);
      assertEquals([...fixed.get("stepsDone")], [1]);
      assertEquals(fixed.get("cell"), crystal().get("cell"));
      await using engine = engineOf(make(true), backend, 1e-3);
      await engine.run(free, 500);
      assertLess(4, free.get("stepsDone")[0]!);
      assertEquals([...free.get("status")], [1]);
      assertNear([free.get("cell")[0]!], [2 * ASE.free.edge], 1e-3);
    }
  }),
);

test(
  "an isotropic cell keeps its shape",
  onEnginesAndGpu(async (backend) => {
    for (const make of optimizersOn(backend, 2)) {
      const begin = strained(argon(2, 3, 0.05), SKEWED);
      const batch = Batch.from([begin]);
      await relax(make({ isotropic: true }), batch, backend, 1e-4);
      const cell = batch.get("cell"), factor = cell[0]! / begin.cell![0]!;
      assertNear(cell, Array.from(begin.cell!, (x) => x * factor), 1e-6, 1);
      const { stress } = await evaluate(ARGON, batch);
      assertNear([stress[0]! + stress[4]! + stress[8]!], [0], 5e-6, 1);
      assertLess(1e-4, Math.abs(stress[0]!));
    }
  }),
);

Deno.test(
  "cells relax along their periodic directions only, and what has none relaxes by its atoms alone",
  onEngines(async (backend) => {
    const layer = strained(argon(2, 1, 0.02), STRETCHED);
    const { symbols, positions, cell } = layer;
    const tall = [...cell!.slice(0, 6), 0, 0, 40];
    for (const make of optimizersOn(backend, 3)) {
      const batch = Batch.from([
        new System({ symbols, positions, cell: tall, pbc: [true, true, false] }),
        new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 4.2, 0, 0] }),
      ]);
      await relax(make(true), batch, backend, 1e-4);
      const [slab, pair] = batch.systems();
      const h = slab!.cell!;
      assertNear(h.slice(6), [0, 0, 40], 1e-6, 1);
      assertNear([h[2]!, h[5]!], [0, 0], 1e-6, 1);
      assertLess(h[0]!, 10.6);
      assertNear([slab!.get("stress")[0]!, slab!.get("stress")[4]!], [0, 0], 1e-5, 1);
      assertEquals([...pair!.cell ?? new Float64Array(9)], new Array(9).fill(0));
      const x = pair!.positions;
      assertNear(
        [Math.hypot(x[3]! - x[0]!, x[4]! - x[1]!, x[5]! - x[2]!)],
        [3.4 * 2 ** (1 / 6)],
        1e-3,
      );
    }
  }),
);

test("a pressure on what has no volume is refused, naming the system", async () => {
  const batch = Batch.from([
    argon(2, 1),
    new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 4.2, 0, 0] }),
  ]);
  await using engine = engineOf(lbfgsRelaxer({ cell: { pressure: 0.01 } }), "wasm", 1e-3);
  const error = await assertRejects(() => engine.run(batch, 3), RangeError);
  assertEquals(
    error.message,
    "Cannot run LBFGS under pressure: pbc of system 1 must be true in all three directions; " +
      "got false, false, false",
  );
});

test("options of cells are checked by each optimizer", () => {
  for (const make of OPTIMIZERS) {
    const refuses = (cell: unknown, error: ErrorConstructor, message: string) =>
      assertThrows(() => make(cell as CellOptions), error, message);
    refuses(3, TypeError, "cell must be a boolean or an object");
    refuses({ presure: 1 }, TypeError, "did you mean pressure?");
    refuses(
      { pressure: NaN },
      RangeError,
      "from -10 to 10 eV/Å³ (write 100 bar as 100 * BAR); got NaN",
    );
    refuses({ isotropic: 1 }, TypeError, "isotropic must be a boolean");
  }
});

Deno.test(
  "in a run of stages a cell counts in those that relax it alone, each at its own pressure",
  onEngines(async (backend) => {
    const { pressure, edge } = ASE.pressed;
    // Not rattled: no atom feels a force.
    const begin = [1.03, 0.98].map((by) => fcc({ element: "Ar", a: by * ASE.free.edge, cells: 2 }));
    const run = async (systems: readonly System[], steps: readonly number[]) => {
      const batch = Batch.from(systems), left: number[] = [], sizes: number[] = [];
      await using all = fuse(
        engineOf(fireRelaxer({ dt: 0.5 }), backend, 1e-3),
        engineOf(lbfgsRelaxer({ cell: { pressure } }), backend, 2e-5),
        engineOf(fire2Relaxer({ dt: 0.05, tMax: 1, cell: true }), backend, 2e-5),
      );
      all.stages[1]!.hooks.add(hook({
        name: "left",
        sync: true,
        reads: ["cell", "fmax"],
        on: {
          dynamics: {
            ON_CONVERGE: ({ convergedMask, read: { cell, fmax } }) => {
              for (let s = 0; s < convergedMask.length; s++) {
                if (convergedMask[s] === 0) continue;
                left.push(cell[9 * s]!);
                sizes.push(fmax[s]!);
              }
            },
          },
        },
      }));
      for (const count of steps) await all.run(batch, count);
      assert(batch.get("status").every((status) => status === 3));
      assertNear(left, left.map(() => 2 * edge), 5e-5);
      for (const size of sizes) assertLess(size, 2e-5);
      assertEquals(left.length, systems.length);
      return batch;
    };
    const both = await run(begin, [1500]);
    for (const { cell } of both.systems()) {
      assertNear(shapeOf(cell!).edges, Array(3).fill(2 * ASE.free.edge), 5e-5);
    }
    const steps = both.get("stageSteps");
    assertEquals([steps[0], steps[3]], [1, 1]); // nothing to be done without the cell
    const alone = await run(begin.slice(1), [2, 9, 1500]);
    assertSameBits(bitsOf(alone, 0, FIELDS), bitsOf(both, 1, FIELDS));
  }),
);

/** Of three crystals strained in their own ways. */
function three(): System[] {
  return [1, 2, 3].map((seed) => strained(argon(2, seed, 0.05), SKEWED.map((e) => e * seed / 2)));
}

Deno.test(
  "a cell that relaxes has the same bits alone, in any place, in parts and after a resume",
  onEngines(async (backend) => {
    for (const make of optimizersOn(backend, 0)) {
      const run = async (systems: Batch | readonly System[], ...parts: readonly number[]) => {
        let batch = Batch.from(systems);
        let engine = engineOf(make({ pressure: 0.001 }), backend, 1e-3);
        for (const [i, steps] of parts.entries()) {
          if (i > 0) {
            const saved = structuredClone(await engine.save());
            await engine.close();
            engine = engineOf(make({ pressure: 0.001 }), backend, 1e-3);
            batch = await engine.load(saved);
          }
          await engine.run(batch, steps);
        }
        await engine.close();
        return batch;
      };
      const all = Batch.from(three());
      const [first, , last] = all.systems();
      const whole = await run(all, 25);
      const parts = await run(all, 3, 9, 13);
      assertSameBits(bitsOf(parts, undefined, FIELDS), bitsOf(whole, undefined, FIELDS));
      const alone = await run([last!], 25), turned = await run([last!, first!], 25);
      assertSameBits(bitsOf(alone, 0, FIELDS), bitsOf(whole, 2, FIELDS), "alone");
      assertSameBits(bitsOf(turned, 0, FIELDS), bitsOf(whole, 2, FIELDS), "elsewhere");
    }
  }),
);

Deno.test(
  "a relaxed cell stays bitwise identical while others relax, and goes on from a cell that the user sets",
  onEngines(async (backend) => {
    for (const make of optimizersOn(backend, 1)) {
      const nearly = fcc({ element: "Ar", a: ASE.free.edge, cells: 2 });
      const batch = Batch.from([nearly, strained(argon(2, 1), SKEWED)]);
      await using engine = engineOf(make(true), backend, 1e-3);
      await engine.run(batch, 2);
      assertEquals([...batch.get("status")], [1, 0]);
      const before = bitsOf(batch, 0, FIELDS);
      await engine.run(batch, 10);
      assertSameBits(bitsOf(batch, 0, FIELDS), before);
      batch.set("cell", batch.get("cell").map((x, k) => k < 9 ? 1.02 * x : x));
      batch.set("positions", batch.get("positions").map((x, k) => k < 96 ? 1.02 * x : x));
      await engine.run(batch, 500);
      assertNear(shapeOf(batch.get("cell")).edges, Array(3).fill(2 * ASE.free.edge), 1e-3);
    }
  }),
);

test(
  "steps without a visit have the bits of steps that are looked at, where cells relax",
  on(BACKENDS, async (backend) => {
    for (const make of OPTIMIZERS) {
      const bits = await Promise.all([false, true].map(async (looks) => {
        const batch = Batch.from(three());
        await using engine = engineOf(make(true), backend, 1e-3);
        const nothing = { dynamics: { AFTER_STEP: () => {} } };
        const reads = ["fmax", "stress", "energy"] as const;
        if (looks) engine.hooks.add(hook({ name: "look", frequency: 1, reads, on: nothing }));
        batch.ensure("stress");
        await engine.run(batch, 20);
        return bitsOf(batch, undefined, [...FIELDS, "stress"]);
      }));
      assertSameBits(bits[1]!, bits[0]!);
    }
  }),
);

slowTest(
  "hooks that turn cells or wrap atoms in each step leave relaxations what they are",
  onEngines(async (backend) => {
    for (const make of OPTIMIZERS) {
      for (const other of [new AlignCellHook(), new WrapPeriodicHook()]) {
        const batch = Batch.from([strained(argon(2, 3), SKEWED.map((e) => 1.5 * e))]);
        batch.set("positions", batch.get("positions").map((x) => x - 3));
        await using engine = engineOf(make(true), backend, 1e-3);
        engine.hooks.add(other);
        await engine.run(batch, 500);
        assertEquals([...batch.get("status")], [1]);
        assertNear(batch.get("energy"), [ASE.free.energy], 2e-5);
        const { edges, cosines } = shapeOf(batch.get("cell"));
        assertNear(edges, Array(3).fill(2 * ASE.free.edge), 2e-3);
        assertNear(cosines, [0, 0, 0], 2e-3, 1);
      }
    }
  }),
);

Deno.test(
  "energies are those of the cell as it is, also where it comes back to what it was",
  onEngines(async (backend) => {
    const batch = Batch.from([argon(2, 1)]);
    batch.ensure("stress");
    const cell = batch.get("cell").slice();
    await using md = new NVE({ model: ARGON, dt: 1, ...where(backend) });
    const seen: Record<string, number[]>[] = [];
    for (const factor of [1, 1.002, 1, 0.999, 1]) {
      batch.set("cell", cell.map((x) => factor * x));
      await md.run(batch, 0);
      seen.push(bitsOf(batch, 0, ["energy", "forces", "stress"]));
    }
    assertSameBits(seen[2]!, seen[0]!);
    assertSameBits(seen[4]!, seen[0]!);
    assertNotEquals(seen[1], seen[0]);
    assertNotEquals(seen[3], seen[0]);
  }),
);
