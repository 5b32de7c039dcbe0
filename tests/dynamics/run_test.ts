/** Runs of a batch: steps, parameters, hooks added and removed during a run, and the state afterwards. */
import { assertAlmostEquals, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { Batch, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  DynamicsStage,
  FIRE,
  NVE,
  NVTLangevin,
  SizeAwareSampler,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { ACCELERATION } from "../../src/kernels/constants.ts";
import { type Model, potential } from "../../src/models/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import {
  ARGON,
  argon,
  assertNear,
  assertSameBits,
  atomAt,
  bitsOf,
  crystals,
  evaluate,
  idle,
  push,
  spring,
} from "./atoms.ts";
import { on, PAIR_BACKENDS, TOLERANCE, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

Deno.test(
  "forces are there before the first step, so its momentum is exact",
  onEngines(async (backend, name) => {
    await using md = new NVE({ model: push(0.5), dt: 2, ...where(backend) });
    const batch = atomAt(0);
    await md.run(batch, 1);
    const gained = 2 * 0.5 * ACCELERATION;
    assertNear(batch.get("velocities"), [gained, 0, 0], TOLERANCE[name]);
    assertNear(batch.get("positions"), [gained, 0, 0], TOLERANCE[name]);
  }),
);

test(
  "run does exactly nSteps steps, over several runs, single steps and zero steps",
  onEnginesAndGpu(async (backend) => {
    const seen: number[] = [];
    const count = hook({
      name: "count",
      on: { dynamics: { AFTER_STEP: (ctx) => void seen.push(ctx.stepCount) } },
    });
    await using md = new NVE({
      model: spring(1),
      dt: 1,
      ...where(backend),
      nSteps: 3,
      hooks: [count],
    });
    const batch = atomAt(1);
    await md.run(batch, 0);
    assertEquals([seen, md.stepCount, [...batch.get("stepsDone")]], [[], 0, [0]]);
    await md.run(batch);
    assertEquals([seen, [...batch.get("stepsDone")]], [[0, 1, 2], [3]]);
    await md.run(batch, 2);
    await md.step(batch);
    assertEquals([seen, md.stepCount, [...batch.get("stepsDone")]], [[0, 1, 2, 3, 4, 5], 6, [6]]);
    assertEquals(md.outcome, { status: "completed" });
  }),
);

Deno.test(
  "each system has a dt of its own",
  onEngines(async (backend) => {
    const steps = [0.5, 1, 2];
    const batch = crystals(3);
    const each = batch.systems().map((system) => Batch.from([system]));
    await using md = new NVE({ model: ARGON, dt: steps, ...where(backend) });
    await md.run(batch, 20);
    for (const [place, dt] of steps.entries()) {
      await using own = new NVE({ model: ARGON, dt, ...where(backend) });
      await own.run(each[place]!, 20);
      assertSameBits(bitsOf(batch, place), bitsOf(each[place]!, 0));
    }
  }),
);

test(
  "each system has a temperature, a friction, and limits of relaxation of its own",
  on(PAIR_BACKENDS, async (backend) => {
    const lists = { dt: [1, 2, 3], temperature: [10, 50, 90], friction: [0, 0.01, 0.1] };
    const batch = crystals(3);
    const each = batch.systems().map((system) => Batch.from([system]));
    await using md = new NVTLangevin({ model: ARGON, ...lists, seed: 4, ...where(backend) });
    await md.run(batch, 20);
    for (const place of [0, 1, 2]) {
      const [dt, temperature] = [lists.dt[place]!, lists.temperature[place]!];
      const friction = lists.friction[place]!;
      const options = { dt, temperature, friction, seed: 4 };
      await using own = new NVTLangevin({ model: ARGON, ...options, ...where(backend) });
      await own.run(each[place]!, 20);
      assertSameBits(bitsOf(batch, place), bitsOf(each[place]!, 0));
    }
    const few = crystals(2, 0);
    const two = few.systems().map((system) => Batch.from([system]));
    await using opt = new FIRE({ model: ARGON, dt: 0.5, maxStep: [0.001, 0.2], ...where(backend) });
    await opt.run(few, 20);
    for (const [place, maxStep] of [0.001, 0.2].entries()) {
      await using own = new FIRE({ model: ARGON, dt: 0.5, maxStep, ...where(backend) });
      await own.run(two[place]!, 20);
      assertSameBits(bitsOf(few, place), bitsOf(two[place]!, 0));
    }
  }),
);

Deno.test(
  "energies and stresses after a run are those of a fresh evaluation, whatever steps left out",
  onEngines(async (backend, name) => {
    const batch = crystals(3);
    batch.ensure("stress");
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await md.run(batch, 3); // too few for the pairs to be found anew, in another order
    const fresh = await evaluate(ARGON, batch, backend);
    const names = ["energy", "forces", "stress"] as const;
    assertNear(batch.get("forces"), fresh.forces, TOLERANCE[name], 1);
    assertNear(batch.get("energy"), fresh.energy, TOLERANCE[name]);
    assertNear(batch.get("stress"), fresh.stress, 10 * TOLERANCE[name], 1e-2);
    // A run whose every step had them, by a hook, has the same bits.
    const again = crystals(3);
    again.ensure("stress");
    const look = hook({
      name: "look",
      reads: ["energy", "stress"],
      on: { dynamics: { AFTER_STEP: () => {} } },
    });
    await using looked = new NVE({ model: ARGON, dt: 2, ...where(backend), hooks: [look] });
    await looked.run(again, 3);
    assertSameBits(bitsOf(again, undefined, names), bitsOf(batch, undefined, names));
  }),
);

Deno.test(
  "a hook fetches the current energy and forces without declaring them",
  onEngines(async (backend) => {
    const fetched: number[] = [];
    const ask = hook({
      name: "ask",
      frequency: 2,
      on: {
        dynamics: {
          AFTER_STEP: async (ctx) => void fetched.push((await ctx.batch.fetch("energy"))[0]!),
        },
      },
    });
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend), hooks: [ask] });
    await md.run(crystals(1), 5);
    const read: number[] = [];
    const look = hook({
      name: "look",
      frequency: 2,
      reads: ["energy"],
      on: { dynamics: { AFTER_STEP: (ctx) => void read.push(ctx.read.energy[0]!) } },
    });
    await using other = new NVE({ model: ARGON, dt: 2, ...where(backend), hooks: [look] });
    await other.run(crystals(1), 5);
    assertEquals(read.length, 3);
    assertEquals(fetched, read);
  }),
);

