/** Sequences that are known: measured on other programs, or worked out by hand. */
import { assertEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  type DynamicsOptions,
  FIRE,
  FIRE2,
  type FIRE2Options,
  type FIREOptions,
  LBFGS,
  NVE,
  NVTLangevin,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { ARGON, argon, assertNear, atomAt, bitsOf, crystals, push, spring } from "./atoms.ts";
import { TOLERANCE, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

/** Position and velocity (internal units) of one atom along x after each step. */
interface Watched {
  readonly x: number[];
  readonly v: number[];
}

function watcher(): Watched & { readonly hook: ReturnType<typeof hook> } {
  const seen: Watched = { x: [], v: [] };
  const watch = hook({
    name: "watch",
    reads: ["positions", "velocities"],
    on: {
      dynamics: {
        AFTER_STEP: (ctx) => {
          seen.x.push(ctx.read.positions[0]!);
          seen.v.push(ctx.read.velocities[0]! * TIME_UNIT_FS);
        },
      },
    },
  });
  return { ...seen, hook: watch };
}

async function relaxed(
  engine: typeof FIRE | typeof FIRE2,
  options: FIREOptions & FIRE2Options & DynamicsOptions,
  batch: Batch,
  nSteps: number,
): Promise<number[]> {
  const { x, hook } = watcher();
  await using opt = new engine({ ...options, hooks: [hook] });
  await opt.run(batch, nSteps);
  return x;
}

Deno.test(
  "FIRE follows the golden sequence of a constant force",
  onEngines(async (backend, name) => {
    const x = await relaxed(FIRE, { model: push(1), dt: 0.1, ...where(backend) }, atomAt(0), 9);
    const golden = [.01, .0175, .0275, .04, .055, .0725, .094775, .12293775, .1583456775];
    assertNear(x, golden, TOLERANCE[name]);
  }),
);

Deno.test(
  "FIRE follows the golden sequence of a spring, with its reset at the seventh step",
  onEngines(async (backend, name) => {
    const x = await relaxed(
      FIRE,
      { model: spring(1), dt: 0.5, maxStep: 0.2, ...where(backend) },
      atomAt(1),
      8,
    );
    assertNear(x.slice(0, 6), [.8, .625, .425, .225, .025, -.175], TOLERANCE[name], 1);
    // The last two are known to eight digits.
    assertNear(x.slice(6), [-.16176563, -.15209006], Math.max(TOLERANCE[name], 1e-8), 1);
  }),
);

Deno.test(
  "FIRE's reset halves dt and begins to count anew",
  onEngines(async (backend) => {
    await using opt = new FIRE({ model: spring(1), dt: 0.5, maxStep: 0.2, ...where(backend) });
    const batch = atomAt(1);
    await opt.run(batch, 6);
    const { states: before } = (await opt.save()).resident;
    await opt.run(batch, 1);
    const { states: after } = (await opt.save()).resident;
    assertNear([before.dt![0]! / TIME_UNIT_FS, after.dt![0]! / TIME_UNIT_FS], [.275, .1375], 1e-12);
    assertEquals([before.positive![0], after.positive![0]], [5, 0]);
    assertNear([after.alpha![0]!], [0.1], 1e-12);
  }),
);

test(
  "FIRE2 goes half a step back uphill, and on with a shorter one",
  onEnginesAndGpu(async (backend, name) => {
    const batch = atomAt(0);
    batch.set("velocities", [-1 / TIME_UNIT_FS, 0, 0]);
    const x = await relaxed(FIRE2, { model: push(1), dt: 0.05, ...where(backend) }, batch, 2);
    // v = -1 + 0.05, turned by α = 0.09: 0.91 v + 0.09 |v| = -0.779; dt = 0.75 · 0.05; x = -½ dt v; then from rest.
    assertNear(x, [0.5 * 0.0375 * 0.779, 0.5 * 0.0375 * 0.779 + 0.0375 ** 2], TOLERANCE[name]);
  }),
);

Deno.test(
  "FIRE2 follows the golden sequence of a constant force",
  onEngines(async (backend, name) => {
    const options = { model: push(1), dt: 0.05, delayStep: 2, ...where(backend) };
    const x = await relaxed(FIRE2, options, atomAt(0), 5);
    assertNear(x.slice(0, 4), [.0025, .0075, .015375, .0265378125], TOLERANCE[name]);
    assertNear(x.slice(4), [.0414494695], Math.max(TOLERANCE[name], 2e-9)); // ten digits are known
  }),
);

Deno.test(
  "NVE follows the golden sequence of a harmonic oscillator",
  onEngines(async (backend, name) => {
    const { x, v, hook } = watcher();
    const options = { model: spring(1), dt: 0.1 * TIME_UNIT_FS, ...where(backend) };
    await using md = new NVE({ ...options, hooks: [hook] });
    const batch = atomAt(1);
    await md.run(batch, 3);
    assertNear(x, [.995, .98005, .9552995], TOLERANCE[name]);
    assertNear(v, [-.09975, -.1985025, -.295269975], TOLERANCE[name]);
    // ½ k x² of where it ended.
    assertNear(batch.get("energy"), [.9552995 ** 2 / 2], TOLERANCE[name]);
    assertNear(batch.get("forces"), [-.9552995, 0, 0], TOLERANCE[name]);
  }),
);

test(
  "Langevin without friction follows the golden sequence of NVE",
  onEnginesAndGpu(async (backend, name) => {
    const { x, v, hook } = watcher();
    await using md = new NVTLangevin({
      model: spring(1),
      dt: 0.1 * TIME_UNIT_FS,
      temperature: 300,
      friction: 0,
      ...where(backend),
      hooks: [hook],
    });
    await md.run(atomAt(1), 3);
    assertNear(x, [.995, .98005, .9552995], Math.max(TOLERANCE[name], 1e-14));
    assertNear(v, [-.09975, -.1985025, -.295269975], TOLERANCE[name]);
  }),
);

Deno.test(
  "Langevin without friction moves a crystal as NVE does",
  onEngines(async (backend, name) => {
    const [one, other] = [crystals(2), crystals(2)];
    await using nve = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await using nvt = new NVTLangevin({
      model: ARGON,
      dt: 2,
      ...where(backend),
      temperature: 300,
      friction: 0,
      seed: 3,
    });
    await nve.run(one, 50);
    await nvt.run(other, 50);
    // Half a drift twice is a drift but for rounding, which a crystal of 40 K lets grow slowly.
    const tolerance = name === "reference" ? 1e-12 : 1e-5;
    assertNear(other.get("positions"), one.get("positions"), tolerance, 10);
    assertNear(other.get("velocities"), one.get("velocities"), 10 * tolerance, 1e-3);
  }),
);

Deno.test(
  "FIRE brings rattled argon back to the crystal's energy",
  onEngines(async (backend) => {
    const batch = Batch.from([argon(2, 0), argon(3, 1), argon(2, 2)]);
    const hooks = [ConvergenceHook.fromFmax(0.001)];
    await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend), hooks });
    await opt.run(batch, 2000);
    assertEquals([...batch.get("status")], [1, 1, 1]);
    // The energy of a perfect crystal per atom, as ASE has it; forces of 1e-3 eV/Å leave about 1e-6 of that.
    const perAtom = Array.from(
      batch.get("energy"),
      (energy, s) => energy / (batch.nodeOffsets[s + 1]! - batch.nodeOffsets[s]!),
    );
    assertNear(perAtom, Array(3).fill(-0.07760965343394322), 1e-5);
  }),
);

Deno.test(
  "a step at rest changes nothing: no force, no velocity, no move",
  onEngines(async (backend) => {
    const none = { model: push(0), ...where(backend) };
    const engines = [
      new FIRE({ ...none, dt: 0.1 }),
      new FIRE2({ ...none, dt: 0.1 }),
      new LBFGS(none),
      new LBFGS({ ...none, lineSearch: true }),
    ];
    for (const engine of engines) {
      const batch = atomAt(0.5);
      await using opt = engine;
      await opt.run(batch, 3);
      const { positions, velocities } = bitsOf(batch);
      assertEquals(positions, [0.5, 0, 0]);
      assertEquals(velocities, engine instanceof LBFGS ? undefined : [0, 0, 0]);
    }
  }),
);
