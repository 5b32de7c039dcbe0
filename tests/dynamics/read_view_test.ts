import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { Batch, ConvergenceHook, FIRE, fuse, lennardJones, NVE } from "@hooke/hooke";
import type { ReadonlyNumbers, ReadonlyRows } from "@hooke/hooke/hooks";
import { testOnGpu } from "../backend/gpu.ts";
import { type EngineBackend, gpu, on, where } from "./backends.ts";

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
/** A dimer and a trimer: atoms 0 and 1, and 2 to 4. */
const batchOfTwo = () =>
  Batch.from([
    { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.9, 0, 0] },
    { symbols: ["Ar", "Ar", "Kr"], positions: [0, 0, 0, 4, 0, 0, 0, 4, 0], charges: [1, 2, 3] },
  ]);

/** Runs one step and compares what a hook reads with the fields themselves. */
async function readOn(backend: EngineBackend): Promise<void> {
  let firings = 0;
  await using md = new NVE({
    model,
    dt: 1,
    ...where(backend),
    hooks: [{
      reads: ["energy", "forces", "positions", "masses", "charges", "fmax", "numbers", "stress"],
      onError: "throw",
      onAfterStep({ read, batch }) {
        const { energy, forces, fmax } = read;
        assertAlmostEquals(energy.mean(), (energy[0]! + energy[1]!) / 2, 1e-15);
        assertEquals([energy.length, energy.system(1).length], [2, 1]);
        assertEquals(energy.system(-1)[0], energy[1]);
        assertEquals([...forces.atom(3)], [...forces].slice(9, 12));
        assertEquals([...forces.system(1)], [...forces].slice(6));
        assertEquals([...forces.system(1).atom(0)], [...forces.atom(2)]);
        assertEquals([...forces.system(1).atom(-1)], [...forces.atom(-1)]);
        const norms = Array.from({ length: batch.nodeCount }, (_, i) => forces.atom(i).norm());
        assertAlmostEquals(Math.max(...norms.slice(0, 2)), fmax[0]!, 1e-6);
        assertAlmostEquals(Math.max(...norms.slice(2)), fmax.system(1).max(), 1e-6);
        assertAlmostEquals(forces.sum(), 0, 1e-6);
        assertEquals([read.numbers.atom(4)[0], read.charges.system(1).sum()], [36, 6]);
        assertEquals([read.stress.system(1).length, read.masses.system(0).length], [9, 2]);
        assertAlmostEquals(read.positions.atom(1)[0]!, 3.9, 1e-3);
        firings++;
      },
    }],
  });
  await md.run(batchOfTwo(), 1);
  assertEquals(firings, 1);
}

Deno.test(
  "hooks read statistics, systems and atoms of each field",
  on(["wasm", "reference"], readOn),
);

testOnGpu("on a GPU hooks read statistics, systems and atoms, too", () => readOn(gpu!));

Deno.test("an atom or a system that does not exist is an error that says which there are", async () => {
  await using md = new NVE({
    model,
    dt: 1,
    hooks: [{
      reads: ["energy", "forces"],
      onAfterStep({ read: { energy, forces } }) {
        assertThrows(
          () => forces.atom(5),
          RangeError,
          "atom must be an integer from -5 to 4; got 5",
        );
        assertThrows(() => forces.system(1).atom(3), RangeError, "from -3 to 2; got 3");
        assertThrows(() => energy.system(2), RangeError, "system must be an integer from -2 to 1");
        assertThrows(() => energy.system(0.5), RangeError, "got 0.5");
        assertThrows(() => energy.atom(0), TypeError, "energy: the field has values per system");
      },
      onError: "throw",
    }],
  });
  await md.run(batchOfTwo(), 1);
});

Deno.test("a view is made once, not at each step", async () => {
  const views = new Set<unknown>();
  await using md = new NVE({
    model,
    dt: 1,
    hooks: [{
      reads: ["energy", "forces"],
      onAfterStep: ({ read }) => void views.add(read.energy).add(read.forces),
    }],
  });
  await md.run(batchOfTwo(), 20);
  assertEquals(views.size, 2);
});

Deno.test("hooks of a stage read the systems of that stage", async () => {
  const seen: [number, number, number][] = [];
  const relax = new FIRE({
    model,
    dt: 0.01,
    hooks: [ConvergenceHook.fromFmax(1e-9)],
  });
  const move = new NVE({
    model,
    dt: 1,
    hooks: [{
      reads: ["energy", "forces"],
      onAfterStep: ({ read: { energy, forces } }) =>
        void seen.push([energy.system(-1).length, forces.system(0).length, forces.atom(-1).length]),
    }],
  });
  await using both = fuse(relax, move);
  const batch = batchOfTwo();
  batch.set("status", Int32Array.of(0, 1)); // the trimer moves, alone
  await both.run(batch, 2);
  assert(seen.length > 0);
  assertEquals(seen[0], [1, 9, 3]);
});

Deno.test("views have the types of what they are of", async () => {
  await using md = new NVE({ model, dt: 1 });
  md.hooks.add({
    reads: ["energy", "forces"],
    onAfterStep({ read }) {
      const mean: number = read.energy.mean();
      const rows: ReadonlyRows = read.forces.system(0);
      const atom: ReadonlyNumbers = rows.atom(0);
      // @ts-expect-error read-only
      void (() => void (read.forces.atom(0)[0] = 1));
      assert(Number.isFinite(mean) && atom.length === 3);
    },
    onError: "throw",
  });
  await md.run(batchOfTwo(), 1);
});
