// Errors about a system name it by its slot and by the label, name or file in its `info`.

import { Batch, System, type SystemInput } from "@hooke/hooke/batch";
import { NeighborList } from "@hooke/hooke/batch/neighbors";
import { atomsData } from "@hooke/hooke/training";
import {
  type DynamicsOptions,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  LBFGS,
  NPH,
  NVE,
} from "@hooke/hooke/dynamics";
import { lennardJones } from "@hooke/hooke/models";
import { assertRejects, assertStringIncludes, assertThrows } from "@std/assert";

const NAME = "system 1 (water_17.xyz)";
const MODEL = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

/** Returns a cube without a name, and a system with one. */
function pair(named: Partial<SystemInput>): Batch {
  const cube = {
    symbols: ["Ar", "Ar"],
    positions: [0, 0, 0, 0, 0, 4],
    cell: [20, 20, 20],
    pbc: true,
  };
  return Batch.from([cube, { ...cube, info: { file: "water_17.xyz" }, ...named }]);
}

/** Runs a step of velocity Verlet. */
async function step(batch: Batch, options: Partial<DynamicsOptions> & { dt?: unknown }) {
  await using md = new NVE({ model: MODEL, dt: 1, device: "reference", ...options } as never);
  await md.run(batch, 1);
}

Deno.test("errors of runs name a system by the file in its info", async (t) => {
  const slab = { pbc: [true, true, false] } as const;
  const cases: readonly [string, () => Promise<unknown>][] = [
    [
      "NPH",
      () => {
        const options = { dt: 1, pressure: 0, barostatTime: 100, device: "reference" } as const;
        return new NPH({ model: MODEL, ...options }).run(pair(slab), 1);
      },
    ],
    ["LBFGS", () => {
      const cell = { pressure: 0.01 };
      return new LBFGS({ model: MODEL, cell, device: "reference" }).run(pair(slab), 1);
    }],
    [
      "two bonds",
      () => step(pair({}), { constraints: [fixBonds([[], [[0, 1]]]), fixBonds([[], [[1, 0]]])] }),
    ],
    ["lengths", () => {
      return step(pair({}), { constraints: [fixBonds([[0, 1]], { lengths: [[4], [1, 1]] })] });
    }],
    ["center", () => {
      const fixed = fixAtoms(Uint8Array.of(0, 0, 1, 0));
      return step(pair({}), { constraints: [fixBonds([[0, 1]]), fixed, fixCenterOfMass()] });
    }],
    ["field", () => {
      const batch = pair({});
      batch.set("step", [1, -1], { level: "system" });
      return step(batch, { dt: { field: "step" } });
    }],
  ];
  for (const [name, run] of cases) {
    await t.step(name, async () => {
      const { message } = await assertRejects(run, Error);
      assertStringIncludes(message, NAME);
    });
  }
});

Deno.test("errors of batches, neighbor lists and training data name a system by the file in its info", () => {
  const broken = pair({});
  broken.get("positions")[9] = NaN;
  assertThrows(() => broken.check("run NVE"), RangeError, NAME);
  assertThrows(() => new NeighborList({ cutoff: 5 }).update(broken), RangeError, NAME);
  assertThrows(() => pair({}).set("masses", [1, 1, -1, 1]), RangeError, NAME);
  const frames = [{ energy: 1 }, {}].map((own, i) =>
    new System({
      symbols: ["Ar"],
      positions: [0, 0, 0],
      info: i ? { file: "water_17.xyz" } : {},
      ...own,
    })
  );
  const options = { batchSize: 2, cutoff: 5, forces: false, stress: false } as const;
  assertThrows(() => atomsData(frames, options), RangeError, NAME);
});
