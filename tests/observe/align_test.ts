// Rotations of a system that do not change its physics.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Batch, System, temperatureOf } from "../../src/batch/mod.ts";
import { velocityVerlet } from "../../src/dynamics/mod.ts";
import { AlignCellHook } from "../../src/observe/mod.ts";
import { ARGON, assertNear } from "../dynamics/atoms.ts";
import { BACKENDS, on, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { engine, sameHowever } from "./modified.ts";
import { test } from "../suite.ts";

const CELLS: Readonly<Record<string, number[][]>> = {
  leaning: [[3, 8, 1], [-2, 1, 9], [10, -1, 2]],
  "left-handed": [[-2, 1, 9], [3, 8, 1], [10, -1, 2]],
  "along the axes, in another order": [[0, 9, 0], [0, 0, 10], [11, 0, 0]],
};

function batchOf(cell: number[][]): Batch {
  const positions = [[0.3, 0.2, 0.1], [4, 1, 2], [1, 4.5, 1], [2, 2, 5.5]];
  const symbols = ["Ar", "Ar", "Ar", "Ar"];
  const batch = Batch.from([
    new System({ symbols, positions, cell, pbc: true }),
    new System({ symbols, positions, cell, pbc: false }),
    new System({ symbols, positions, cell: [[9, 0, 0], [1, 9, 0], [0, 3, 9]], pbc: true }),
  ]);
  batch.set("velocities", Float64Array.from({ length: 36 }, (_, i) => Math.cos(3 * i) / 300));
  return batch;
}

/** All dot products of the vectors of a system, which rotations do not change. */
function products(batch: Batch, system: number): number[] {
  const vectors = [
    ...rows(batch.get("cell").slice(9 * system, 9 * system + 9)),
    ...(["positions", "velocities", "forces"] as const).flatMap((name) => {
      const list = rows(batch.get(name).slice(12 * system, 12 * system + 12));
      return name === "velocities" ? list.map((v) => v.map((x) => 300 * x)) : list;
    }),
  ];
  return vectors.flatMap((a) => vectors.map((b) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)));
}

function rows(list: Float64Array): number[][] {
  return Array.from({ length: list.length / 3 }, (_, i) => [...list.slice(3 * i, 3 * i + 3)]);
}

Deno.test(
  "cell, positions, velocities and forces rotate together, and nothing else changes",
  onEngines(async (backend) => {
    for (const [name, cell] of Object.entries(CELLS)) {
      const run = async (hooks: readonly object[]) => {
        await using md = engine(velocityVerlet({ dt: 2 }), {
          model: ARGON,
          ...where(backend),
          hooks,
        });
        return await md.run(batchOf(cell), 20);
      };
      const [plain, turned] = [await run([]), await run([new AlignCellHook()])];
      const h = turned.get("cell");
      assertEquals([h[1], h[2], h[5]], [0, 0, 0], name);
      assert(h[0]! > 0 && h[4]! > 0 && (h[8]! > 0) === (name !== "left-handed"), h.join());
      const tolerance = name === "reference" ? 1e-11 : 3e-5;
      assertNear(products(turned, 0), products(plain, 0), tolerance, 10);
      assertNear(turned.get("energy"), plain.get("energy"), tolerance);
      assertNear(temperatureOf(turned), temperatureOf(plain), tolerance);
      for (const system of [1, 2]) {
        assertEquals(products(turned, system), products(plain, system), "not periodic, or aligned");
      }
    }
  }),
);

test(
  "aligned runs are identical, however steps are done",
  on(BACKENDS, async (backend) => {
    const make = (more: readonly object[]) =>
      engine(velocityVerlet({ dt: 2 }), {
        model: ARGON,
        ...where(backend),
        hooks: [...more, new AlignCellHook({ frequency: 3 })],
      });
    const batch = () => batchOf(CELLS.leaning!);
    await sameHowever({ make, batch, steps: 10 });
  }),
);

test("wrong options of an AlignCellHook are named", () => {
  assertThrows(() => new AlignCellHook({ frequency: 0 }), RangeError, "frequency");
  const options = { stage: "dynamics/AFTER_STEP" } as unknown as { frequency: number };
  assertThrows(() => new AlignCellHook(options), TypeError, "among frequency");
});
