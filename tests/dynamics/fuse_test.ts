/** Engines as stages of one: the systems that each moves, for how many steps, and the unchanged others. */
import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, fcc, initVelocities, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  type DynamicsOptions,
  FIRE,
  fireRelaxer,
  fixAtoms,
  fixBonds,
  fuse,
  type FusedDynamics,
  type Integrator,
  NPH,
  NPT,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
} from "../../src/dynamics/mod.ts";
import { type Model, tethers } from "../../src/models/mod.ts";
import { hook } from "../../src/hook.ts";
import {
  ARGON,
  argon,
  assertNear,
  assertSameBits,
  atomAt,
  bitsOf,
  crystals,
  idle,
  push,
  spring,
} from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

/** A model that counts how often it is evaluated. */
function counted(model: Model): { model: Model; readonly calls: number } {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    model: {
      ...model,
      open(state) {
        const opened = model.open(state);
        return {
          ...opened,
          compute: (wanted) => {
            calls++;
            return opened.compute?.(wanted);
          },
        };
      },
    },
  };
}

/** Relaxation, heat, and free motion of argon. */
function threeStages(backend: EngineBackend, model: Model = ARGON): FusedDynamics {
  const place = where(backend);
  return fuse(
    new FIRE({ model, dt: 0.4, ...place, hooks: [ConvergenceHook.fromFmax(0.03)] }),
    new NVTLangevin({ model, dt: 2, temperature: 60, friction: 0.02, nSteps: 9, ...place }),
    new NVE({ model, dt: 3, nSteps: 6, ...place }),
  );
}

/** Crystals that take their time to relax, and some that do not. */
function mixed(count: number): Batch {
  const systems = Array.from(
    { length: count },
    (_, seed) => argon(2, seed, 0.01 + 0.02 * (seed % 5)),
  );
  return Batch.from(systems);
}

const stepsOf = (batch: Batch) => {
  const steps = Array.from(batch.get("stageSteps"));
  const width = steps.length / batch.size;
  return Array.from({ length: batch.size }, (_, s) => steps.slice(width * s, width * (s + 1)));
};

test(
  "k steps of three stages are k evaluations of the model, and one before the first",
  onEnginesAndGpu(async (backend) => {
    const { model, ...count } = countedArgon();
    await using all = threeStages(backend, model);
    await all.run(mixed(5), 25);
    assertEquals(all.stepCount, 25);
    assertEquals(count.calls(), 26);
  }),
);

function countedArgon() {
  const one = counted(ARGON);
  return { model: one.model, calls: () => one.calls };
}

Deno.test(
  "stages of 3 and then 4 steps do 3 and 4 updates, and the run ends with the last of them",
  onEngines(async (backend) => {
    for (const hooks of [[], [idle()]]) {
      const model = push(0.01);
      const place = where(backend);
      const batch = Batch.from([...atomAt(0).systems(), ...atomAt(5).systems()]);
      await using all = fuse(
        new NVE({ model, dt: 1, nSteps: 3, ...place }),
        new NVE({ model, dt: 2, nSteps: 4, ...place }),
        { hooks },
      );
      await all.run(batch);
      assertEquals(stepsOf(batch), [[3, 4], [3, 4]]);
      assertEquals([...batch.get("stepsDone")], [7, 7]);
      assertEquals([...batch.get("status")], [2, 2]);
      assertEquals([all.stepCount, all.outcome], [7, { status: "completed" }]);
      assertEquals([...batch.get("time")], [11, 11]);
      // Constant force: x = x₀ + ½ a t², v = a t.
      const a = 0.01 * 9.648533212331e-3;
      assertNear([batch.get("velocities")[0]!], [11 * a], 1e-6);
      assertNear([batch.get("positions")[0]!], [0.5 * a * 121], 1e-6);
    }
  }),
);

Deno.test(
  "a system that meets the criteria of all stages at once does an update in each",
  onEngines(async (backend) => {
    for (const hooks of [[], [idle()]]) {
      const model = push(0.01);
      const stage = (dt: number, more: Partial<DynamicsOptions> = {}) =>
        new NVE({
          model,
          dt,
          ...where(backend),
          ...more,
          hooks: [ConvergenceHook.fromFmax(10)],
        });
      const batch = atomAt(0);
      await using all = fuse(stage(1), stage(2, { nSteps: 1 }), stage(4), { hooks });
      await all.run(batch);
      assertEquals(stepsOf(batch), [[1, 1, 1]]);
      assertEquals([...batch.get("time")], [7]);
    }
  }),
);

