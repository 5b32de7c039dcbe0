// Atoms and coordinates that stay where they are, whatever the scheme does.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import {
  type Constraint,
  ConvergenceHook,
  Dynamics,
  FIRE,
  fire2Relaxer,
  fireRelaxer,
  fixAtoms,
  fixCenterOfMass,
  fixComponents,
  fixMasked,
  type Integrator,
  langevin,
  NVE,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { defineKernel } from "../../src/kernels/mod.ts";
import { tethers } from "../../src/models/mod.ts";
import { FreezeAtomsHook, MaxForceClampHook, WrapPeriodicHook } from "../../src/observe/mod.ts";
import { ARGON, assertNear, assertSameBits, bitsOf, crystals, idle, push } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

const SCHEMES: readonly (() => Integrator)[] = [
  () => velocityVerlet({ dt: 2 }),
  () => langevin({ dt: 2, temperature: 60, friction: 0.05, seed: 1 }),
  () => fireRelaxer({ dt: 0.5 }),
  () => fire2Relaxer({ dt: 0.5 }),
];

const K_B = 8.617333262e-5;

async function run(
  scheme: Integrator,
  batch: Batch,
  backend: EngineBackend,
  { constraints, hooks = [], steps = 20 }: {
    readonly constraints: readonly Constraint[];
    readonly hooks?: readonly object[];
    readonly steps?: number;
  },
): Promise<Batch> {
  await using md = new Dynamics(scheme, {
    model: ARGON,
    constraints,
    hooks: hooks as never[],
    ...where(backend),
  });
  return await md.run(batch, steps);
}

Deno.test(
  "fixed atoms do not move by a bit under any scheme, feel no force and have no velocity, wrapped or not; the others move",
  onEngines(async (backend) => {
    for (const scheme of SCHEMES) {
      for (const hooks of [[], [idle()], [new WrapPeriodicHook()]]) {
        const before = crystals(2), batch = before.clone();
        const isFixed = (i: number) => i < 3 || i === 40;
        await run(scheme(), batch, backend, {
          constraints: [fixAtoms(({ index }) => isFixed(index))],
          hooks,
        });
        const rows = (name: "positions" | "velocities" | "forces", of: Batch, wanted: boolean) =>
          [...of.get(name)].filter((_, i) => isFixed(Math.floor(i / 3)) === wanted);
        if (hooks.length === 0) {
          assertEquals(rows("positions", batch, true), rows("positions", before, true));
        }
        for (const name of ["velocities", "forces"] as const) {
          assert(rows(name, batch, true).every((x) => x === 0), name);
        }
        const was = rows("positions", before, false);
        assert(rows("positions", batch, false).every((x, i) => x !== was[i]));
      }
    }
  }),
);

Deno.test(
  "fixAtoms moves the other atoms bitwise identically to FreezeAtomsHook, in all ways to run steps",
  onEngines(async (backend) => {
    for (const scheme of SCHEMES) {
      const [a, b, c] = [crystals(2), crystals(2), crystals(2)];
      // Velocities are 0 from the beginning in both.
      for (const batch of [a, b, c]) {
        batch.set("velocities", batch.get("velocities").map((v, i) => i < 9 ? 0 : v));
      }
      const choice = [0, 1, 2];
      await run(scheme(), a, backend, { constraints: [fixAtoms(choice)] });
      await run(scheme(), b, backend, { constraints: [fixAtoms(choice)], hooks: [idle()] });
      await run(scheme(), c, backend, {
        constraints: [],
        hooks: [new FreezeAtomsHook({ atoms: choice })],
      });
      assertSameBits(bitsOf(b), bitsOf(a), "looked at");
      assertSameBits(bitsOf(c), bitsOf(a), "frozen");
    }
  }),
);

Deno.test(
  "fixed components keep their coordinate exactly, and their atoms move along the others",
  onEngines(async (backend) => {
    for (const scheme of SCHEMES) {
      for (const directions of ["z", [false, false, true]] as const) {
        const before = crystals(1), batch = before.clone();
        await run(scheme(), batch, backend, { constraints: [fixComponents([0, 5], directions)] });
        for (let k = 0; k < 96; k++) {
          const isFixed = k === 2 || k === 17;
          assertEquals(batch.get("positions")[k] === before.get("positions")[k], isFixed, `${k}`);
          if (isFixed) assertEquals(batch.get("velocities")[k], 0);
        }
      }
    }
  }),
);

