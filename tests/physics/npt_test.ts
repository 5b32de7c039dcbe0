/** Constant pressure: what is conserved, what can be undone, and what a cell does. */
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { BAR, Dynamics, NPH, type SavedDynamics } from "../../src/dynamics/mod.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";
import { on, PAIR_BACKENDS, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { conservedDrift, COUPLINGS, GIVEN, SCHEMES, SMOOTH, solid, volumeOf } from "./npt_case.ts";
import { test } from "../suite.ts";

for (const [name, scheme] of Object.entries(SCHEMES)) {
  for (const pressureCoupling of COUPLINGS) {
    Deno.test(
      `${name}, ${pressureCoupling}: halving the step cuts the error of what is conserved fourfold`,
      on(PAIR_BACKENDS, async (backend) => {
        const errors: number[] = [];
        for (const dt of [8, 4]) {
          const steps = 2000 / dt;
          errors.push(
            await conservedDrift(scheme({ dt, pressureCoupling }), solid(), backend, { steps }),
          );
        }
        assertLess(errors[0]!, 3e-4); // eV per atom, of 0.003 in its motion
        assertGreater(errors[0]! / errors[1]!, 3.4);
        assertLess(errors[0]! / errors[1]!, 4.8);
      }),
    );
  }

  Deno.test(
    `${name} conserves on a GPU what it conserves elsewhere`,
    onEngines(async (backend) => {
      const scheme = SCHEMES[name]!({ pressureCoupling: "triclinic" });
      assertLess(await conservedDrift(scheme, solid(), backend, { steps: 100 }), 8e-5);
    }),
  );

  Deno.test(`${name}: turned round, atoms, cell and thermostats come back to where they began`, async () => {
    const scheme = SCHEMES[name]!({ pressureCoupling: "triclinic" });
    const options = { model: SMOOTH, device: "reference" } as const;
    const batch = solid();
    await using there = new Dynamics(scheme, options);
    await there.run(batch, 50); // so that the cell is under way
    const before = structuredClone(await there.save()), start = batch.clone();
    await there.run(batch, 200);
    assertGreater(Math.abs(batch.get("cell")[0]! - start.get("cell")[0]!), 0.01);
    const saved = structuredClone(await there.save());
    turnRound(saved);
    await using back = new Dynamics(scheme, options);
    const other = await back.load(saved);
    const velocities = other.get("velocities");
    velocities.forEach((v, i) => velocities[i] = -v);
    await back.run(other, 200);
    const after = await back.save();
    turnRound(after);
    assertNear(other.get("positions"), start.get("positions"), 1e-9, 10);
    assertNear(other.get("cell"), start.get("cell"), 1e-9, 10);
    assertNear(other.get("velocities").map((v) => -v), start.get("velocities"), 1e-9, 1e-3);
    for (const state of ["strainRate", "etaDot", "cellEtaDot"]) {
      const [now, then] = [after, before].map(({ resident }) => resident.states[state]);
      assertEquals(now === undefined, name === "NPH" && state !== "strainRate");
      if (then === undefined) continue;
      assertGreater(Math.max(...then), 1e-5);
      assertNear(now!, then, 1e-8, 1e-4);
    }
  });
}

/** The states that have a direction in time. */
function turnRound({ resident: { states } }: SavedDynamics): void {
  for (const values of [states.strainRate, states.etaDot, states.cellEtaDot]) {
    values?.forEach((x, i) => values[i] = -x);
  }
}

Deno.test(
  "a compressed crystal expands, a stretched one contracts, to the size at which the pressure is that outside",
  onEngines(async (backend) => {
    const cold = (a: number) => {
      const batch = Batch.from([fcc({ element: "Ar", a, cells: 2 })]);
      initVelocities(batch, 1, { seed: 1 });
      return batch;
    };
    for (const [a, sign] of [[5.1, 1], [5.5, -1]] as const) {
      const batch = cold(a);
      const options = { ...GIVEN, pressure: 0, temperature: 1, barostatTime: 1000 };
      await using md = new NPH({ model: SMOOTH, ...options, ...where(backend) });
      await md.run(batch, 30);
      assertGreater(sign * (batch.get("cell")[0]! - 2 * a), 1e-3);
    }
  }),
);

Deno.test(
  "isotropic keeps the shape of a cell, anisotropic its angles, triclinic its hand and place",
  onEngines(async (backend) => {
    for (const pressureCoupling of COUPLINGS) {
      const batch = solid();
      const scheme = SCHEMES.NPT!({ pressureCoupling });
      await using md = new Dynamics(scheme, { model: SMOOTH, ...where(backend) });
      await md.run(batch, 60);
      const cell = Array.from(batch.get("cell"));
      assertGreater(Math.abs(cell[0]! - 10.8), 1e-2);
      const off = [1, 2, 3, 5, 6, 7].map((k) => cell[k]!);
      if (pressureCoupling === "triclinic") {
        assertGreater(Math.max(...off.map(Math.abs)), 1e-4);
        // From a cube by symmetric rates: what it has turned by is of second order.
        assertNear([cell[1]!, cell[2]!, cell[5]!], [cell[3]!, cell[6]!, cell[7]!], 2e-2, 2e-2);
      } else {
        assertEquals(off, [0, 0, 0, 0, 0, 0]);
        assertEquals(cell[0] === cell[4], pressureCoupling === "isotropic");
      }
    }
  }),
);

Deno.test(
  "a skewed cell keeps its shape where it is isotropic",
  onEngines(async (backend) => {
    const batch = solid();
    const skewed = Float64Array.of(10.8, 0, 0, 1.5, 10.8, 0, -1, 2, 10.8);
    const positions = batch.get("positions").slice(), velocities = batch.get("velocities").slice();
    const sheared = positions.map((_, i) => {
      const at = positions.subarray(i - i % 3, i - i % 3 + 3);
      return [0, 1, 2].reduce((sum, k) => sum + at[k]! / 10.8 * skewed[3 * k + i % 3]!, 0);
    });
    batch.set("cell", skewed);
    batch.set("positions", sheared);
    batch.set("velocities", velocities);
    await using md = new Dynamics(SCHEMES.NPH!({}), { model: SMOOTH, ...where(backend) });
    await md.run(batch, 60);
    const cell = batch.get("cell"), factor = cell[0]! / 10.8;
    assertGreater(Math.abs(factor - 1), 1e-3);
    assertNear(cell, skewed.map((x) => x * factor), 1e-6, 1);
  }),
);

Deno.test(
  "energies, forces and stresses are those of the cell as it has become, with pairs that it has only now",
  onEngines(async (backend, name) => {
    const batch = solid(1, 5.6); // far too large: it shrinks by more than any skin
    batch.ensure("stress");
    const options = {
      pressure: 8000 * BAR,
      barostatTime: 100,
      pressureCoupling: "triclinic",
    } as const;
    await using md = new Dynamics(SCHEMES.NPT!(options), { model: SMOOTH, ...where(backend) });
    await md.run(batch, 100);
    assertLess(volumeOf(batch.get("cell")), 0.85 * 11.2 ** 3);
    const fresh = await evaluate(SMOOTH, batch, "reference");
    const near = name === "reference" ? 1e-12 : 2e-5;
    assertNear(batch.get("energy"), fresh.energy, near);
    assertNear(batch.get("forces"), fresh.forces, near, 0.1);
    assertNear(batch.get("stress"), fresh.stress, near, 0.01);
  }),
);

test(
  "the stress is the derivative of the energy by strain, after a cell has changed",
  on(["reference"], async (backend) => {
    const batch = solid();
    batch.ensure("stress");
    const scheme = SCHEMES.NPH!({ pressureCoupling: "triclinic" });
    await using md = new Dynamics(scheme, { model: SMOOTH, ...where(backend) });
    await md.run(batch, 200);
    const [cell, x] = [batch.get("cell").slice(), batch.get("positions").slice()];
    const energyAt = async (i: number, j: number, by: number) => {
      const strained = batch.clone();
      const strain = (of: Float64Array) =>
        of.map((v, k) => v + (k % 3 === j ? by * of[k - j + i]! : 0));
      strained.set("cell", strain(cell));
      strained.set("positions", strain(x));
      return (await evaluate(SMOOTH, strained, backend)).energy[0]!;
    };
    const stress = batch.get("stress"), by = 1e-5;
    for (const [i, j] of [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0]] as const) {
      const slope = (await energyAt(i, j, by) - await energyAt(i, j, -by)) / (2 * by);
      assertNear([stress[3 * i + j]!], [slope / volumeOf(cell)], 1e-6, 1e-2);
    }
  }),
);

test(
  "a cube that is pulled alike in all directions stays one, whatever of it may change",
  on(["reference"], async (backend) => {
    // At rest, so that there is no direction: the same motion by three schemes.
    const cells = await Promise.all(COUPLINGS.map(async (pressureCoupling) => {
      const batch = Batch.from([fcc({ element: "Ar", a: 5.5, cells: 2 })]);
      const scheme = SCHEMES.NPH!({ pressureCoupling, pressure: 500 * BAR });
      await using md = new Dynamics(scheme, { model: SMOOTH, ...where(backend) });
      await md.run(batch, 150);
      return batch.get("cell").slice();
    }));
    assertGreater(Math.abs(cells[0]![0]! - 11), 0.1);
    for (const cell of cells) assertNear(cell, cells[0]!, 1e-12, 10);
  }),
);