test(
  "hooks that are switched on and off in mid-run see only the steps in between, and change no bit",
  onEnginesAndGpu(async (backend) => {
    const seen: number[] = [];
    const look = hook({
      name: "look",
      reads: ["energy", "fmax"],
      on: {
        dynamics: {
          AFTER_STEP: (ctx) => void seen.push(ctx.stepCount, ctx.read.energy[0]!),
        },
      },
    });
    const toggle = hook({
      name: "toggle",
      frequency: 5,
      on: {
        dynamics: {
          BEFORE_STEP: (ctx) => {
            const { hooks } = ctx.workflow as unknown as { hooks: NVE["hooks"] };
            if (ctx.stepCount === 5) hooks.enable("look");
            if (ctx.stepCount === 10) hooks.disable("look");
          },
        },
      },
    });
    const batch = crystals(2);
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend), hooks: [toggle, look] });
    md.hooks.disable("look");
    await md.run(batch, 20);
    const steps = seen.filter((_, i) => i % 2 === 0);
    assertEquals(steps, [5, 6, 7, 8, 9]);
    const plain = crystals(2);
    await using alone = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await alone.run(plain, 6);
    assertEquals(seen[1], plain.get("energy")[0]);
    await alone.run(plain, 14);
    assertSameBits(bitsOf(batch), bitsOf(plain));
  }),
);