Deno.test(
  "each system is moved only by the engine of its stage: systems of other sizes and stages stay bitwise identical",
  onEngines(async (backend) => {
    const systems = [argon(1, 0), argon(2, 1), argon(1, 2, 0.3), argon(2, 3)];
    const batch = Batch.from(systems);
    initVelocities(batch, 50, { seed: 2 });
    batch.set("status", [0, 1, 2, 1]);
    const before = bitsOf(batch, 2, ["positions", "velocities"]);
    const place = where(backend);
    await using all = fuse(
      new FIRE({ model: ARGON, dt: 0.4, nSteps: 50, ...place }),
      new NVE({ model: ARGON, dt: 2, ...place }),
    );
    await all.run(batch, 10);
    assertEquals(stepsOf(batch), [[10, 0], [0, 10], [0, 0], [0, 10]]);
    assertEquals([...batch.get("status")], [0, 1, 2, 1]);
    assertEquals([...batch.get("stepsDone")], [10, 10, 0, 10]);
    assertSameBits(bitsOf(batch, 2, ["positions", "velocities"]), before);
    for (
      const [s, engine] of [[0, fireRelaxer({ dt: 0.4 })], [1, undefined], [3, undefined]] as const
    ) {
      const alone = Batch.from(systems);
      initVelocities(alone, 50, { seed: 2 });
      const one = Batch.from([alone.system(s)]);
      await using single = engine === undefined
        ? new NVE({ model: ARGON, dt: 2, ...place })
        : new Dynamics(engine, { model: ARGON, ...place });
      await single.run(one, 10);
      const fields = ["positions", "velocities", "forces", "energy", "stepsDone"] as const;
      assertSameBits(bitsOf(batch, s, fields), bitsOf(one, 0, fields), `system ${s}`);
    }
  }),
);

Deno.test(
  "every scheme moves a system of its stage as it does by itself, and conserves the same",
  onEngines(async (backend) => {
    const place = where(backend), model = ARGON, dt = 2;
    const make = (conserved: number[]): Dynamics[] => {
      const look = () =>
        hook({
          name: "look",
          frequency: 1,
          reads: ["conservedEnergy"],
          on: {
            dynamics: { AFTER_STEP: (ctx) => void conserved.push(...ctx.read.conservedEnergy) },
          },
        });
      const all = { model, dt, ...place };
      const heat = { ...all, temperature: 40 };
      return [
        new NVTNoseHoover({ ...heat, thermostatTime: 50, hooks: [look()] }),
        new NVTBussi({ ...heat, thermostatTime: 50, hooks: [look()] }),
        new NPH({ ...all, pressure: 1e-4, barostatTime: 200, hooks: [look()] }),
        new NPT({
          ...heat,
          pressure: 1e-4,
          barostatTime: 200,
          thermostatTime: 50,
          hooks: [look()],
        }),
      ];
    };
    for (const [i] of make([]).entries()) {
      const both = crystals(2), alone = Batch.from([both.system(1)]);
      both.set("status", [0, 1]);
      const inFused: number[] = [], byItself: number[] = [];
      await using fused = fuse(
        new FIRE({ model, dt: 0.3, nSteps: 99, ...place }),
        make(inFused)[i]!,
      );
      await fused.run(both, 8);
      await using single = make(byItself)[i]!;
      await single.run(alone, 8);
      const fields = ["positions", "velocities", "cell", "stepsDone"] as const;
      assertSameBits(bitsOf(both, 1, fields), bitsOf(alone, 0, fields), single.name);
      assertEquals([single.name, inFused], [single.name, byItself]);
    }
  }),
);

Deno.test(
  "a system alone has the bits that it has in place 63, among others in all stages",
  onEngines(async (backend, name) => {
    const many = name === "webgpu" ? 8 : 64;
    for (const hooks of [[], [idle()]]) {
      const all = mixed(many);
      all.set("status", Array.from({ length: many }, (_, s) => s === many - 1 ? 0 : s % 4));
      const alone = Batch.from([all.system(many - 1)]);
      for (const batch of [all, alone]) {
        await using fused = fuse(threeStages(backend), { hooks });
        await fused.run(batch, 40);
      }
      assertNotEquals(stepsOf(alone), [[40, 0, 0]]);
      assertSameBits(bitsOf(all, many - 1), bitsOf(alone, 0));
      assertEquals(stepsOf(all).at(-1), stepsOf(alone)[0]);
    }
  }),
);

