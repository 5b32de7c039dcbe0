// Atoms that stay in place, and their effect on the others.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  fire2Relaxer,
  fireRelaxer,
  type Integrator,
  langevin,
  lbfgsRelaxer,
  NVE,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { lennardJones, potential } from "../../src/models/mod.ts";
import {
  AlignCellHook,
  FreezeAtomsHook,
  type FreezeAtomsHookOptions,
  WrapPeriodicHook,
} from "../../src/observe/mod.ts";
import { ARGON, argon, assertNear, crystals } from "../dynamics/atoms.ts";
import { BACKENDS, on, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { engine, sameHowever } from "./modified.ts";
import { test } from "../suite.ts";

const K_B = 8.617333262e-5;

/** Two hot crystals; the first three atoms of each, and every fifth, are of category -1. */
function half(): Batch {
  const batch = crystals(2);
  const isFrozen = (i: number) => i % 32 < 3 || i % 5 === 0;
  batch.set("categories", Int32Array.from({ length: 64 }, (_, i) => isFrozen(i) ? -1 : 2));
  return batch;
}

/** Coordinates of the atoms of category -1. */
function ofFrozen(batch: Batch, name: "positions" | "velocities" | "forces"): number[] {
  const categories = batch.get("categories");
  return [...batch.get(name).filter((_, i) => categories[Math.floor(i / 3)] === -1)];
}

const SCHEMES: readonly (() => Integrator)[] = [
  () => velocityVerlet({ dt: 2 }),
  () => langevin({ dt: 2, temperature: 60, friction: 0.05, seed: 1 }),
  () => fireRelaxer({ dt: 0.5 }),
  () => fire2Relaxer({ dt: 0.5 }),
  () => lbfgsRelaxer(),
];

Deno.test(
  "frozen atoms are bitwise unchanged in every step of every integrator; their velocities and forces are 0",
  onEngines(async (backend, name) => {
    for (const scheme of SCHEMES) {
      const before = half();
      const seen: number[] = [];
      const look = hook({
        name: "look",
        reads: ["positions"],
        on: {
          dynamics: {
            BEFORE_COMPUTE: ({ batch: { nodeCount }, read: { positions } }) => {
              for (let i = 0; i < 3 * nodeCount; i++) {
                if (before.get("categories")[Math.floor(i / 3)] !== -1) continue;
                const is = positions[i]!, was = before.get("positions")[i]!;
                if (is !== (name === "reference" ? was : Math.fround(was))) seen.push(i);
              }
            },
          },
        },
      });
      for (const hooks of [[look, new FreezeAtomsHook()], [new FreezeAtomsHook()]]) {
        await using md = engine(scheme(), { model: ARGON, ...where(backend), hooks });
        const batch = await md.run(half(), 20);
        assertEquals(seen, [], md.name);
        assertEquals(ofFrozen(batch, "positions"), ofFrozen(before, "positions"));
        for (const name of ["velocities", "forces"] as const) {
          assert(ofFrozen(batch, name).every((x) => x === 0), `${md.name} ${name}`);
        }
        const moved = batch.get("positions").filter((x, i) => x !== before.get("positions")[i]);
        assertEquals(moved.length, 192 - ofFrozen(batch, "positions").length);
      }
    }
  }),
);

Deno.test(
  "frozen atoms are at rest before the first step, before the forces and after a step, even if forces stay",
  onEngines(async (backend) => {
    for (const scheme of SCHEMES) {
      let looks = 0;
      const moving: string[] = [];
      const look = hook({
        name: "look",
        reads: ["velocities"],
        on: {
          dynamics: {
            "*": ({ batch: { nodeCount }, read: { velocities } }, stage) => {
              const isDrifting = stage === "dynamics/BEFORE_POST_UPDATE"; // after the kick by forces that stay
              if (isDrifting) return;
              looks++;
              const at = Array.from({ length: 3 * nodeCount }, (_, i) => i)
                .findIndex((i) => frozen[Math.floor(i / 3)] === -1 && velocities[i] !== 0);
              if (at !== -1) moving.push(`${stage} ${at}`);
            },
          },
        },
      });
      const frozen = half().get("categories");
      const hooks = [new FreezeAtomsHook({ zeroForces: false }), look];
      await using md = engine(scheme(), { model: ARGON, ...where(backend), hooks });
      await md.run(half(), 3);
      assertEquals(moving, [], md.name);
      assertEquals(looks > 20, true);
      await using none = engine(scheme(), {
        model: ARGON,
        ...where(backend),
        hooks: [new FreezeAtomsHook()],
      });
      assert(ofFrozen(await none.run(half(), 0), "velocities").every((v) => v === 0));
    }
  }),
);

Deno.test(
  "an atom beside a frozen one moves as in a static field: its own energy is conserved",
  onEngines(async (backend) => {
    const [epsilon, sigma] = [0.0104, 3.4];
    const model = lennardJones({ epsilon, sigma, cutoff: 20, truncation: "cut" });
    const batch = Batch.from([{ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [4.2, 0, 0]] }]);
    const hooks = [new FreezeAtomsHook({ atoms: [0] })];
    await using md = new NVE({ model, dt: 5, ...where(backend), hooks });
    await md.run(batch, 63);
    const x = batch.get("positions")[3]!, v = batch.get("velocities")[3]!;
    const energyAt = (r: number) => 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6);
    const kinetic = 0.5 * batch.get("masses")[1]! * (v * 10.180505710759414) ** 2;
    assert(Math.abs(x - 4.2) > 0.05, `${x}`);
    assertNear([energyAt(x) + kinetic], [energyAt(4.2)], 2e-3);
    assertNear(batch.get("energy"), [energyAt(x)], 1e-5);
    assertEquals([...batch.get("positions").slice(0, 3)], [0, 0, 0]);
  }),
);