Deno.test(
  "an abort signal and stop() end a run after the step under way, with their reasons",
  onEngines(async (backend) => {
    const abort = new AbortController();
    const md = new NVE({ model: ARGON, dt: 2, ...where(backend), signal: abort.signal });
    const at = (step: number, act: () => void) =>
      hook({
        name: `at ${step}`,
        frequency: 100,
        phase: step,
        on: { dynamics: { BEFORE_COMPUTE: act } },
      });
    md.hooks.add(at(7, () => md.stop("enough")));
    md.hooks.add(at(12, () => abort.abort("gone")));
    const batch = crystals(1);
    await md.run(batch, 50);
    assertEquals(md.outcome, { status: "stopped", reason: "enough", step: 7 });
    assertEquals(md.stepCount, 8);
    await md.run(batch, 50);
    assertEquals(md.stepCount, 13);
    assertEquals((md.outcome as { status: string }).status, "stopped");
    const plain = crystals(1);
    await using alone = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await alone.run(plain, 13);
    assertSameBits(bitsOf(batch), bitsOf(plain));
    await md.close();
  }),
);

Deno.test(
  "what is changed between runs counts: by hand in an array, and by set",
  onEngines(async (backend) => {
    for (const change of ["array", "set"]) {
      const batch = atomAt(1);
      await using md = new NVE({ model: spring(1), dt: 1, ...where(backend) });
      await md.run(batch, 5);
      if (change === "set") {
        batch.set("positions", [2, 0, 0]);
        batch.set("velocities", [0, 0.5, 0]);
      } else {
        batch.get("positions").set([2, 0, 0]);
        batch.get("velocities").set([0, 0.5, 0]);
      }
      await md.run(batch, 5);
      const fresh = atomAt(2);
      fresh.set("velocities", [0, 0.5, 0]);
      await using other = new NVE({ model: spring(1), dt: 1, ...where(backend) });
      await other.run(fresh, 5);
      const names = ["positions", "velocities", "forces", "energy"] as const;
      assertSameBits(bitsOf(batch, 0, names), bitsOf(fresh, 0, names), change);
    }
  }),
);

Deno.test(
  "new masses between runs count",
  onEngines(async (backend, name) => {
    for (const change of ["array", "set"]) {
      const batch = atomAt(0);
      await using md = new NVE({ model: push(0.5), dt: 1, ...where(backend) });
      await md.run(batch, 1);
      if (change === "set") batch.set("masses", [2]);
      else batch.get("masses")[0] = 2;
      const before = batch.get("velocities")[0]!;
      await md.run(batch, 1);
      const gained = batch.get("velocities")[0]! - before;
      assertNear([gained], [0.25 * ACCELERATION], 10 * TOLERANCE[name]);
    }
  }),
);

test(
  "systems that come and go between runs are run from where they are",
  onEnginesAndGpu(async (backend) => {
    const batch = crystals(3);
    const each = batch.systems().map((system) => Batch.from([system]));
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await md.run(batch, 4);
    batch.drop([1]);
    await md.run(batch, 4);
    for (const [place, original] of [[0, 0], [1, 2]] as const) {
      // The pairs of a new batch, and of a new engine, are found anew, from where the atoms are.
      for (let i = 0; i < 2; i++) {
        await using own = new NVE({ model: ARGON, dt: 2, ...where(backend) });
        await own.run(each[original]!, 4);
      }
      assertSameBits(bitsOf(batch, place), bitsOf(each[original]!, 0));
    }
  }),
);

Deno.test(
  "a batch that is running is refused to a second run, of this engine or another, and the first goes on unharmed",
  onEngines(async (backend) => {
    const [batch, other, plain] = [crystals(1), crystals(1), crystals(1)];
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await using second = new NVE({ model: ARGON, dt: 2, ...where(backend), name: "second" });
    let tries = 0;
    md.hooks.add(hook({
      name: "meddle",
      frequency: 5,
      on: {
        dynamics: {
          BEFORE_COMPUTE: async () => {
            tries++;
            await assertRejects(() => md.run(batch, 3), Error, "NVE");
            await assertRejects(() => md.run(other, 3), Error, "NVE");
            await assertRejects(() => md.step(other), Error, "NVE");
            await assertRejects(() => md.close(), Error, "NVE");
            await assertRejects(() => second.run(batch, 3), Error, "NVE");
          },
        },
      },
    }));
    await md.run(batch, 20);
    assertEquals(tries, 4);
    await using alone = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await alone.run(plain, 20);
    assertSameBits(bitsOf(batch), bitsOf(plain));
    assertEquals([batch.heldBy, other.heldBy], [undefined, undefined]);
    await second.run(batch, 3);
    assertEquals(second.stepCount, 3);
  }),
);