Deno.test(
  "what a relaxation keeps of a system stays as it is while the system is in another stage, and two keep it apart",
  onEngines(async (backend) => {
    const place = where(backend), model = ARGON;
    const batch = mixed(3);
    batch.set("status", [0, 1, 2]);
    const one = new FIRE({ model, dt: 0.4, nSteps: 100, ...place });
    const two = new FIRE({ model, dt: 0.2, nSteps: 100, ...place });
    await using all = fuse(one, two, new NVE({ model, dt: 1, ...place }));
    await all.run(batch, 30);
    const { resident: { states } } = await all.save();
    const dt = [...states["FIRE/dt"]!], other = [...states["FIRE-2/dt"]!];
    const unit = 10.180505710759414;
    assert(dt[0] !== Math.fround(0.4 * unit) && other[1] !== 0.2 * unit);
    const far = (x: number, y: number) => Math.abs(x / y - 1) > 1e-3;
    assert(far(dt[0]!, 0.4 * unit) && far(other[1]!, 0.2 * unit));
    for (const s of [1, 2]) assertNear([dt[s]!], [0.4 * unit], 1e-6);
    for (const s of [0, 2]) assertNear([other[s]!], [0.2 * unit], 1e-6);
    for (const s of [1, 2]) assertEquals(states["FIRE/positive"]![s], 0);
    for (const s of [1, 2]) assertNear([states["FIRE/alpha"]![s]!], [0.1], 1e-7);
  }),
);

Deno.test(
  "a system that is sent back to a stage begins it anew",
  onEngines(async (backend) => {
    const place = where(backend), model = ARGON;
    const stages = () =>
      fuse(
        new FIRE({ model, dt: 0.4, nSteps: 12, ...place }),
        new NVE({ model, dt: 1, nSteps: 2, ...place }),
      );
    const twice = Batch.from([argon(2, 1)]), start = twice.clone();
    await using all = stages();
    await all.run(twice);
    for (const name of ["positions", "velocities"] as const) twice.set(name, start.ensure(name));
    twice.set("status", 0);
    await all.run(twice);
    const once = start.clone();
    once.set("stepsDone", 14);
    await using other = stages();
    await other.run(once);
    const fields = ["positions", "velocities", "forces", "energy", "status", "stepsDone"] as const;
    assertSameBits(bitsOf(twice, undefined, fields), bitsOf(once, undefined, fields));
    assertEquals(stepsOf(twice), [[24, 4]]);
  }),
);

test("time is that of the stages a system was in, and relaxation takes none", async () => {
  const batch = mixed(4);
  const seen: number[][] = [];
  const watch = hook({
    name: "watch",
    frequency: 1,
    reads: ["time"],
    on: { dynamics: { AFTER_STEP: (ctx) => void seen.push([...ctx.read.time]) } },
  });
  await using all = fuse(threeStages("wasm"), { hooks: [watch] });
  await all.run(batch, 30);
  await all.run(batch);
  assertEquals([...batch.get("time")], stepsOf(batch).map(([, nvt, nve]) => 2 * nvt! + 3 * nve!));
  assertEquals(stepsOf(batch).map((row) => row.slice(1)), Array(4).fill([9, 6]));
  assertEquals(seen.at(-1), [...batch.get("time")]);
  const steps = seen.slice(1).flatMap((row, i) => row.map((time, s) => time - seen[i]![s]!));
  assertEquals(new Set(steps), new Set([0, 2, 3]));
});

