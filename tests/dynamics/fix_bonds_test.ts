// Bonds that keep their lengths: rotors, rigid molecules, chains.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { Batch, fcc, initVelocities, rattle, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  DivergedError,
  Dynamics,
  type DynamicsOptions,
  FIRE,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  fixComponents,
  fuse,
  type Integrator,
  langevin,
  LBFGS,
  NVE,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { alignCells } from "../../src/kernels/cells/align_cells.ts";
import { lennardJones, tethers } from "../../src/models/mod.ts";
import { FreezeAtomsHook, WrapPeriodicHook } from "../../src/observe/mod.ts";
import { assertNear, assertSameBits, bitsOf, idle } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

/** Next to nothing. */
const FREE = lennardJones({ epsilon: 1e-12, sigma: 1, cutoff: 3 });
/** A triangle like water's, whose atoms are drawn to a point. */
const PULLED = tethers({ stiffness: 0.5, anchors: [0.3, 0.2, 0.1] });
const TRIANGLE = [[0, 1], [0, 2], [1, 2]] as const;

/** Lengths of the bonds of a system. */
function lengths(batch: Batch, pairs: readonly (readonly number[])[], system = 0): number[] {
  const { positions } = batch.system(system);
  return pairs.map(([i, j]) =>
    Math.hypot(...[0, 1, 2].map((k) => positions[3 * j! + k]! - positions[3 * i! + k]!))
  );
}

/** Two atoms that turn about their center in the xy plane, at `speed` each. */
function rotor(speed: number): Batch {
  const batch = Batch.from([
    new System({ symbols: ["N", "N"], positions: [0.45, 1, 2, 1.55, 1, 2] }),
  ]);
  batch.set("velocities", Float64Array.from([0, -speed, 0, 0, speed, 0]));
  return batch;
}

/** Water-like molecules near the origin, turned in different ways, with velocities. */
function waters(count: number): Batch {
  const systems = Array.from({ length: count }, (_, n) => {
    const [c, s] = [Math.cos(n), Math.sin(n)];
    const places = [[0, 0, 0], [0.7572, 0.5865, 0], [-0.7572, 0.5865, 0]];
    return new System({
      symbols: ["O", "H", "H"],
      positions: places.flatMap(([x, y]) => [c * x! - s * y!, s * x! + c * y!, 0.1 * n % 1]),
    });
  });
  const batch = Batch.from(systems);
  initVelocities(batch, 300, { seed: 3, removeCom: false });
  return batch;
}

const WATER = lengths(waters(1), TRIANGLE);

async function run(batch: Batch, steps: number, options: DynamicsOptions & { dt: number }) {
  await using md = new NVE(options);
  return await md.run(batch, steps);
}

Deno.test(
  "a rigid rotor keeps its length, its speed and its period",
  onEngines(async (backend, name) => {
    const angles: number[] = [];
    for (const [dt, steps] of [[4, 100], [2, 200], [2, 1000]] as const) {
      const batch = rotor(0.01);
      const constraints = [fixBonds([[0, 1]])];
      await run(batch, steps, { model: FREE, dt, constraints, ...where(backend) });
      const [x, y, , u, v] = batch.get("positions");
      angles.push(Math.atan2(v! - y!, u! - x!));
      const isExact = name === "reference";
      assertNear(lengths(batch, [[0, 1]]), [1.1], isExact ? 1e-10 : 1e-6);
      assertNear(
        [Math.hypot(...batch.get("velocities").slice(0, 3))],
        [0.01],
        isExact ? 1e-9 : 3e-6,
      );
      assertNear([x! + u!, y! + v!], [2, 2], isExact ? 1e-12 : 1e-6);
    }
    const turned = 400 * 0.02 / 1.1 - 2 * Math.PI; // ω = v/r
    const [coarse, fine] = angles.map((angle) => Math.abs(angle - turned));
    assertNear([fine!], [0], 3e-3, 1);
    assertNear([coarse! / fine!], [4], name === "reference" ? 0.01 : 0.05); // of second order
  }),
);

