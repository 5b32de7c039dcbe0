// Constraints with baths, barostats and threads.
import { assertEquals, assertLess, assertRejects } from "@std/assert";
import { openThreads } from "../../src/backend/mod.ts";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  bussi,
  type Constraint,
  Dynamics,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  fixComponents,
  type Integrator,
  langevin,
  noseHoover,
  nptIntegrator,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { tethers } from "../../src/models/mod.ts";
import { few, test } from "../suite.ts";
import { ARGON, assertSameBits, bitsOf, crystals } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";

/** Rigid and half-rigid molecules of different sizes, drawn to a point. */
function molecules(count: number): Batch {
  const systems = Array.from({ length: count }, (_, n) => {
    const size = 4 + n % 3;
    const positions = Array.from({ length: 3 * size }, (_, k) => Math.sin(7 * k + n) + k % 3);
    return new System({ symbols: Array(size).fill("O"), positions });
  });
  const batch = Batch.from(systems);
  initVelocities(batch, 300, { seed: 5, removeCom: false });
  return batch;
}

const PULLED = tethers({ stiffness: 0.5, anchors: [0.3, 0.2, 0.1] });
const BONDS = fixBonds([[0, 1], [1, 2], [0, 2], [2, 3]]);
const BATHS: readonly ((dt: number) => Integrator)[] = [
  (dt) => velocityVerlet({ dt }),
  (dt) => langevin({ dt, temperature: 300, friction: 0.01, seed: 2 }),
  (dt) => bussi({ dt, temperature: 300, thermostatTime: 100, seed: 2 }),
  (dt) => noseHoover({ dt, temperature: 300, thermostatTime: 50 }),
];
const CASES: readonly (readonly Constraint[])[] = [
  [BONDS],
  [BONDS, fixAtoms(({ place }) => place === 0)],
  [BONDS, fixComponents(({ place }) => place === 3, "xz")],
  [BONDS, fixCenterOfMass()],
];

Deno.test(
  "what a bath conserves it conserves under constraints, to second order",
  onEngines(async (backend, name) => {
    for (const [i, scheme] of BATHS.entries()) {
      // Each bath has constraints of its own, and a GPU has one bath.
      for (const constraints of name === "webgpu" && i !== 1 ? [] : [CASES[i]!]) {
        const spread = async (dt: number) => {
          const rows: number[][] = [];
          const note = hook({
            name: "note",
            reads: ["conservedEnergy"],
            on: {
              dynamics: { AFTER_STEP: ({ read }) => void rows.push([...read.conservedEnergy]) },
            },
          });
          await using md = new Dynamics(scheme(dt), {
            model: PULLED,
            constraints,
            hooks: [note],
            ...where(backend),
          });
          await md.run(molecules(3), 200 / dt);
          return Math.max(...rows.flatMap((row) => row.map((e, s) => Math.abs(e - rows[0]![s]!))));
        };
        const [coarse, fine] = [await spread(1), await spread(0.5)];
        assertLess(coarse, 5e-3, md(scheme, constraints));
        assertLess(fine / coarse, 0.35, md(scheme, constraints));
      }
    }
  }),
);

function md(scheme: (dt: number) => Integrator, constraints: readonly Constraint[]): string {
  return `${scheme(1).name} ${constraints.map(({ name }) => name)}`;
}

Deno.test("constrained systems spread over threads have the bits that one thread gives", async () => {
  for (const constraints of few(CASES.slice(0, 1), CASES)) {
    const batches = [molecules(7), molecules(7)];
    for (const [i, batch] of batches.entries()) {
      const backend = openThreads(1 + 2 * i);
      try {
        await using engine = new Dynamics(BATHS[1]!(1), { model: PULLED, constraints, backend });
        await engine.run(batch, 25);
      } finally {
        backend.dispose();
      }
    }
    assertSameBits(bitsOf(batches[1]!), bitsOf(batches[0]!));
    const alone = molecules(7);
    await using wasm = new Dynamics(BATHS[1]!(1), { model: PULLED, constraints });
    await wasm.run(alone, 25);
    assertSameBits(bitsOf(batches[0]!), bitsOf(alone));
  }
});

test(
  "fixed atoms stay where they are while the cell changes; bonds are refused there",
  onEnginesAndGpu(async (backend) => {
    const options = { temperature: 40, pressure: 0.1, thermostatTime: 100, barostatTime: 200 };
    const before = crystals(1), batch = before.clone();
    await using md = new Dynamics(nptIntegrator({ dt: 2, ...options }), {
      model: ARGON,
      constraints: [fixAtoms([0, 9])],
      ...where(backend),
    });
    await md.run(batch, 50);
    const [was, is] = [before.get("positions"), batch.get("positions")];
    for (let k = 0; k < 96; k++) {
      const isFixed = k < 3 || (k >= 27 && k < 30);
      assertEquals(is[k] === was[k], isFixed, `${k}`);
    }
    assertLess(batch.get("cell")[0]!, before.get("cell")[0]! - 1e-3);
    await using bonded = new Dynamics(nptIntegrator({ dt: 2, ...options }), {
      model: ARGON,
      constraints: [fixBonds([[0, 1]])],
      ...where(backend),
    });
    await assertRejects(
      () => bonded.run(crystals(1), 1),
      TypeError,
      "changes the cell. Use an integrator with a constant cell",
    );
  }),
);