test("what was fused is fused with more, and nothing is lost", async () => {
  const model = ARGON;
  const calls: string[] = [];
  const named = (name: string) =>
    hook({ name, frequency: 1, on: { dynamics: { BEFORE_STEP: () => void calls.push(name) } } });
  const make = () =>
    [
      new FIRE({ model, dt: 0.4, nSteps: 3, hooks: [named("a")] }),
      new NVE({ model, dt: 1, nSteps: 4, hooks: [named("b")] }),
      new NVE({ model, dt: 2, nSteps: 5, hooks: [named("c")], name: "late" }),
    ] as const;
  const [a, b, c] = make();
  const ab = fuse(a, b, { hooks: [named("ab")], nSteps: 6, name: "early" });
  await using all = fuse(ab, c, { hooks: [named("whole")] });
  assertEquals(all.stages, [a, b, c]);
  assertEquals(all.integrator.name, "FIRE+NVE+late");
  assertEquals(all.hooks.list().map(({ name }) => name), [
    "whole",
    "early/ab",
    "FIRE/a",
    "NVE/b",
    "late/c",
  ]);
  const batch = mixed(1);
  await all.run(batch);
  assertEquals(stepsOf(batch), [[3, 3, 5]]); // early lets it do 6 steps in both
  const row = (...names: string[]) => ["whole", ...names];
  assertEquals(calls, [
    ...Array(3).fill(row("early/ab".slice(6), "a")).flat(),
    ...Array(3).fill(row("ab", "b")).flat(),
    ...Array(5).fill(row("c")).flat(),
  ]);
  const [d, e, f] = make();
  await using right = fuse(d, fuse(e, f));
  const other = mixed(1);
  await right.run(other);
  assertEquals(stepsOf(other), [[3, 4, 5]]);
});

test("a stage must say when its systems go on", () => {
  const model = ARGON;
  const nve = (more: object = {}) => new NVE({ model, dt: 1, ...more });
  const exits =
    ": nothing ends the stage NVE, so systems would never reach NVE-2. Pass nSteps to NVE";
  assertThrows(() => fuse(nve(), nve()), TypeError, exits);
  assertThrows(() => fuse(nve({ nSteps: Infinity }), nve()), TypeError, exits);
  assertThrows(
    () => fuse(fuse(nve({ nSteps: 1 }), nve()), nve()),
    TypeError,
    "nothing ends the stage NVE-2",
  );
  assertThrows(() => fuse(nve({ nSteps: 0 }), nve()), RangeError, "must be above 0");
  fuse(nve({ nSteps: 1 }), nve());
  fuse(nve({ hooks: [ConvergenceHook.fromFmax()] }), nve());
  fuse(fuse(nve({ nSteps: 1 }), nve(), { nSteps: 5 }), nve());
  fuse(nve(), nve(), { hooks: [new ConvergenceHook({ sourceStatus: 0, targetStatus: 1 })] });
});

test("values that are not engines, and engines that cannot share a model or a device, are not fused", () => {
  const nve = (more: object = {}) => new NVE({ model: ARGON, dt: 1, nSteps: 1, ...more });
  const one = nve();
  // deno-lint-ignore no-explicit-any -- a caller without types
  assertThrows(() => fuse(one, 3 as any, nve()), TypeError, "stage 1 must be an engine");
  assertThrows(() => fuse(one, one), TypeError, "must be different engines; got NVE twice");
  assertThrows(
    () => fuse(one, nve({ model: spring(1) })),
    TypeError,
    "all stages must have the same model object",
  );
  assertThrows(() => fuse(one, nve({ device: "reference" })), TypeError, "the same device");
  const two = nve({ device: "reference" });
  assertEquals(fuse(one, two, { device: "reference" }).backend.name, "reference");
  assertThrows(() => fuse(one, nve()), Error, "it is a stage of");
  // deno-lint-ignore no-explicit-any -- a caller without types
  assertThrows(() => fuse(nve(), nve(), { nStep: 3 } as any), TypeError, "nStep");
});

test("a stage is run by the whole alone, and a system must be in a stage", async () => {
  const nve = () => new NVE({ model: ARGON, dt: 1, nSteps: 2 });
  const one = nve();
  await using all = fuse(one, nve());
  await assertRejects(() => one.run(mixed(1), 1), Error, "it is a stage of NVE+NVE-2");
  const batch = mixed(2);
  batch.set("status", [0, -1]);
  await assertRejects(() => all.run(batch), RangeError, "the status of system 1");
});

test("systems that are done when a run begins stay at rest, and the run is over if all are", async () => {
  const batch = mixed(2);
  batch.set("status", [3, 7]);
  await using all = threeStages("wasm");
  await all.run(batch);
  assertEquals([all.stepCount, ...batch.get("stepsDone")], [0, 0, 0]);
  batch.set("status", [3, 2]);
  await all.run(batch);
  assertEquals([all.stepCount, ...batch.get("stepsDone")], [6, 0, 6]);
});