Deno.test(
  "a hook or a model that throws ends the run with its error; the batch is free, and can be run again",
  onEngines(async (backend) => {
    let isBroken = true;
    const model = potential(({ positions, forces }) => {
      if (isBroken && positions[0]! < 0.9) throw new Error("the model broke");
      forces[0]! -= positions[0]!;
      return positions[0]! ** 2 / 2;
    });
    const batch = atomAt(1);
    await using md = new NVE({ model, dt: 1, ...where(backend) });
    await assertRejects(() => md.run(batch, 100), Error, "the model broke");
    assertEquals(batch.heldBy, undefined);
    assertEquals(batch.get("positions").every(Number.isFinite), true);
    isBroken = false;
    await md.run(batch, 5);
    md.hooks.add(hook({
      name: "breaks",
      onError: "throw",
      on: {
        dynamics: {
          AFTER_STEP: () => {
            throw new Error("the hook broke");
          },
        },
      },
    }));
    await assertRejects(() => md.run(batch, 5), Error, "the hook broke");
    assertEquals(batch.heldBy, undefined);
    md.hooks.remove("breaks");
    await md.run(batch, 5);
    assertEquals(batch.get("positions").every(Number.isFinite), true);
  }),
);

Deno.test(
  "time, temperature and what else hooks read is that of their step",
  onEngines(async (backend, name) => {
    const rows: number[][] = [];
    const look = hook({
      name: "look",
      reads: [
        "time",
        "temperature",
        "kineticEnergy",
        "energy",
        "fmax",
        "energyChange",
        "stepsDone",
      ],
      on: {
        dynamics: {
          AFTER_STEP: ({ read }) =>
            void rows.push([
              read.time[0]!,
              read.temperature[0]!,
              read.kineticEnergy[0]!,
              read.energy[0]!,
              read.fmax[0]!,
              read.energyChange[0]!,
              read.stepsDone[0]!,
            ]),
        },
      },
    });
    const batch = crystals(1, 80);
    await using md = new NVE({ model: ARGON, dt: [2], ...where(backend), hooks: [look] });
    const first = (await evaluate(ARGON, batch, backend)).energy[0]!;
    await md.run(batch, 2);
    const { velocities, masses, forces } = {
      velocities: batch.get("velocities"),
      masses: batch.get("masses"),
      forces: batch.get("forces"),
    };
    let kinetic = 0, fmax = 0;
    for (let a = 0; a < 32; a++) {
      const own = (values: Float64Array) => Math.hypot(...values.subarray(3 * a, 3 * a + 3));
      kinetic += masses[a]! * own(velocities) ** 2 / 2 / ACCELERATION;
      fmax = Math.max(fmax, own(forces));
    }
    const [one, two] = rows;
    assertEquals([one![0], two![0], one![6], two![6]], [2, 4, 1, 2]);
    const near = (a: number, b: number) => assertNear([a], [b], 10 * TOLERANCE[name]);
    near(two![2]!, kinetic);
    near(two![1]!, 2 * kinetic / (93 * 8.617333262145179e-5)); // the center of mass rests: 93 ways to move
    near(two![4]!, fmax);
    near(two![3]!, batch.get("energy")[0]!);
    assertAlmostEquals(two![5]!, two![3]! - one![3]!, 1e-12);
    assertAlmostEquals(one![5]!, one![3]! - first, name === "reference" ? 1e-12 : 1e-6);
  }),
);