Deno.test(
  "a rigid molecule in a field keeps its shape, and its energy to second order",
  onEngines(async (backend, name) => {
    const spread = async (dt: number) => {
      const batch = waters(3), totals: number[][] = [[], [], []];
      const note = hook({
        name: "note",
        reads: ["energy", "kineticEnergy"],
        on: {
          dynamics: {
            AFTER_STEP: ({ read }) =>
              totals.forEach((all, s) => all.push(read.energy[s]! + read.kineticEnergy[s]!)),
          },
        },
      });
      await run(batch, Math.round(200 / dt), {
        model: PULLED,
        dt,
        hooks: [note],
        ...where(backend),
        constraints: [fixBonds(TRIANGLE)],
      });
      for (let s = 0; s < 3; s++) {
        assertNear(lengths(batch, TRIANGLE, s), WATER, name === "reference" ? 2e-10 : 2e-6);
      }
      return Math.max(...totals.map((all) => Math.max(...all) - Math.min(...all)));
    };
    const [coarse, fine] = [await spread(2), await spread(1)];
    assert(coarse < 0.02, `${coarse}`);
    assertNear([coarse / fine], [4], 0.15);
  }),
);

Deno.test(
  "bonds through a face of the cell are as others, and wrapping changes nothing of them",
  onEngines(async (backend, name) => {
    const free = rotor(0.02);
    await run(free, 200, {
      model: FREE,
      dt: 2,
      constraints: [fixBonds([[0, 1]])],
      ...where(backend),
    });
    for (const cell of [[8, 0, 0, 0, 8, 0, 0, 0, 8], [8, 0, 0, 3, 8, 0, -2, 1, 9]]) {
      const { positions } = rotor(0).system(0);
      const batch = Batch.from([
        new System({
          symbols: ["N", "N"],
          positions: positions.map((x, i) => x - (i < 3 ? 0 : cell[i - 3]!)), // an image of the second
          cell,
          pbc: [true, true, true],
        }),
      ]);
      batch.set("velocities", rotor(0.02).get("velocities"));
      await run(batch, 200, {
        model: FREE,
        dt: 2,
        constraints: [fixBonds([[0, 1]])],
        hooks: [new WrapPeriodicHook()],
        ...where(backend),
      });
      const slack = name === "reference" ? 1e-9 : 2e-5;
      const whole = (k: number) => {
        const images = batch.get("images");
        return batch.get("positions")[k]! +
          [0, 1, 2].reduce((sum, i) => sum + images[k - k % 3 + i]! * cell[3 * i + k % 3]!, 0);
      };
      const found = [0, 1, 2, 3, 4, 5].map((k) => whole(k) + (k < 3 ? 0 : cell[k - 3]!));
      assertNear(found, free.get("positions"), slack, 1);
    }
  }),
);

Deno.test(
  "bonds that follow from others hold no degree of freedom, nor do those between fixed atoms",
  onEngines(async (backend) => {
    const five = [0, 0, 0, 1.2, 0, 0, 0, 1.3, 0, 0, 0, 1.4, 1, 1, 1.1];
    const all = [0, 1, 2, 3, 4].flatMap((i) =>
      [0, 1, 2, 3, 4].slice(i + 1).map((j) => [i, j] as const)
    );
    const model = tethers({ stiffness: 0.1 });
    const freedomOf = async (constraints: DynamicsOptions["constraints"], removeCom = false) => {
      const batch = Batch.from([new System({ symbols: "CCCCC".split(""), positions: five })]);
      initVelocities(batch, 300, { removeCom });
      let found = NaN;
      const look = hook({
        name: "look",
        reads: ["temperature", "kineticEnergy"],
        on: {
          dynamics: {
            AFTER_STEP: ({ read }) =>
              void (found = 2 * read.kineticEnergy[0]! / (8.617333262e-5 * read.temperature[0]!)),
          },
        },
      });
      await run(batch, 2, {
        model,
        dt: 0.5,
        constraints: constraints!,
        hooks: [look],
        ...where(backend),
      });
      return found;
    };
    const near = (found: number, freedom: number) => assertNear([found], [freedom], 1e-6);
    near(await freedomOf([]), 15);
    near(await freedomOf([fixBonds([[0, 1], [1, 2]])]), 13);
    near(await freedomOf([fixBonds(all)]), 6); // a rigid body: nine of ten bonds
    near(await freedomOf([fixBonds(all)], true), 3);
    near(await freedomOf([fixBonds(all), fixCenterOfMass()], true), 3);
    near(await freedomOf([fixBonds([[0, 1], [1, 2]]), fixAtoms([0, 1])]), 8);
    near(await freedomOf([fixBonds([[0, 1]]), fixComponents([0], "x")]), 13);
  }),
);