Deno.test(
  "temperatures are those of the moving atoms, by their degrees of freedom",
  onEngines(async (backend) => {
    const rows: number[][] = [];
    const look = () =>
      hook({
        name: "look",
        reads: ["temperature", "kineticEnergy"],
        on: {
          dynamics: {
            AFTER_STEP: ({ read: { temperature, kineticEnergy } }) =>
              void rows.push([...temperature, ...kineticEnergy]),
          },
        },
      });
    const batch = half();
    const frozen = [0, 32].map((from) =>
      batch.get("categories").slice(from, from + 32).filter((one) => one === -1).length
    );
    for (
      const [count, hooks] of [
        [1, [new FreezeAtomsHook(), look()]],
        // The union of two hooks counts once.
        [1, [look(), new FreezeAtomsHook(), new FreezeAtomsHook({ atoms: [0, 1, 32] })]],
      ] as const
    ) {
      rows.length = 0;
      await using md = engine(velocityVerlet({ dt: 2 }), {
        model: ARGON,
        ...where(backend),
        hooks,
      });
      await md.run(half(), 4);
      for (const [a, b, ka, kb] of rows as [number, number, number, number][]) {
        assertNear(
          [a, b],
          [ka, kb].map((k, s) => 2 * k / (3 * (32 - count * frozen[s]!) * K_B)),
          1e-6,
        );
      }
      assertEquals(rows.length, 4);
    }
  }),
);

test(
  "a relaxation ignores forces on frozen atoms, unless zeroForces is off",
  on(BACKENDS, async (backend) => {
    const run = async (zeroForces: boolean) => {
      const hooks = [ConvergenceHook.fromFmax(0.001), new FreezeAtomsHook({ zeroForces })];
      await using opt = engine(fireRelaxer({ dt: 0.5 }), {
        model: ARGON,
        ...where(backend),
        hooks,
      });
      const batch = half();
      const before = ofFrozen(batch, "positions");
      await opt.run(batch, 400);
      assertEquals(ofFrozen(batch, "positions"), before);
      return { status: [...batch.get("status")], forces: ofFrozen(batch, "forces") };
    };
    const [zero, felt] = [await run(true), await run(false)];
    assertEquals(zero.status, [1, 1]);
    assertEquals(felt.status, [0, 0]);
    assert(zero.forces.every((x) => x === 0) && felt.forces.some((x) => Math.abs(x) > 0.001));
  }),
);