test(
  "relaxed systems rest until their positions change, and only those wake whose positions do",
  onEnginesAndGpu(async (backend) => {
    const batch = Batch.from([argon(2, 0), argon(2, 1)]);
    await using opt = new FIRE({
      model: ARGON,
      dt: 0.5,
      ...where(backend),
      hooks: [ConvergenceHook.fromFmax(0.01)],
    });
    await opt.run(batch, 1000);
    const relaxed = bitsOf(batch);
    const done = opt.stepCount;
    assertEquals(relaxed.status, [1, 1]);
    await opt.run(batch, 100);
    assertEquals(opt.stepCount, done); // nothing is left to do
    assertSameBits(bitsOf(batch), relaxed);
    batch.get("positions")[0]! += 0.3;
    await opt.run(batch, 1000);
    assertNotEquals(opt.stepCount, done);
    const { positions } = bitsOf(batch, 0);
    assertNotEquals(positions, relaxed.positions!.slice(0, 96));
    assertEquals(batch.get("stepsDone")[0]! > relaxed.stepsDone![0]!, true);
    assertSameBits(bitsOf(batch, 1), {
      ...Object.fromEntries(
        Object.entries(relaxed).map(([name, values]) => [name, values.slice(values.length / 2)]),
      ),
    });
  }),
);

test("a batch of one atom in the open moves by what pushes it alone", async () => {
  const free = Batch.from([
    new System({ symbols: ["Ar"], positions: [0, 0, 0], velocities: [0.01, 0, 0] }),
  ]);
  await using md = new NVE({ model: ARGON, dt: 2, device: "reference" });
  await md.run(free, 100);
  assertNear(free.get("positions"), [2, 0, 0], 1e-12);
  assertEquals([...free.get("energy")], [0]);
});

Deno.test(
  "a run that a hook breaks off leaves forces and energies of where the atoms are, and goes on from there",
  onEngines(async (backend, name) => {
    for (const stage of ["AFTER_PRE_UPDATE", "AFTER_COMPUTE", "AFTER_STEP"] as const) {
      const batch = crystals(2);
      const call = ({ stepCount }: { readonly stepCount: number }) => {
        if (stepCount === 5) throw new Error("enough");
      };
      await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
      const breaker = { stage: DynamicsStage[stage], frequency: 1, call };
      const handle = md.hooks.add(breaker, { onError: "throw" });
      await assertRejects(() => md.run(batch, 20), Error, "enough");
      handle.remove();
      const there = await evaluate(ARGON, batch, backend);
      assertNear(batch.get("energy"), there.energy, TOLERANCE[name]);
      assertNear(batch.get("forces"), there.forces, 10 * TOLERANCE[name], 0.1);
      const copy = batch.clone();
      await using other = new NVE({ model: ARGON, dt: 2, ...where(backend) });
      await Promise.all([md.run(batch, 3), other.run(copy, 3)]);
      assertNear(batch.get("positions"), copy.get("positions"), TOLERANCE[name] / 10, 1);
    }
  }),
);

/** Springs to the origin, by a model that takes its time. */
const SLOW: Model = {
  name: "slow springs",
  gives: ["energy", "forces"],
  open(state) {
    const [positions, forces] = [state.field("positions"), state.field("forces")];
    const { backend, batch: { nodeOffsets, size } } = state;
    const energy = state.field<"f64">("energy");
    return {
      async compute() {
        const there = backend.view(positions).slice();
        for (let i = 0; i < 3; i++) await Promise.resolve();
        const pull = backend.view(forces);
        there.forEach((x, i) => pull[i]! -= 0.01 * x);
        for (let s = 0; s < size; s++) {
          const own = Array.from(there.subarray(3 * nodeOffsets[s]!, 3 * nodeOffsets[s + 1]!));
          backend.view(energy)[s]! += own.reduce((sum, x) => sum + 0.005 * x * x, 0);
        }
      },
    };
  },
};

test(
  "requested energies that are not awaited belong to their step, and do not change the run",
  on(PAIR_BACKENDS, async (backend) => {
    for (const model of [ARGON, SLOW]) {
      const runs = [false, true].map(async (isAsked) => {
        const asked: Promise<ArrayLike<number>>[] = [];
        const [batch, looks] = [crystals(2), [] as number[][]];
        await using md = new NVE({ model, dt: 2, ...where(backend) });
        md.hooks.add(hook({
          name: "asks",
          frequency: 10,
          reads: isAsked ? [] : ["energy"],
          on: {
            dynamics: {
              AFTER_STEP: (ctx) => {
                if (isAsked) asked.push(ctx.batch.fetch("energy"));
                else looks.push([...ctx.read.energy!]);
              },
            },
          },
        }));
        await md.run(batch, 35);
        for (const values of await Promise.all(asked)) looks.push(Array.from(values));
        return { bits: bitsOf(batch), looks };
      });
      const [looked, fetched] = await Promise.all(runs);
      assertSameBits(fetched!.bits, looked!.bits, model.name);
      assertEquals(fetched!.looks, looked!.looks, model.name);
    }
  }),
);

