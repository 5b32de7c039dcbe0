/** Adding what a graph has computed: the kernel `add_model`, by hand. */
import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { addModel } from "../../src/kernels/add_model.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { stress } from "../../src/kernels/measure/stress.ts";
import { assertNear, Lab, onEach } from "./lab.ts";

const UNITS = { perAtom: 0, energyUnit: 1, forceUnit: 1, stressUnit: 1 };

/** Two systems of two atoms and of one, and one without any; the last but one is at rest. */
async function some(backend: string, active = [1, 0, 1]) {
  const lab = await Lab.open(backend, [2, 1, 0], { active });
  const to = {
    forces: lab.real([1, 1, 1, 1, 1, 1, 1, 1, 1]),
    energy: lab.f64([10, 20, 30]),
    virial: lab.f64(Array(27).fill(1)),
    cell: lab.real([2, 0, 0, 0, 3, 0, 0, 0, -4, ...Array(9).fill(1), ...Array(9).fill(0)]),
  };
  return { lab, to };
}

onEach(
  "add_model() adds energies and forces of active systems in Hooke's units",
  async (backend) => {
    const { lab, to } = await some(backend);
    using _ = lab;
    const args = {
      energies: lab.real([0.5, 100, 2]),
      atomForces: lab.real([1, 2, 3, 4, 5, 6, 7, 8, 9]),
      constants: lab.f64([-1000.125, 7, 0.25]),
      ...to,
    };
    await lab.run([call(addModel, { ...args, ...UNITS, energyUnit: 27.25, forceUnit: 2 })]);
    assertEquals(await lab.read(to.energy), [10 + 13.625 - 1000.125, 20, 30 + 54.5 + 0.25]);
    assertEquals(await lab.read(to.forces), [3, 5, 7, 9, 11, 13, 1, 1, 1]);
    assertEquals(await lab.read(to.virial), Array(27).fill(1));
    assertEquals(await lab.read(lab.frame.control), [0, 0, 0, 0]);
  },
);

onEach("add_model() sums energies of atoms in higher precision", async (backend) => {
  const lab = await Lab.open(backend, [1000, 0, 3]);
  using _ = lab;
  const energies = Array.from({ length: 1003 }, (_, i) => Math.fround(-40 + 1e-3 * (i % 7)));
  const energy = lab.f64([0, 0, 0]);
  const rest = { forces: lab.real(Array(3009).fill(0)), virial: lab.f64(Array(27).fill(0)) };
  const args = { energies: lab.real(energies), cell: lab.real(Array(27).fill(0)), energy, ...rest };
  await lab.run([call(addModel, { ...args, ...UNITS, perAtom: 1, energyUnit: 0.5 })]);
  const sum = (from: number, to: number) =>
    energies.slice(from, to).reduce((sum, e) => sum + e, 0) / 2;
  assertNear(await lab.read(energy), [sum(0, 1000), 0, sum(1000, 1003)], 1e-13);
});

onEach("add_model() takes a stress with the sign of the kernel stress", async (backend) => {
  const { lab, to } = await some(backend, [1, 0, 1]);
  using _ = lab;
  const given = Array.from({ length: 27 }, (_, k) => k < 18 ? k - 4 : NaN); // no volume, no stress
  const args = { stresses: lab.real(given), ...to, ...UNITS, stressUnit: 0.5 };
  const found = lab.f64(Array(27).fill(0));
  await lab.run([
    call(addModel, args),
    call(stress, { virial: to.virial, cell: to.cell, stress: found }),
  ]);
  // Of a volume of 24 Å³.
  const virial = await lab.read(to.virial);
  assertEquals(virial, given.map((x, k) => k < 9 ? 1 - 12 * x : 1));
  assertNear(
    (await lab.read(found)).slice(0, 9),
    given.slice(0, 9).map((x) => 0.5 * x - 1 / 24),
    1e-13,
  );
  assertEquals(await lab.read(lab.frame.control), [0, 0, 0, 0]);
});

onEach(
  "add_model() halts the run at a non-finite value, and reports its system",
  async (backend) => {
    const good = {
      energies: [1, 2, 3, 4],
      atomForces: Array(12).fill(1),
      stresses: Array(36).fill(1),
    };
    const told = async (
      bad: Partial<Record<keyof typeof good, readonly [at: number, value: number][]>>,
      { units = {}, before }: { units?: Partial<typeof UNITS>; before?: number } = {},
    ) => {
      using lab = await Lab.open(backend, [1, 1, 1, 1], { active: [1, 0, 1, 1] });
      const given = Object.fromEntries(
        Object.entries(good).map(([name, values]) => {
          const all = [...values];
          for (const [at, value] of bad[name as keyof typeof good] ?? []) all[at] = value;
          return [name, lab.real(all)];
        }),
      );
      const zeros = { forces: lab.real(Array(12).fill(0)), energy: lab.f64([0, 0, 0, 0]) };
      const cell = lab.real([0, 1, 2, 3].flatMap(() => [3, 0, 0, 0, 3, 0, 0, 0, 3]));
      const args = { ...given, ...zeros, virial: lab.f64(Array(36).fill(0)), cell };
      const spoilt = before === undefined ? [] : [call(neighbors, {
        pairs: lab.backend.pairs(lab.frame, { cutoff: 1, skin: 0.1 }),
        positions: lab.real(Array(12).fill(0).with(3 * before, NaN)),
        cell,
        pbc: lab.i32(Array(12).fill(0)),
      })];
      await lab.run([...spoilt, call(addModel, { ...args, ...UNITS, ...units })], 3);
      const control = await lab.read(lab.frame.control);
      return [control[Control.DIVERGED], control[Control.CAUSE], control[Control.HALT]];
    };
    assertEquals(await told({}), [0, 0, 0]);
    assertEquals(await told({ energies: [[1, NaN]], atomForces: [[4, NaN]] }), [0, 0, 0]); // at rest
    assertEquals(await told({ energies: [[2, NaN]] }), [3, 1, 1]);
    assertEquals(await told({ energies: [[3, -Infinity]] }, { units: { perAtom: 1 } }), [4, 1, 1]);
    assertEquals(await told({ atomForces: [[11, Infinity], [8, NaN]] }), [3, 1, 1]);
    assertEquals(await told({ stresses: [[35, NaN]], energies: [[0, NaN]] }), [1, 1, 1]);
    assertEquals(await told({ stresses: [[35, NaN]] }), [4, 1, 1]);
    // What is too large in the unit that is wanted, in float32.
    const units = { forceUnit: 1e300 };
    assertEquals(await told({ atomForces: [[0, 1e30]] }, { units }), [1, 1, 1]);
    // Of the systems of a step the first is reported, with the cause that was found first.
    assertEquals(await told({ energies: [[0, NaN]] }, { before: 2 }), [1, 1, 1]);
    assertEquals(await told({ energies: [[2, NaN]] }, { before: 2 }), [3, 0, 1]);
    assertEquals(await told({ energies: [[3, NaN]] }, { before: 2 }), [3, 0, 1]);
  },
);