test(
  "frozen runs are identical, however steps are done, also with wrapping and alignment",
  on(BACKENDS, async (backend) => {
    for (const others of [() => [], () => [new WrapPeriodicHook()], () => [new AlignCellHook()]]) {
      for (const scheme of SCHEMES.slice(1, 3)) {
        const make = (more: readonly object[]) =>
          engine(scheme(), {
            model: ARGON,
            ...where(backend),
            hooks: [...more, ...others(), new FreezeAtomsHook()],
          });
        await sameHowever({ make, batch: half, steps: 20 });
      }
    }
  }),
);

Deno.test(
  "frozen atoms outside their cell are wrapped once; in a cell that is rotated they rotate with it, once",
  onEngines(async (backend) => {
    const run = async (hooks: readonly object[], batch: Batch) => {
      await using md = engine(velocityVerlet({ dt: 2 }), {
        model: ARGON,
        ...where(backend),
        hooks,
      });
      await md.run(batch, 5);
      const positions = ofFrozen(batch, "positions");
      await md.run(batch, 5);
      assertEquals(ofFrozen(batch, "positions"), positions);
      return positions;
    };
    const outside = () => {
      const batch = half();
      batch.get("positions")[0]! -= 10.52;
      return batch;
    };
    const before = ofFrozen(outside(), "positions");
    const wrapped = await run([new WrapPeriodicHook(), new FreezeAtomsHook()], outside());
    const off = (wrapped[0]! - before[0]!) / 10.52;
    assert(Math.round(off) > 0 && Math.abs(off - Math.round(off)) < 1e-6, `${off}`);
    const turned = () => {
      const batch = half();
      for (const name of ["positions", "velocities"] as const) {
        const list = batch.get(name);
        // x → y → z → x: a proper rotation
        for (let i = 0; i < list.length; i += 3) {
          [list[i], list[i + 1], list[i + 2]] = [list[i + 2]!, list[i]!, list[i + 1]!];
        }
      }
      const a = 10.52;
      batch.set("cell", [0, a, 0, 0, 0, a, a, 0, 0, 0, a, 0, 0, 0, a, a, 0, 0]);
      return batch;
    };
    for (
      const hooks of [
        [new AlignCellHook(), new FreezeAtomsHook()],
        [new FreezeAtomsHook(), new AlignCellHook()],
      ]
    ) {
      assertNear(await run(hooks, turned()), ofFrozen(half(), "positions"), 1e-5, 1);
    }
  }),
);

Deno.test(
  "a run in many pieces keeps frozen atoms in triclinic cells where they were wrapped to",
  onEngines(async (backend) => {
    const cell = [[10.3, 0.7, -0.9], [2.1, 11.7, 1.3], [-3.3, 0.3, 12.1]];
    const positions = Array.from(
      { length: 24 },
      (_, i) => [0, 1, 2].map((k) => 40 * Math.sin(9 * i + 2 * k)),
    );
    const make = () =>
      Batch.from([{ symbols: positions.map(() => "Ar"), positions, cell, pbc: true }]);
    const hooks = () => [new WrapPeriodicHook(), new FreezeAtomsHook({ atoms: () => true })];
    const still = potential(() => 0);
    const options = () => ({ model: still, ...where(backend), hooks: hooks() });
    await using once = engine(velocityVerlet({ dt: 1 }), options());
    const whole = await once.run(make(), 10);
    assert(whole.get("images").filter((n) => n !== 0).length > 40);
    await using often = engine(velocityVerlet({ dt: 1 }), options());
    const pieces = make();
    for (let i = 0; i < 5; i++) await often.run(pieces, 2);
    assertEquals(pieces.get("positions"), whole.get("positions"));
    assertEquals(pieces.get("images"), whole.get("images"));
  }),
);

