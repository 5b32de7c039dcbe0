/** Molecular dynamics at constant energy: what it conserves, how its error falls, and ASE's trajectories. */
import { assert, assertAlmostEquals, assertEquals, assertGreater, assertLess } from "@std/assert";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { ARGON, argon, assertNear, evaluate } from "../dynamics/atoms.ts";
import { on, PAIR_BACKENDS, where } from "../dynamics/backends.ts";
import { aseFrames, drift } from "./nve_case.ts";

/** Argon at 80 K, by a potential without a step in its force: what is left is the error of the steps. */
const SMOOTH = lennardJones({
  epsilon: 0.0104,
  sigma: 3.4,
  cutoff: 8.5,
  truncation: "switch",
  switchWidth: 2,
});

/** A crystal at a temperature. */
function warm(cells: number, temperature = 80): Batch {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells })]);
  initVelocities(batch, temperature, { seed: 3 });
  return batch;
}

Deno.test(
  "NVE follows ASE's trajectories of argon at 80 K for a thousand steps",
  on(PAIR_BACKENDS, async (backend) => {
    for (const atoms of [108, 32] as const) {
      const frames = await aseFrames(atoms);
      assertEquals(
        frames.map(({ info }) => info.step),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((k) => 100 * k),
      );
      const batch = Batch.from([frames[0]!]);
      await using md = new NVE({ model: ARGON, dt: 1, ...where(backend) });
      for (const frame of frames.slice(1)) {
        await md.run(batch, 100);
        const step = frame.info.step as number;
        const there = frame.positions;
        let off = 0;
        batch.get("positions").forEach((x, i) => off = Math.max(off, Math.abs(x - there[i]!)));
        // Its constants differ by 3e-8 (CODATA 2014), and its positions were rounded to 1e-10 Å.
        const most = backend === "reference" ? 2e-9 * step : 1e-5 * step / 100;
        assertLess(off, most, `step ${step} of ${atoms}`);
        assertNear(batch.get("energy"), [frame.energy!], backend === "reference" ? 1e-7 : 1e-5);
      }
      assertEquals(md.stepCount, 1000);
    }
  }),
);

Deno.test(
  "halving the step of NVE cuts the error of the energy fourfold",
  on(PAIR_BACKENDS, async (backend) => {
    const errors: number[] = [];
    for (const dt of [8, 4]) {
      errors.push(await drift(warm(2, 60), backend, { dt, steps: 2000 / dt, model: SMOOTH }));
    }
    const ratio = errors[0]! / errors[1]!;
    assertGreater(ratio, 3.4);
    assertLess(ratio, 4.8);
  }),
);

Deno.test(
  "NVE keeps the energy per atom of 108 atoms within 2.2e-7 eV over a picosecond",
  on(PAIR_BACKENDS, async (backend) => {
    const [first] = await aseFrames(108);
    assertLess(await drift(Batch.from([first!]), backend, { dt: 1, steps: 1000 }), 2.2e-7);
  }),
);

Deno.test(
  "NVE keeps the momentum",
  on(PAIR_BACKENDS, async (backend) => {
    const batch = warm(3);
    // A push that the thermal motion does not have, to be kept.
    const velocities = batch.get("velocities");
    for (let i = 0; i < velocities.length; i += 3) velocities[i]! += 1e-3;
    const momentum = () => {
      const [masses, v] = [batch.get("masses"), batch.get("velocities")];
      return [0, 1, 2].map((k) => masses.reduce((sum, m, a) => sum + m * v[3 * a + k]!, 0));
    };
    const before = momentum();
    const { masses } = batch.system(0);
    assertAlmostEquals(before[0]!, 1e-3 * masses.reduce((sum, m) => sum + m), 1e-9);
    await using md = new NVE({ model: ARGON, dt: 1, ...where(backend) });
    await md.run(batch, 1000);
    assertNear(momentum(), before, backend === "reference" ? 1e-12 : 1e-5, Math.abs(before[0]!));
  }),
);

Deno.test(
  "NVE reversed returns to where it began",
  on(PAIR_BACKENDS, async (backend) => {
    const batch = warm(2);
    const [x, v] = [batch.get("positions").slice(), batch.get("velocities").slice()];
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await md.run(batch, 200);
    const away = Math.max(...batch.get("positions").map((now, i) => Math.abs(now - x[i]!)));
    assertGreater(away, 0.1);
    const turned = batch.get("velocities");
    for (const [i, one] of turned.entries()) turned[i] = -one;
    await md.run(batch, 200);
    // Rounding grows as neighbors scatter: some 1e-13 of it becomes 1e-11, float32 1e-3 at most.
    const near = backend === "reference" ? 1e-9 : 2e-3;
    const off = Math.max(...batch.get("positions").map((now, i) => Math.abs(now - x[i]!)));
    assertLess(off, near);
    const slow = Math.max(...batch.get("velocities").map((now, i) => Math.abs(now + v[i]!)));
    assertLess(slow, near);
  }),
);

Deno.test(
  "energy at the end of a run is potential energy where the atoms are",
  on(PAIR_BACKENDS, async (backend) => {
    const batch = Batch.from([argon(2, 3)]);
    initVelocities(batch, 80, { seed: 1 });
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await md.run(batch, 300);
    const fresh = await evaluate(ARGON, batch, backend);
    assertNear(batch.get("energy"), fresh.energy, backend === "reference" ? 1e-12 : 1e-5);
    assert(batch.get("energy")[0]! < -2);
  }),
);