/** A custom integrator without state. */
const STILL: Integrator = { name: "Still", open: () => ({ pre: [], post: [] }) };

test("a run of nSteps leaves systems where they are, and goes on with them", async () => {
  const batch = mixed(2);
  await using all = fuse(
    new Dynamics(STILL, { model: ARGON, nSteps: 5 }),
    new Dynamics({ ...STILL, name: "Other" }, { model: ARGON }),
    { nSteps: 3 },
  );
  await all.run(batch);
  assertEquals([...batch.get("status")], [0, 0]);
  await all.run(batch);
  assertEquals([...batch.get("status"), ...batch.get("stepsDone")], [1, 1, 6, 6]);
  assertEquals(stepsOf(batch), [[5, 1], [5, 1]]);
});

test("a hook of the whole that decides has all systems that meet it done", async () => {
  const batch = crystals(2, 0);
  batch.set("status", [0, 1]);
  await using all = fuse(
    new NVE({ model: ARGON, dt: 1, nSteps: 50 }),
    new NVE({ model: ARGON, dt: 1 }),
    { hooks: [ConvergenceHook.fromFmax(100)], nSteps: 10 },
  );
  await all.run(batch);
  assertEquals([...batch.get("status"), all.stepCount], [2, 2, 1]);
});

test("a ConvergenceHook that sends systems back, or nowhere, is refused", async () => {
  const nve = (more: object = {}) => new NVE({ model: ARGON, dt: 1, nSteps: 2, ...more });
  const ways: object[] = [{ targetStatus: 0 }, { sourceStatus: 0, targetStatus: 2 }, {
    targetStatus: 4,
  }];
  for (const way of ways) {
    await using all = fuse(nve(), nve({ hooks: [new ConvergenceHook(way)] }), nve());
    await assertRejects(
      () => all.run(mixed(1)),
      RangeError,
      "must be a later stage than its sourceStatus",
    );
  }
});

test("stages on two threads have the bits that they have on one, with hooks of stages and without", async () => {
  const run = async (threads: number, isWatched: boolean) => {
    const batch = mixed(6), seen: string[] = [];
    batch.set("status", [0, 1, 2, 3, 1, 0]);
    const place = { model: ARGON, threads };
    const heat = new NVTLangevin({
      ...place,
      dt: 2,
      temperature: 60,
      friction: 0.02,
      nSteps: 9,
    });
    if (isWatched) {
      heat.hooks.add(hook({
        name: "look",
        frequency: 3,
        reads: ["systemId", "energy", "temperature"],
        on: {
          dynamics: {
            AFTER_STEP: (ctx) =>
              void seen.push(
                `${ctx.stepCount} ${ctx.batch.size} ${[...ctx.read.systemId]} ${ctx.read.energy}`,
              ),
            ON_ADMIT: (ctx) => void seen.push(`${ctx.stepCount} ${[...ctx.read.systemId]}`),
          },
        },
      }));
    }
    await using all = fuse(
      new NVE({ ...place, dt: 1, nSteps: 2, name: "free" }), // whose center of mass rests
      new FIRE({ ...place, dt: 0.4, hooks: [ConvergenceHook.fromFmax(0.03)] }),
      heat,
      new NVE({ ...place, dt: 3, nSteps: 6 }),
    );
    await all.run(batch);
    return { bits: bitsOf(batch), steps: stepsOf(batch), seen };
  };
  const one = await run(1, true), two = await run(2, true), free = await run(2, false);
  assertSameBits(two.bits, one.bits);
  assertSameBits(free.bits, one.bits);
  assertEquals([two.steps, two.seen], [one.steps, one.seen]);
  assert(one.seen.length > 4);
});