test("atoms are selected by category, by a function, by flags or by indices", async () => {
  const held = async (options: FreezeAtomsHookOptions) => {
    const batch = Batch.from([argon(1, 1), new System({ symbols: ["Ne"], positions: [1, 2, 3] })]);
    batch.set("categories", [0, -1, 7, 7, -1]);
    batch.set("velocities", 0.001);
    await using md = engine(velocityVerlet({ dt: 1 }), {
      model: ARGON,
      device: "reference" as const,
      hooks: [new FreezeAtomsHook(options)],
    });
    const before = batch.get("positions").slice();
    await md.run(batch, 2);
    return [0, 1, 2, 3, 4].filter((i) => batch.get("positions")[3 * i] === before[3 * i]);
  };
  assertEquals(await held({}), [1, 4]);
  assertEquals(await held({ freezeCategory: 7 }), [2, 3]);
  assertEquals(await held({ freezeCategory: 3 }), []);
  assertEquals(await held({ atoms: [0, 3] }), [0, 3]);
  assertEquals(await held({ atoms: [] }), []);
  assertEquals(await held({ atoms: [false, true, false, false, true] }), [1, 4]);
  assertEquals(await held({ atoms: Uint8Array.of(1, 0, 0, 0, 0) }), [0]);
  assertEquals(await held({ atoms: ({ number }) => number === 10 }), [4]);
  assertEquals(await held({ atoms: ({ system, place }) => system === 0 && place > 1 }), [2, 3]);
  assertEquals(await held({ atoms: ({ index, position: [x, y] }) => index > 3 && x + y === 3 }), [
    4,
  ]);
});

test("atoms that were moved between runs are frozen at the new position; disabled, atoms move and count again", async () => {
  const batch = half();
  const temperatures: number[][] = [];
  const look = hook({
    name: "look",
    reads: ["temperature", "kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read: { temperature, kineticEnergy } }) =>
          void temperatures.push([temperature[0]!, kineticEnergy[0]!]),
      },
    },
  });
  const freeze = new FreezeAtomsHook();
  await using md = engine(velocityVerlet({ dt: 2 }), {
    model: ARGON,
    device: "reference" as const,
    hooks: [freeze, look],
  });
  await md.run(batch, 3);
  batch.get("positions")[0]! += 0.25;
  initVelocities(batch, 40, { seed: 2 });
  const there = ofFrozen(batch, "positions");
  await md.run(batch, 3);
  assertEquals(ofFrozen(batch, "positions"), there);
  md.hooks.disable("FreezeAtomsHook");
  await md.run(batch, 3);
  assert(ofFrozen(batch, "positions").every((x, i) => x !== there[i]));
  const [t, k] = temperatures.at(-1) as [number, number];
  const isFree = [93, 96].some((freedom) => Math.abs(2 * k / (freedom * K_B) / t - 1) < 1e-9);
  assert(isFree, `${2 * k / (t * K_B)}`);
});

test("errors name atoms that cannot be frozen", async () => {
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [null, TypeError, "options must be an object"],
    [{ freezeCategory: 0.5 }, RangeError, "a whole number"],
    [{ freezeCategory: "SPECIAL" }, TypeError, "a number"],
    [
      { atoms: "all" },
      TypeError,
      "atoms must be a function of an atom, an array of one flag per atom",
    ],
    [{ zeroForces: 1 }, TypeError, "true or false"],
    [
      { atoms: [1], freezeCategory: 2 },
      TypeError,
      "freezeCategory must be left out if atoms are given; got 2",
    ],
    [{ frequency: 2 }, TypeError, "among freezeCategory, atoms, zeroForces"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(() => new FreezeAtomsHook(options as FreezeAtomsHookOptions), error, message);
  }
  const run = async (atoms?: unknown) => {
    const batch = crystals(1);
    const hooks = [new FreezeAtomsHook(atoms === undefined ? {} : { atoms: atoms as number[] })];
    await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks });
    await md.run(batch, 1);
  };
  await assertRejects(() => run(), TypeError, "the batch must have the field categories");
  await assertRejects(() => run([32]), RangeError, "from 0 to 31; got 32");
  await assertRejects(() => run([1.5]), RangeError, "got 1.5");
  await assertRejects(
    () => run([true]),
    RangeError,
    "one flag for each of 32 atoms; got 1",
  );
  await assertRejects(
    () => run(() => 1),
    TypeError,
    "must return true or false; got 1",
  );
});
