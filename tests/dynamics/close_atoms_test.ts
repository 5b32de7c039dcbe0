/** Atoms so close together that the squares of their forces are beyond float32: they are relaxed nevertheless. */
import { assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import { Batch, fcc, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  type DynamicsOptions,
  FIRE,
  FIRE2,
  LBFGS,
} from "../../src/dynamics/mod.ts";
import { LoggingHook } from "../../src/observe/mod.ts";
import { ARGON } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

/** A crystal whose second atom has a given distance from its first, Å. */
function crowded(distance: number): System {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const positions = crystal.positions.slice();
  positions.set([positions[0]! + distance, positions[1]!, positions[2]!], 3);
  return new System({
    symbols: new Array(crystal.nodeCount).fill("Ar"),
    positions,
    cell: crystal.cell!,
    pbc: true,
  });
}

const RELAXERS = {
  FIRE: (options: DynamicsOptions) => new FIRE({ ...options, dt: 0.5 }),
  FIRE2: (options: DynamicsOptions) => new FIRE2({ ...options, dt: 0.5 }),
  LBFGS: (options: DynamicsOptions) => new LBFGS(options),
};

for (const [name, relaxer] of Object.entries(RELAXERS)) {
  Deno.test(
    `${name} relaxes atoms whose forces have squares beyond float32`,
    onEngines(async (backend) => {
      const batch = Batch.from([0.03, 0.05].map(crowded));
      await using opt = relaxer({
        model: ARGON,
        ...where(backend),
        hooks: [ConvergenceHook.fromFmax(0.02)],
      });
      await opt.run(batch, 1500);
      assertEquals([...batch.get("status")], [1, 1]);
      for (const energy of batch.get("energy")) assertLess(energy, -1.5);
    }),
  );
}

test(
  "fmax is measured where the squares of forces are beyond float32",
  onEnginesAndGpu(async (backend) => {
    const distance = 0.05, logged: number[] = [];
    const writerFn = (_: number, rows: readonly { readonly fmax?: unknown }[]) => {
      logged.push(Number(rows[0]!.fmax));
    };
    await using opt = new FIRE({
      model: ARGON,
      dt: 0.5,
      maxStep: 1e-6,
      ...where(backend),
      hooks: [new LoggingHook({ backend: "custom", writerFn })],
    });
    await opt.run(Batch.from([crowded(distance)]), 1);
    const expected = 48 * 0.0104 / 3.4 * (3.4 / distance) ** 13;
    assertAlmostEquals(logged[0]! / expected, 1, 2e-3);
  }),
);