test("a hook that throws at a convergence leaves the steps before it counted, leapt or visited", async () => {
  const counts = await Promise.all([[], [idle()]].map(async (hooks) => {
    const batch = crystals(2, 0);
    const options = { model: ARGON, dt: 0.4, device: "reference" } as const;
    await using opt = new FIRE({ ...options, hooks: [ConvergenceHook.fromFmax(0.01), ...hooks] });
    const fail = () => {
      throw new Error("told");
    };
    const failing = hook({ name: "failing", on: { dynamics: { ON_CONVERGE: fail } } });
    const handle = opt.hooks.add(failing, { onError: "throw" });
    await assertRejects(() => opt.run(batch, 400), Error, "told");
    const counted = opt.stepCount;
    handle.remove();
    await opt.run(batch, 400);
    return [counted, opt.stepCount, ...batch.get("stepsDone")];
  }));
  const [counted, all, ...steps] = counts[0]!;
  assertEquals(counted, Math.min(...steps) - 1); // the step that it broke off is not
  assertEquals(all, Math.max(...steps) - 1);
  assertEquals(counts[1], counts[0]);
});

test("a closed engine refuses to run, to step, to stream and to load, says so, and can be closed again", async () => {
  const batch = crystals(1), seen: string[] = [];
  const md = new NVE({ model: ARGON, dt: 2 });
  md.hooks.add({
    name: "seen",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    open: () => void seen.push("open"),
    call: () => {},
    close: ({ status }) => void seen.push(status),
  });
  await md.run(batch, 2);
  const saved = await md.save(), before = bitsOf(batch);
  await md.close();
  await md.close();
  const sampler = new SizeAwareSampler(batch.systems(), { maxSystems: 1 });
  const refused: readonly [string, () => Promise<unknown>][] = [
    ["run", () => md.run(batch, 2)],
    ["run", () => md.step(batch)],
    ["stream through", () => md.stream(sampler, { sinks: [new MemorySink()] })],
    ["load into", () => md.load(saved)],
  ];
  for (const [action, call] of refused) {
    await assertRejects(call, Error, `Cannot ${action} NVE: it is closed. Make a new engine`);
  }
  assertEquals([seen, md.stepCount, md.outcome], [["open", "completed"], 2, {
    status: "completed",
  }]);
  assertSameBits(bitsOf(batch), before);
  // An engine for each turn of a loop goes on with the same batch.
  for (let i = 0; i < 2; i++) {
    await using each = new NVE({ model: ARGON, dt: 2 });
    await each.run(batch, 1);
  }
  await using alone = new NVE({ model: ARGON, dt: 2 });
  const whole = await alone.run(crystals(1), 4);
  assertNear(bitsOf(batch).positions!, bitsOf(whole).positions!, 1e-5);
});

test("the outcome of an engine is failed after a run that threw, also if a batch was refused, and that of the next run after it", async () => {
  const error = new Error("no disk");
  await using md = new NVE({ model: ARGON, dt: 2 });
  const batch = crystals(1);
  await md.run(batch, 1);
  const handle = md.hooks.add({
    name: "bad",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    onError: "throw",
    call: () => {
      throw error;
    },
  });
  await assertRejects(() => md.run(batch, 2), Error, "no disk");
  assertEquals([md.outcome, md.stepCount], [{ status: "failed", error }, 1]);
  await assertRejects(() => md.run(batch, -1), RangeError);
  assertEquals(md.outcome?.status, "failed");
  handle.remove();
  await md.run(batch, 1);
  assertEquals(md.outcome, { status: "completed" });
  // A step by hand has an outcome once it throws.
  md.hooks.add({
    name: "worse",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    onError: "throw",
    call: () => {
      throw error;
    },
  });
  await assertRejects(() => md.step(batch));
  assertEquals(md.outcome?.status, "failed");
});