// ASE 3.29, LennardJones(epsilon=0.0104, sigma=3.4, rc=50), FIRE to 1e-7 eV/Å: distances 01, 02, … 45 and energies.
const CLUSTER = [0, 0, 0, 3.9, 0, 0, 1.8, 3.5, 0, 1.9, 1.2, 3.2, 2.1, 1, -3, 5.6, 3.2, 0.4];
const RELAXED = [
  {
    constraints: [fixAtoms([0, 1])],
    energy: -0.12776636419,
    distances: [
      [3.9, 3.8100678, 3.8062826, 3.8138397, 6.2386794, 3.8458879, 3.8090505, 3.7968681],
      [3.7976649, 3.809522, 3.7969748, 3.7971642, 6.1754205, 3.8144374, 6.3022117],
    ].flat(),
  },
  {
    constraints: [fixBonds([[2, 3], [3, 4]])],
    energy: -0.12752443633,
    distances: [
      [3.8239801, 3.8214069, 3.7880935, 3.7952114, 6.1668501, 3.8620052, 3.791447, 3.7791481],
      [3.7968762, 3.9420807, 3.7818446, 3.7966697, 6.2064483, 3.8134875, 6.2887548],
    ].flat(),
  },
  {
    constraints: [fixAtoms([0, 1]), fixBonds([[2, 3], [4, 5]])],
    energy: -0.12470655929,
    distances: [
      [3.9, 3.7844816, 3.8379687, 3.8478191, 5.9266055, 4.568562, 3.7851023, 3.7619688],
      [3.7614067, 3.9420807, 3.7618001, 3.7620545, 5.9577005, 3.8471629, 5.3525695],
    ].flat(),
  },
  {
    constraints: [fixComponents([0, 1, 2], "z")],
    energy: -0.12795038461,
    distances: [
      [3.8092916, 3.8092916, 3.8069444, 3.8147433, 6.2009538, 3.8472153, 3.8092915, 3.7966898],
      [3.7966904, 3.8092915, 3.7966897, 3.7966903, 6.2009537, 3.814742, 6.2778869],
    ].flat(),
  },
];

Deno.test(
  "relaxations under constraints end where those of ASE do",
  onEngines(async (backend, name) => {
    const model = lennardJones(
      { epsilon: 0.0104, sigma: 3.4, cutoff: 50, truncation: "cut" } as never,
    );
    const every = [0, 1, 2, 3, 4, 5].flatMap((i) =>
      [0, 1, 2, 3, 4, 5].slice(i + 1).map((j) => [i, j] as const)
    );
    for (const { constraints, energy, distances } of RELAXED) {
      const batch = Batch.from([new System({ symbols: Array(6).fill("Ar"), positions: CLUSTER })]);
      const isExact = name === "reference";
      await using opt = new FIRE({
        model,
        dt: 0.5,
        constraints,
        ...where(backend),
        hooks: [ConvergenceHook.fromFmax(isExact ? 1e-6 : 1e-5)],
      });
      await opt.run(batch, 3000);
      assertEquals(batch.get("status")[0], 1, "converged");
      assertNear([batch.get("energy")[0]!], [energy], 3e-6);
      assertNear(lengths(batch, every), distances, isExact ? 2e-4 : 1e-3);
    }
  }),
);

Deno.test(
  "with bonds a system alone has the bits it has among others, looked at or not, and a run that was saved goes on to the same",
  onEngines(async (backend, name) => {
    const count = name === "wasm" ? 64 : 8;
    const schemes: readonly Integrator[] = [
      velocityVerlet({ dt: 1 }),
      langevin({ dt: 1, temperature: 300, friction: 0.02, seed: 4 }),
    ];
    for (const scheme of schemes) {
      const options = {
        model: PULLED,
        constraints: [fixBonds(TRIANGLE)],
        ...where(backend),
      };
      const all = waters(count), alone = Batch.from([all.system(count - 1)]), looked = all.clone();
      for (const [batch, hooks] of [[all, []], [alone, []], [looked, [idle()]]] as const) {
        await using md = new Dynamics(scheme, { ...options, hooks: [...hooks] as never[] });
        await md.run(batch, 30);
      }
      assertSameBits(bitsOf(all, count - 1), bitsOf(alone, 0));
      assertSameBits(bitsOf(looked), bitsOf(all));
      await using first = new Dynamics(scheme, options);
      await using second = new Dynamics(scheme, options);
      await first.run(waters(count), 13);
      const rest = await second.load(structuredClone(await first.save()));
      assertSameBits(bitsOf(await second.run(rest, 17)), bitsOf(all));
    }
  }),
);