test(
  "a hook that sets a status sends systems on, and those it says are done rest",
  onEnginesAndGpu(async (backend) => {
    const batch = mixed(2);
    const send = hook({
      name: "send",
      frequency: 1,
      writes: ["status"],
      on: {
        dynamics: {
          AFTER_STEP: ({ stepCount, write }) => {
            if (stepCount === 2) write.status[0] = 1;
            if (stepCount === 4) write.status.fill(2);
          },
        },
      },
    });
    const nve = () => new NVE({ model: ARGON, dt: 1, nSteps: 99, ...where(backend) });
    await using all = fuse(nve(), nve(), { hooks: [send] });
    await all.run(batch, 20);
    assertEquals(stepsOf(batch), [[3, 2], [5, 0]]);
    assertEquals([...batch.get("stepsDone"), ...batch.get("status")], [5, 5, 2, 2]);
    assertEquals(all.outcome, { status: "completed" });
  }),
);

Deno.test(
  "temperatures count the degrees of freedom of each stage: a bath sets the center of mass in motion, for good",
  onEngines(async (backend) => {
    const batch = Batch.from([argon(1, 0), argon(1, 1), argon(1, 2)]); // four atoms each
    initVelocities(batch, 50, { seed: 2 });
    batch.set("status", [0, 1, 2]);
    const seen: number[][] = [];
    const look = hook({
      name: "look",
      frequency: 1,
      reads: ["temperature", "kineticEnergy"],
      on: {
        dynamics: {
          AFTER_STEP: ({ read }) => {
            const degrees = Array.from(
              read.temperature,
              (kelvin, s) => 2 * read.kineticEnergy[s]! / (kelvin * 8.617333262e-5),
            );
            seen.push(degrees.map((x) => Math.round(1e4 * x) / 1e4));
          },
        },
      },
    });
    const place = { model: ARGON, dt: 1, ...where(backend) };
    await using all = fuse(
      new NVE({ ...place, nSteps: 2 }),
      new NVTLangevin({ ...place, temperature: 50, friction: 0.01, nSteps: 2 }),
      new NVE({ ...place, nSteps: 20 }),
      { hooks: [look] },
    );
    await all.run(batch, 5);
    // One that begins after the bath has not been in it.
    assertEquals(seen, [[9, 12, 9], [9, 12, 9], [12, 12, 9], [12, 12, 9], [12, 12, 9]]);
    await all.run(batch, 0);
    assertEquals([...batch.get("dofRemoved")], [0, 0, 3]);
    batch.set("status", [2, 2, 1]); // set back, into the bath
    await all.run(batch, 2);
    assertEquals(seen.slice(5), [[12, 12, 12], [12, 12, 12]]);
    await all.run(batch, 1);
    assertEquals(seen.at(-1), [12, 12, 12]);
  }),
);

Deno.test(
  "fused stages come to what the engines come to one after the other, each system by itself",
  onEngines(async (backend, name) => {
    const place = { model: ARGON, ...where(backend) };
    const times = { thermostatTime: 50, barostatTime: 200 };
    const pressed = { ...times, dt: 2, temperature: 60, pressure: 0.001 };
    const engines = () => ({
      relax: new FIRE({ ...place, dt: 0.4, hooks: [ConvergenceHook.fromFmax(0.03)] }),
      heat: new NVTLangevin({ ...place, dt: 2, temperature: 60, friction: 0.02, nSteps: 9 }),
      move: new NVE({ ...place, dt: 3, nSteps: 6 }),
      // The center of mass has been set in motion: it has its part in these.
      hold: new NVTBussi({ ...place, dt: 2, temperature: 60, thermostatTime: 20, nSteps: 5 }),
      press: new NPT({ ...place, ...pressed, nSteps: 5 }),
    });
    const batch = mixed(name === "webgpu" ? 2 : 4);
    initVelocities(batch, 60, { seed: 4 });
    const start = batch.clone();
    const { relax, heat, move, hold, press } = engines();
    await using all = fuse(relax, heat, move, hold, press);
    await all.run(batch, 20); // in parts as in one
    await all.run(batch);
    for (const [s, system] of start.systems().entries()) {
      const one = Batch.from([system]);
      const each = engines();
      for (const engine of Object.values(each)) {
        await engine.run(one, engine === each.relax ? 500 : undefined);
        one.set("status", 0);
        await engine.close();
      }
      assertEquals(one.get("stepsDone")[0], batch.get("stepsDone")[s]);
      assertEquals(one.get("time")[0], batch.get("time")[s]);
      // Pairs are found anew by each engine, and are summed in another order then.
      const tolerance = name === "reference" ? 1e-9 : 1e-3;
      for (const field of ["positions", "velocities"] as const) {
        const { [field]: fused } = bitsOf(batch, s, [field]);
        assertNear(fused!, one.get(field), tolerance, field === "positions" ? 1 : 1e-2);
      }
    }
  }),
);