Deno.test(
  "the center of mass stays where it is, and the momentum 0, in molecular dynamics and relaxations",
  onEngines(async (backend, name) => {
    for (const scheme of SCHEMES) {
      const masses = Float64Array.from({ length: 64 }, (_, i) => 20 + i % 7);
      const batch = crystals(2);
      batch.set("masses", masses);
      batch.set("velocities", batch.get("velocities").map((v) => v + 0.001));
      const centers = (of: ArrayLike<number>) =>
        [0, 1].flatMap((s) =>
          [0, 1, 2].map((k) => {
            const own = Array.from({ length: 32 }, (_, i) => 32 * s + i);
            const sum = own.reduce((sum, i) => sum + masses[i]! * of[3 * i + k]!, 0);
            return sum / own.reduce((sum, i) => sum + masses[i]!, 0);
          })
        );
      const before = centers(batch.get("positions"));
      await run(scheme(), batch, backend, { constraints: [fixCenterOfMass()], steps: 100 });
      const slack = name === "reference" ? 1e-12 : 2e-6;
      assertNear(centers(batch.get("positions")), before, slack, 1);
      assertNear(centers(batch.get("velocities")), Array(6).fill(0), slack / 100, 1);
    }
  }),
);

Deno.test(
  "a center of mass that is held bears a force on all atoms, which relaxations do not see",
  onEngines(async (backend) => {
    const batch = Batch.from([
      new System({ symbols: ["H", "O"], positions: [0, 0, 0, 3, 0, 0], masses: [1, 16] }),
    ]);
    await using opt = new FIRE({
      model: push(1),
      dt: 0.1,
      constraints: [fixCenterOfMass()],
      ...where(backend),
      hooks: [ConvergenceHook.fromFmax(1e-4)],
    });
    await opt.run(batch, 50);
    // A force of 1 on each: what would move the center is 17/(1 + 256) of each one's mass.
    assertNear([batch.get("forces")[0]!], [1 - 17 / 257], 1e-6);
    assertNear([batch.get("forces")[3]!], [1 - 16 * 17 / 257], 1e-6);
    const [x, y] = [batch.get("positions")[0]!, batch.get("positions")[3]!];
    assertNear([x + 16 * y], [48], 1e-6);
    assert(x > 0.1);
  }),
);

Deno.test(
  "temperatures are those of the degrees of freedom that are left, each counted once",
  onEngines(async (backend) => {
    const kinetic = (batch: Batch) =>
      [...batch.get("velocities")].reduce(
        (sum, v, i) => sum + 0.5 * 103.642696562 * batch.get("masses")[Math.floor(i / 3)]! * v * v,
        0,
      );
    const cases: readonly [readonly Constraint[], readonly object[], number][] = [
      [[], [], 93],
      [[fixAtoms([0, 1])], [], 90],
      [[fixAtoms([0, 1]), fixComponents([1, 2], "x")], [], 89],
      [[fixComponents([3], "z")], [], 93], // the momentum along z, which had been removed, is gone
      [[fixCenterOfMass()], [], 93],
      [[fixCenterOfMass(), fixAtoms([0])], [], 90],
      [[fixAtoms([0, 1])], [new FreezeAtomsHook({ atoms: [1, 2] })], 87],
    ];
    for (const [constraints, hooks, freedom] of cases) {
      const batch = crystals(1);
      let seen = NaN;
      const look = hook({
        name: "look",
        reads: ["temperature"],
        on: { dynamics: { AFTER_STEP: ({ read }) => void (seen = read.temperature[0]!) } },
      });
      await run(velocityVerlet({ dt: 1 }), batch, backend, {
        constraints,
        hooks: [look, ...hooks],
        steps: 3,
      });
      assertNear([seen], [2 * kinetic(batch) / (freedom * K_B)], 1e-5);
    }
  }),
);

Deno.test(
  "relaxations converge by the forces on what is free: fmax does not see fixed atoms",
  onEngines(async (backend) => {
    const batch = Batch.from([new System({ symbols: ["H", "H"], positions: [0, 0, 0, 9, 1, 0] })]);
    await using opt = new FIRE({
      // The first is pulled at for ever.
      model: tethers({ stiffness: 1, anchors: [5, 5, 5, 9, 0, 0] }),
      dt: 0.2,
      constraints: [fixAtoms([0])],
      hooks: [ConvergenceHook.fromFmax(1e-3)],
      ...where(backend),
    });
    await opt.run(batch, 500);
    assertEquals(batch.get("status")[0], 1);
    assertNear(batch.get("positions"), [0, 0, 0, 9, 0, 0], 2e-3, 1);
  }),
);

test(
  "what hooks add to the forces of fixed atoms is taken off, too",
  onEnginesAndGpu(async (backend) => {
    const batch = crystals(1);
    const shove = hook({
      name: "shove",
      writes: ["forces"],
      on: {
        dynamics: { AFTER_COMPUTE: ({ write }) => void (write.forces as Float64Array).fill(1) },
      },
    });
    await run(fireRelaxer({ dt: 0.1 }), batch, backend, {
      constraints: [fixAtoms([3])],
      hooks: [shove, new MaxForceClampHook({ maxForce: 5 })],
    });
    assertEquals([...batch.get("forces")].filter((f) => f === 0).length, 3);
  }),
);