Deno.test(
  "bonds may be those of each system, or of a field, and of any length",
  onEngines(async (backend, name) => {
    const slack = name === "reference" ? 1e-9 : 2e-6;
    const two = () => Batch.from([waters(1).system(0), rotor(0.01).system(0)]);
    const model = FREE;
    const own = two();
    await run(own, 20, {
      model,
      dt: 1,
      ...where(backend),
      constraints: [fixBonds([TRIANGLE, [[0, 1]]], { lengths: [[1, 1, 1.6], [1.2]] })],
    });
    assertNear(lengths(own, TRIANGLE), [1, 1, 1.6], slack);
    assertNear(lengths(own, [[0, 1]], 1), [1.2], slack);
    const field = two();
    field.set(
      "partners",
      Int32Array.from([1, 2, 0, -1, -1, 0, 1, -1, -1, -1]),
      { level: "node", width: 2 } as never,
    );
    await run(field, 20, { model, dt: 1, constraints: [fixBonds("partners")], ...where(backend) });
    assertNear(lengths(field, TRIANGLE.slice(0, 2)), WATER.slice(0, 2), slack);
    assertNear(lengths(field, [[0, 1]], 1), [1.1], slack);
  }),
);

Deno.test(
  "no bonds, and bonds between fixed atoms alone, hold nothing",
  onEngines(async (backend) => {
    const ends: Record<string, number[]>[] = [];
    for (const constraints of [[], [fixBonds([])], [fixBonds([[], []])]]) {
      const batch = waters(2);
      await run(batch, 10, { model: PULLED, dt: 0.5, constraints, ...where(backend) });
      ends.push(bitsOf(batch));
    }
    for (const end of ends.slice(1)) assertSameBits(end, ends[0]!);
    const fixed = waters(2);
    const constraints = [fixBonds([[0, 1]]), fixAtoms(({ place }) => place < 2)];
    await run(fixed, 10, { model: PULLED, dt: 0.5, constraints, ...where(backend) });
    assertEquals(fixed.get("positions").slice(0, 6), waters(2).get("positions").slice(0, 6));
  }),
);

Deno.test(
  "bonds that cannot have their lengths end the run, with the system and the step",
  onEngines(async (backend) => {
    const batch = waters(3);
    const bad = [[1, 1, 1.6], [1, 1, 2.5], [1, 1, 1.6]]; // no triangle has such sides
    await using md = new NVE({
      model: PULLED,
      dt: 1,
      ...where(backend),
      constraints: [fixBonds([TRIANGLE, TRIANGLE, TRIANGLE], { lengths: bad, maxIterations: 50 })],
    });
    const error = await assertRejects(
      () => md.run(batch, 10),
      DivergedError,
      "fixBonds could not restore all bond lengths",
    );
    assertEquals([error.step, error.systems], [-1, [1]]);
    const fast = rotor(2); // half a turn in each step
    await using other = new NVE({
      model: FREE,
      dt: 1,
      constraints: [fixBonds([[0, 1]])],
      ...where(backend),
    });
    const late = await assertRejects(() => other.run(fast, 10), DivergedError);
    assertEquals([late.step, late.systems], [0, [0]]);
  }),
);