Deno.test(
  "constraints of the whole hold in every stage, and a stage cannot have its own",
  onEngines(async (backend) => {
    const model = tethers({ stiffness: 0.1 });
    const water = new System({
      symbols: ["O", "H", "H"],
      positions: [0, 0, 0, 0.76, 0.59, 0, -0.76, 0.59, 0],
    });
    const place = { model, ...where(backend) };
    const stages = () =>
      [
        new NVTLangevin({ ...place, dt: 0.5, temperature: 300, friction: 0.05, nSteps: 20 }),
        new NVE({ ...place, dt: 1 }),
      ] as const;
    const batch = Batch.from([water, water, water]);
    batch.set("status", [0, 1, 0]);
    initVelocities(batch, 300, { seed: 3 });
    const constraints = [
      fixBonds([[0, 1], [0, 2], [1, 2]]),
      fixAtoms(({ index }) => index === 3),
    ];
    await using all = fuse(...stages(), { constraints });
    await all.run(batch, 60);
    const bond = Math.hypot(0.76, 0.59);
    for (const { positions: x } of batch.systems()) {
      for (const atom of [1, 2]) {
        const length = Math.hypot(...[0, 1, 2].map((k) => x[3 * atom + k]! - x[k]!));
        assertNear([length], [bond], 2e-6);
      }
    }
    assertEquals([...batch.get("positions").subarray(9, 12)], [0, 0, 0]);
    assertNotEquals([...batch.get("positions").subarray(0, 3)], [0, 0, 0]);
    // A system has the same bits as in its own engine, with the same constraints.
    const alone = Batch.from([water, water, water]);
    initVelocities(alone, 300, { seed: 3 });
    const one = Batch.from([alone.system(1)]);
    await using nve = new NVE({
      ...place,
      dt: 1,
      constraints: [constraints[0]!, fixAtoms(({ index }) => index === 0)],
    });
    await nve.run(one, 60);
    assertSameBits(bitsOf(batch, 1, ["positions"]), bitsOf(one, 0, ["positions"]));
    const held = new NVE({ ...place, dt: 1, nSteps: 1, constraints });
    const other = new NVE({ ...place, dt: 1 });
    assertThrows(() => fuse(held, other), TypeError, "constraints of NVE applies to all stages");
  }),
);

Deno.test(
  "where cells relax in one stage alone, each stage is judged by what moves in it",
  onEngines(async (backend) => {
    const crystal = fcc({ element: "Ar", a: 5.1, cells: 2 }); // pressed: no force on any atom
    const place = { model: ARGON, dt: 0.3, ...where(backend) };
    const criteria = () => [ConvergenceHook.fromFmax(0.01)] as const;
    const still = () => new FIRE({ ...place, hooks: criteria() });
    const breathing = () => new FIRE({ ...place, cell: true, hooks: criteria(), name: "breathe" });
    const batch = Batch.from([crystal, crystal]);
    batch.set("status", [0, 1]);
    await using all = fuse(still(), breathing(), still());
    await all.run(batch, 400);
    const alone = Batch.from([crystal]);
    await using one = breathing();
    await one.run(alone, 400);
    const steps = alone.get("stepsDone")[0]!;
    assert(steps > 5 && steps < 400);
    const [first, second] = stepsOf(batch);
    assertEquals([first![0], first![1]! > 5, first![2]], [1, true, 1]);
    assertEquals(second, [0, steps, 1]);
    assertNear(bitsOf(batch, 0, ["cell"]).cell!, alone.get("cell"), 5e-3, 10);
    assertSameBits(bitsOf(batch, 1, ["cell"]), bitsOf(alone, 0, ["cell"]));
    // A hook of the whole judges each by its stage, too.
    const other = Batch.from([crystal, crystal]);
    other.set("status", [0, 1]);
    await using whole = fuse(
      new FIRE({ ...place, nSteps: 999 }),
      new FIRE({ ...place, cell: true, nSteps: 999, name: "breathe" }),
      { hooks: criteria() },
    );
    await whole.run(other, 400);
    assertEquals([...other.get("stepsDone"), ...other.get("status")], [1, steps, 2, 2]);
  }),
);