/** A custom integrator that moves all atoms by 0.01 Å along x. */
function creep(): Integrator {
  const shift = defineKernel(
    "clamp_forces", // any backend has a kernel of this name; only the reference one runs what is written here
    { positions: "real changed", limit: "number" } as const,
    ({ positions, limit }) => {
      for (let k = 0; k < positions.length; k += 3) positions[k]! += limit;
    },
  );
  return {
    name: "creep",
    open: (state) => ({
      pre: [call(shift, { positions: state.field("positions"), limit: 0.01 })],
      post: [],
    }),
  };
}

test("a custom integrator is constrained, too", async () => {
  const before = crystals(1), batch = before.clone();
  await run(creep(), batch, "reference", { constraints: [fixAtoms([7])], steps: 10 });
  const [was, is] = [before.get("positions"), batch.get("positions")];
  assertEquals(is[21], was[21]);
  assertNear([is[0]! - was[0]!], [0.1], 1e-12);
});

Deno.test(
  "under constraints a system alone has the bits it has in place 63, and a run that was saved goes on to the same",
  onEngines(async (backend, name) => {
    const constraints = [
      fixAtoms(({ place }) => place < 2),
      fixComponents(({ place }) => place === 7, "xz"),
      fixCenterOfMass(),
    ];
    const count = name === "webgpu" ? 8 : 64;
    for (const scheme of SCHEMES.slice(1, 3)) {
      const all = crystals(count), alone = Batch.from([all.system(count - 1)]);
      for (const batch of [all, alone]) {
        await run(scheme(), batch, backend, { constraints, steps: 12 });
      }
      assertSameBits(bitsOf(all, count - 1), bitsOf(alone, 0));
      const options = { model: ARGON, constraints, ...where(backend) };
      await using first = new Dynamics(scheme(), options);
      await using second = new Dynamics(scheme(), options);
      await first.run(crystals(2), 7);
      const rest = await second.load(structuredClone(await first.save()));
      const whole = crystals(2);
      await run(scheme(), whole, backend, { constraints, steps: 12 });
      assertSameBits(bitsOf(await second.run(rest, 5)), bitsOf(whole));
    }
  }),
);

Deno.test(
  "what files say is fixed is fixed: atoms, or components",
  onEngines(async (backend) => {
    for (const [columns, rows] of [["1", ["F", "T"]], ["3", ["F F F", "T F T"]]] as const) {
      const text = `2\nProperties=species:S:1:pos:R:3:move_mask:L:${columns} pbc="F F F"\n` +
        `Ar 0 0 0 ${rows[0]}\nAr 3 1 0.5 ${rows[1]}\n`;
      const batch = Batch.from(parseExtxyz(text));
      await run(fireRelaxer({ dt: 0.5 }), batch, backend, { constraints: [fixMasked()] });
      const [x, y, z, u, v, w] = batch.get("positions") as unknown as number[];
      assertEquals([x, y, z], [0, 0, 0]);
      assertEquals([u === 3, v === 1, w === 0.5], [false, columns === "3", false]);
    }
    await assertRejects(
      () =>
        run(fireRelaxer({ dt: 0.5 }), crystals(1), backend, { constraints: [fixMasked("mask")] }),
      TypeError,
      "the batch must have a field mask",
    );
  }),
);

test("an invalid constraint is refused by name", async () => {
  const batch = crystals(1);
  const tried = (constraints: unknown) => () =>
    run(velocityVerlet({ dt: 1 }), batch, "reference", { constraints: constraints as [] });
  await assertRejects(
    tried([fixAtoms([32])]),
    RangeError,
    "the index of an atom must be an integer from 0 to 31",
  );
  await assertRejects(tried([fixAtoms([true])]), RangeError, "one flag for each of 32 atoms");
  await assertRejects(
    tried(fixAtoms([1])),
    TypeError,
    "constraints must be an array, such as [fixAtoms([0])]",
  );
  await assertRejects(
    tried([{}]),
    TypeError,
    "constraint 0 must be an object with a name and a function hold",
  );
  await assertRejects(
    tried([{ name: "mine", hold: () => ({ fixed: [7] }) }]),
    RangeError,
    "Cannot hold mine: fixed must have one number for each of 32 atoms; got 1",
  );
  assertThrows(
    () => fixAtoms("all" as never),
    TypeError,
    "the atoms to fix must be a function of an atom",
  );
  for (const wrong of ["", "w", "xx", [true], [false, false, false], 3]) {
    assertThrows(() => fixComponents([0], wrong as never), TypeError, "directions must be");
  }
  await using md = new NVE({ model: ARGON, dt: 1, constraints: [fixAtoms([0])] });
  assertEquals(md.constraints.map(({ name }) => name), ["fixAtoms"]);
  initVelocities(batch, 10);
});