test("invalid bonds are refused by name", async () => {
  for (
    const [bonds, error, message] of [
      [3, TypeError, "bonds must be an array of pairs of atoms"],
      [[[0, 1], [1]], TypeError, "bond 1 must be two indices of atoms"],
      [[[0, -1]], TypeError, "bond 0 must be two indices"],
      [[[0, 1], [2, 2]], RangeError, "bond 1 must join two different atoms"],
      [[[0, 1], [1, 0]], RangeError, "bond 1 must be listed only once"],
      [[[[0, 1]], 4], TypeError, "the bonds of system 1 must be an array of pairs"],
      [[[], [[1, 1]]], RangeError, "bond 0 of system 1 must join two different atoms"],
    ] as const
  ) assertThrows(() => fixBonds(bonds as never), error, message);
  for (
    const [options, error, message] of [
      [3, TypeError, "its options must be an object"],
      [{ length: 1 }, TypeError, "its options must be among lengths"],
      [{ lengths: 0 }, RangeError, "lengths must be above 0"],
      [{ lengths: [1, -1] }, RangeError, "lengths must be above 0"],
      [{ lengths: "1" }, TypeError, "lengths must be a number"],
      [{ tolerance: 0 }, RangeError, "tolerance must be above 0"],
      [{ maxIterations: 0 }, RangeError, "maxIterations must be a positive integer"],
    ] as const
  ) assertThrows(() => fixBonds([[0, 1]], options as never), error, message);
  const tried = async (
    batch: Batch,
    constraints: DynamicsOptions["constraints"],
    options: object = {},
  ) => void await run(batch, 1, { model: FREE, dt: 1, constraints: constraints!, ...options });
  const water = () => waters(1);
  const cases: readonly [() => Promise<void>, typeof Error, string][] = [
    [
      () => tried(water(), [fixBonds([[0, 3]])]),
      RangeError,
      "the atom indices of bond 0 of system 0 must be less than 3, the number of atoms in that system; got 3",
    ],
    [
      () => tried(water(), [fixBonds([[[0, 1]], []])]),
      RangeError,
      "or one for each of 1; got 2 lists",
    ],
    [() => tried(water(), [fixBonds("none")]), TypeError, "the batch must have a field none"],
    [
      () => tried(water(), [fixBonds([[0, 1]], { lengths: [1, 1] })]),
      RangeError,
      "lengths must have one number for each of 1 bonds of system 0; got 2",
    ],
    [
      () => tried(water(), [fixBonds([[0, 1]]), fixBonds([[1, 0]])]),
      RangeError,
      "each bond must be in one constraint only; got the bond of atoms 0 and 1 of system 0 in two",
    ],
    [
      () => tried(water(), [fixBonds([[0, 1]], { lengths: 1.5 }), fixAtoms([0, 1])]),
      RangeError,
      "a bond between fixed atoms must keep its length",
    ],
    [
      () => tried(water(), [fixBonds([[0, 1]]), fixAtoms([0]), fixCenterOfMass()]),
      RangeError,
      "atom 0 of system 0 is fixed and has a bond",
    ],
    [
      () => tried(water(), [fixBonds([[0, 1]])], { hooks: [new FreezeAtomsHook({ atoms: [1] })] }),
      TypeError,
      "a hook holds atom",
    ],
    [
      () => tried(Batch.from([fcc({ element: "Ar", a: 5.26, cells: 1 })]), [fixBonds([[0, 1]])]),
      RangeError,
      "shorter than half the height of the cell",
    ],
  ];
  for (const [attempt, error, message] of cases) await assertRejects(attempt, error, message);
  const same = Batch.from([new System({ symbols: ["H", "H"], positions: [1, 1, 1, 1, 1, 1] })]);
  await assertRejects(
    () => tried(same, [fixBonds([[0, 1]])]),
    RangeError,
    "must not be at the same position",
  );
});

test("a scheme that changes the cell is refused with bonds", async () => {
  const turning: Integrator = {
    name: "turning",
    open(state) {
      const [positions, velocities] = [state.field("positions"), state.field("velocities")];
      const args = { positions, velocities, forces: state.field("forces") };
      const cell = state.field("cell"), pbc = state.field<"i32">("pbc");
      return { pre: [call(alignCells, { cell, ...args, pbc })], post: [] };
    },
  };
  await using md = new Dynamics(turning, { model: FREE, constraints: [fixBonds([[0, 1]])] });
  await assertRejects(
    () => md.run(rotor(0), 1),
    TypeError,
    "changes the cell. Use an integrator with a constant cell",
  );
});

test(
  "bonds give no velocities to what relaxes without them, in a stage as alone",
  onEnginesAndGpu(async (backend) => {
    const start = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.2, 1)]);
    const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
    const constraints = [
      fixBonds(Array.from({ length: 8 }, (_, i) => [2 * i, 2 * i + 1] as const)),
    ];
    const given = { model, ...where(backend) };
    const [alone, staged] = [start.clone(), start.clone()];
    await using opt = new LBFGS({ ...given, constraints, hooks: [ConvergenceHook.fromFmax(1e-9)] });
    await opt.run(alone, 5);
    await using all = fuse(
      new LBFGS({ ...given, nSteps: 5 }),
      new NVE({ ...given, dt: 2, nSteps: 5 }),
      { constraints },
    );
    await all.run(staged, 5);
    assertEquals([...staged.get("stageSteps")], [5, 0]);
    assertNear(staged.get("positions"), alone.get("positions"), 1e-6, 10);
    assert(staged.get("velocities").every((v) => v === 0));
  }),
);
