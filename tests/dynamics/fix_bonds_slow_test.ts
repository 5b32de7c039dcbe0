// Ensembles of rigid molecules, seeded.
import { assertNear } from "./atoms.ts";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  type Constraint,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  fixComponents,
  NVTLangevin,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { tethers } from "../../src/models/mod.ts";
import { BACKENDS, type EngineBackend, on, where } from "./backends.ts";

const K_B = 8.617333262e-5;
const PLACES = [0, 0, 0, 0.7572, 0.5865, 0, -0.7572, 0.5865, 0];
const TRIANGLE = [[0, 1], [0, 2], [1, 2]] as const;
const STIFFNESS = 0.5;

/** Enough for the tolerances. A GPU in software would take minutes; its kernels are compared with these step by step. */
const SIZES = {
  reference: { systems: 64, steps: 5000 },
  wasm: { systems: 128, steps: 8000 },
};

/** Means over systems and time of the temperature and of the energy, K and eV, with the spread of the former. */
async function sampled(
  backend: EngineBackend,
  { constraints, systems, steps }: {
    readonly constraints: readonly Constraint[];
    readonly systems: number;
    readonly steps: number;
  },
) {
  const batch = Batch.from(
    Array.from(
      { length: systems },
      () => new System({ symbols: ["O", "H", "H"], positions: PLACES }),
    ),
  );
  initVelocities(batch, 300, { seed: 1, removeCom: false });
  const sums = { count: 0, temperature: 0, square: 0, energy: 0 };
  const note = hook({
    name: "note",
    frequency: 10,
    after: 600,
    reads: ["temperature", "energy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read }) => {
          for (let s = 0; s < systems; s++) {
            const temperature = read.temperature[s]!;
            sums.count++;
            sums.temperature += temperature;
            sums.square += temperature * temperature;
            sums.energy += read.energy[s]!;
          }
        },
      },
    },
  });
  await using md = new NVTLangevin({
    dt: 1,
    temperature: 300,
    friction: 0.02,
    seed: 7,
    constraints,
    hooks: [note],
    model: tethers({ stiffness: STIFFNESS, anchors: [0, 0, 0] }),
    ...where(backend),
  });
  await md.run(batch, steps);
  const { count, temperature, square, energy } = sums;
  const mean = temperature / count;
  return { mean, variance: square / count - mean * mean, energy: energy / count };
}

Deno.test(
  "Langevin dynamics of rigid molecules has the temperature of its true degrees of freedom, its spread and its energy",
  on(BACKENDS, async (backend) => {
    const size = SIZES[backend];
    const { mean, variance, energy } = await sampled(backend, {
      constraints: [fixBonds(TRIANGLE)],
      ...size,
    });
    assertNear([mean], [300], 0.015);
    assertNear([variance], [2 * 300 * 300 / 6], 0.06); // six of nine are left
    // ½ k Σ |x|² = 3/2 k |c|² and a constant, and the centroid c is free.
    const [x, y] = [0, 1].map((k) => (PLACES[k]! + PLACES[3 + k]! + PLACES[6 + k]!) / 3);
    const shape = [0, 1, 2].reduce(
      (sum, i) => sum + (PLACES[3 * i]! - x!) ** 2 + (PLACES[3 * i + 1]! - y!) ** 2,
      0,
    );
    assertNear([energy - 0.5 * STIFFNESS * shape], [1.5 * K_B * 300], 0.05);
  }),
);

Deno.test(
  "so it has under any constraints",
  on(["wasm"], async (backend) => {
    const size = { systems: 128, steps: 5000 };
    const isOxygen = ({ place }: { readonly place: number }) => place === 0;
    const cases: readonly [readonly Constraint[], number][] = [
      [[fixAtoms(isOxygen)], 6],
      [[fixAtoms(isOxygen), fixBonds([[0, 1], [0, 2]])], 4],
      [[fixComponents(isOxygen, "xy"), fixBonds([[0, 1]])], 6],
      [[fixCenterOfMass(), fixBonds(TRIANGLE)], 3],
    ];
    for (const [constraints, freedom] of cases) {
      const { mean, variance } = await sampled(backend, { constraints, ...size });
      assertNear([mean], [300], 0.02);
      assertNear([variance], [2 * 300 * 300 / freedom], 0.08);
    }
  }),
);
