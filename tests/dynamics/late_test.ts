// Engines on a GPU without waiting: hooks receive the same values as on wasm, in the same steps.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { BackendUnavailableError, call, openWebGpu } from "../../src/backend/mod.ts";
import { Batch, fcc } from "../../src/batch/mod.ts";
import { ResidentBatch } from "../../src/batch/resident/resident_batch.ts";
import {
  ConvergenceHook,
  DivergedError,
  type Dynamics,
  type DynamicsContext,
  DynamicsStage,
  FIRE,
  NVE,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { tethers } from "../../src/models/mod.ts";
import { BiasedPotentialHook, Reporter, TrajectoryHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { ARGON, assertNear, assertSameBits, bitsOf, crystals } from "./atoms.ts";
import { type EngineBackend, gpu, where } from "./backends.ts";
import { fast, slow } from "../suite.ts";

/** Values that hooks at a convergence read. */
interface Converged {
  readonly stepCount: number;
  readonly convergedMask: ArrayLike<number> & Iterable<number>;
}

/** Records of some hooks, on wasm and on the GPU. */
async function both<T>(run: (backend: EngineBackend) => Promise<T>): Promise<[wasm: T, gpu: T]> {
  return [await run("wasm"), await run(gpu!)];
}

/** Number of waits for the device during a call. */
async function waitsIn(work: () => Promise<unknown>): Promise<number> {
  let waits = 0;
  const see = gpu!.viewOrRead;
  gpu!.viewOrRead = function (buffers) {
    waits++;
    return see.call(this, buffers) as never;
  };
  try {
    await work();
  } finally {
    gpu!.viewOrRead = see;
  }
  return waits;
}

/** Notes energies and largest forces of each step. */
function noting(rows: number[][], more: object = {}) {
  return {
    name: "noting",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    reads: ["energy", "fmax"] as const,
    call: ({ stepCount, read }: DynamicsContext<"energy" | "fmax">) =>
      void rows.push([stepCount, ...read.energy, ...read.fmax]),
    ...more,
  };
}

function assertNearRows(actual: readonly number[][], expected: readonly number[][]): void {
  assertEquals(actual.map(([step]) => step), expected.map(([step]) => step));
  assertNear(actual.flat(), expected.flat(), 1e-5, 1);
}

fast(testOnGpu)("however many steps are observed, the device is waited for as often", async () => {
  const waits: number[] = [];
  for (const steps of [10, 90]) {
    await using md = new FIRE({
      model: ARGON,
      dt: 0.1,
      backend: gpu!,
      hooks: [noting([]), ConvergenceHook.fromFmax(1e-5)],
    });
    waits.push(await waitsIn(() => md.run(crystals(2, 0), steps)));
    assertEquals(md.stepCount, steps);
  }
  assertEquals(waits[1], waits[0]);
  assert(waits[0]! < 8, String(waits[0]));
});

fast(testOnGpu)(
  "a relaxation ends where it ends on wasm, and observers see the same steps",
  async () => {
    const runs = await both(async (backend) => {
      const rows: number[][] = [], ends: number[][] = [], reports: number[][] = [];
      const report = hook({
        name: "report",
        reads: ["energy", "fmax"],
        on: {
          dynamics: {
            ON_CONVERGE: ({ stepCount, convergedMask, read }) => {
              for (let s = 0; s < 3; s++) {
                if (convergedMask[s] !== 0) {
                  reports.push([stepCount, s, read.energy[s]!, read.fmax[s]!]);
                }
              }
            },
          },
        },
      });
      await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend), hooks: [report] });
      opt.hooks.add(ConvergenceHook.fromFmax(0.01));
      opt.hooks.add(noting(rows));
      opt.hooks.add(noting(ends, { name: "ends", frequency: 20, atEnd: true }));
      const batch = await opt.run(crystals(3, 0), 500);
      assertEquals(opt.outcome, { status: "completed" });
      assertEquals([...batch.get("status")], [1, 1, 1]);
      const { energy, positions } = bitsOf(batch);
      return {
        rows,
        ends,
        reports,
        steps: opt.stepCount,
        done: [...batch.get("stepsDone")],
        last: [...energy!, ...positions!],
      };
    });
    const [wasm, device] = runs;
    assert(wasm.steps < 100, String(wasm.steps));
    assertEquals([device.steps, device.done], [wasm.steps, wasm.done]);
    for (const rows of ["rows", "ends", "reports"] as const) {
      assertNearRows(
        device[rows],
        wasm[rows],
      );
    }
    assertNear(device.last, wasm.last, 1e-5, 1);
    assertEquals(wasm.ends.length, 3); // steps 0 and 20, and the last
  },
);

fast(testOnGpu)(
  "a hook that must be waited for at a convergence finds all as it was then",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const rows: number[][] = [];
      await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend) });
      opt.hooks.add(ConvergenceHook.fromFmax(0.01));
      opt.hooks.add(noting([])); // so that steps are visited
      const sync = { name: "sync", stage: DynamicsStage.ON_CONVERGE, sync: true };
      opt.hooks.add(noting(rows, sync) as never);
      await opt.run(crystals(3, 0), 500);
      return rows;
    });
    assertNearRows(device, wasm);
  },
);

fast(testOnGpu)(
  "a hook that changes something by itself does so in its step, leapt over or not",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const rows: number[][] = [], seen: number[] = [];
      await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
      md.hooks.add({
        name: "brake",
        stage: DynamicsStage.AFTER_STEP,
        frequency: 4,
        reads: ["temperature"] as const,
        writes: ["velocities"] as const,
        call({ read, write }: DynamicsContext<"temperature", "velocities">) {
          seen.push(...read.temperature);
          for (let i = 0; i < write.velocities.length; i++) write.velocities[i]! *= 0.5;
        },
      });
      md.hooks.add({
        name: "temperature",
        stage: DynamicsStage.AFTER_STEP,
        frequency: 4,
        reads: ["temperature"] as const,
        call: ({ stepCount, read }: DynamicsContext<"temperature">) =>
          void rows.push([stepCount, ...read.temperature]),
      });
      const batch = await md.run(crystals(2, 100), 20);
      // Measured again after the change: half the velocity is a quarter of the temperature.
      assertNear(rows.flatMap(([, ...t]) => t), seen.map((t) => t / 4), 1e-5);
      return [...rows, [20, ...bitsOf(batch).velocities!.map((v) => 1e3 * v)]];
    });
    assertNearRows(device, wasm);
  },
);

fast(testOnGpu)(
  "what is stopped, thrown and fetched in a step is so on a GPU, at once where it must be",
  async () => {
    await using md = new NVE({ model: ARGON, dt: 1, backend: gpu! });
    const stop = md.hooks.add({
      name: "stop",
      stage: DynamicsStage.AFTER_STEP,
      frequency: 1,
      reads: ["energy"] as const,
      sync: true,
      call: (ctx: DynamicsContext<"energy">) => void (ctx.stepCount === 6 && ctx.stop("now")),
    });
    const batch = await md.run(crystals(1), 100);
    assertEquals([md.stepCount, md.outcome], [7, { status: "stopped", reason: "now", step: 6 }]);
    stop.remove();
    const late = md.hooks.add({
      name: "late",
      stage: DynamicsStage.AFTER_STEP,
      frequency: 1,
      reads: ["energy"] as const,
      call: (ctx: DynamicsContext<"energy">) => void (ctx.stepCount === 9 && ctx.stop("later")),
    });
    await md.run(batch, 300);
    assertEquals(md.outcome, { status: "stopped", reason: "later", step: 9 });
    assert(md.stepCount < 120, String(md.stepCount));
    late.remove();
    const failing = md.hooks.add({
      name: "fails",
      stage: DynamicsStage.AFTER_STEP,
      frequency: 1,
      reads: ["energy"] as const,
      sync: true,
      onError: "throw" as const,
      call() {
        throw new Error("no more");
      },
    });
    const before = md.stepCount;
    await assertRejects(() => md.run(batch, 300), Error, "no more");
    assertEquals(md.stepCount, before);
    failing.remove();
    const fetched: number[][] = [];
    md.hooks.add({
      name: "fetches",
      stage: DynamicsStage.AFTER_STEP,
      frequency: 5,
      async call(ctx: DynamicsContext) {
        const [energy, steps] = [
          await ctx.batch.fetch("energy"),
          await ctx.batch.fetch("stepsDone"),
        ];
        fetched.push([ctx.stepCount, steps[0]!, energy[0]!]);
      },
    });
    const rows: number[][] = [];
    md.hooks.add(noting(rows, { name: "reads", frequency: 5 }));
    await md.run(batch, 11);
    assertEquals(fetched.length, rows.length);
    for (const [i, [step, done, energy]] of fetched.entries()) {
      assertEquals([step, done], [rows[i]![0], step! + 2]); // a step was done that failed then
      assertNear([energy!], [rows[i]![1]!], 1e-9);
    }
  },
);

slow(testOnGpu)(
  "steps by hand are known to be over when they are, and end in the same place",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const rows: number[][] = [], reports: number[][] = [];
      const report = hook({
        name: "report",
        on: {
          dynamics: {
            ON_CONVERGE: (ctx) =>
              void reports.push([ctx.stepCount, ...Array.from(ctx.convergedMask)]),
          },
        },
      });
      await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend), hooks: [report] });
      opt.hooks.add(ConvergenceHook.fromFmax(0.01));
      opt.hooks.add(noting(rows));
      const batch = crystals(2, 0);
      for (let i = 0; i < 45; i++) {
        await opt.step(batch);
        assertEquals(rows.length, i + 1); // all that is seen of it, though systems may be at rest
      }
      assertEquals([...batch.get("status")], [1, 1]);
      return [...rows, ...reports, [opt.stepCount]];
    });
    assertNearRows(device, wasm);
  },
);

for (const isVisited of [true, false]) {
  testOnGpu(
    `a run that comes apart ${isVisited ? "visited" : "leapt over"} names step, system and atom`,
    async () => {
      const [wasm, device] = await both(async (backend) => {
        const rows: number[][] = [];
        await using md = new NVE({ model: ARGON, dt: 60, ...where(backend) });
        md.hooks.add(noting(rows, { frequency: isVisited ? 1 : 1000 }));
        const batch = crystals(3, 900);
        const names = ["positions", "velocities"] as const;
        const before = bitsOf(batch, undefined, names);
        const error = await assertRejects(() => md.run(batch, 400), DivergedError);
        assertSameBits(bitsOf(batch, undefined, names), before);
        assertEquals(batch.heldBy, undefined);
        return {
          step: error.step,
          systems: error.systems,
          message: error.message,
          rows: rows.length,
          steps: md.stepCount,
        };
      });
      assert(wasm.step > 1 && wasm.step < 300, String(wasm.step));
      // Chaos has the last word on which step exactly; not on what is said of it.
      assertEquals(device.message.replace(/\d+/g, "#"), wasm.message.replace(/\d+/g, "#"));
      assertEquals(device.systems.length, 1);
      if (isVisited) assertEquals([device.rows, device.steps], [device.step, device.step]);
    },
  );
}

fast(testOnGpu)(
  "a checkpoint of a GPU resumes bitwise identically, and so does a run in pieces",
  async () => {
    const make = () =>
      new FIRE({ model: ARGON, dt: 0.3, backend: gpu!, hooks: [ConvergenceHook.fromFmax(0.005)] });
    await using whole = make();
    const first = bitsOf(await whole.run(crystals(2, 0), 24));
    await using pieces = make();
    const cut = await pieces.run(crystals(2, 0), 11);
    const saved = structuredClone(await pieces.save());
    await pieces.run(cut, 13);
    assertSameBits(bitsOf(cut), first, "in pieces");
    await using later = make();
    assertSameBits(
      bitsOf(await later.run(await later.load(saved), 13)),
      first,
      "from a checkpoint",
    );
    // Their precision is the same: what one has saved another can go on with.
    await using other = new FIRE({
      model: ARGON,
      dt: 0.3,
      hooks: [ConvergenceHook.fromFmax(0.005)],
    });
    const elsewhere = bitsOf(await other.run(await other.load(saved), 13));
    assertNear(elsewhere.positions!, first.positions!, 1e-4, 1);
  },
);

fast(testOnGpu)(
  "a model that is opened in the middle of a run finds the atoms as they are then",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const rows: number[][] = [];
      await using md: Dynamics = new NVE({ model: ARGON, dt: 2, ...where(backend) });
      md.hooks.add({
        name: "adds",
        stage: DynamicsStage.AFTER_STEP,
        frequency: 1,
        call: ({ stepCount }: DynamicsContext) => {
          if (stepCount === 7) {
            md.hooks.add(new BiasedPotentialHook({ bias: tethers({ stiffness: 5 }) }));
          }
        },
      });
      md.hooks.add(noting(rows));
      await md.run(crystals(1, 60), 12);
      return rows;
    });
    assertNearRows(device, wasm);
  },
);

fast(testOnGpu)(
  "a device that is lost ends the run with that; the batch is free and can go on elsewhere",
  async () => {
    const own = await openWebGpu();
    const batch = crystals(2);
    await using md = new NVE({ model: ARGON, dt: 1, backend: own });
    md.hooks.add(noting([], { onError: "throw" }));
    md.hooks.add({
      name: "breaks",
      stage: DynamicsStage.AFTER_STEP,
      frequency: 1,
      call: ({ stepCount }: DynamicsContext) => void (stepCount === 30 && own.device.destroy()),
    });
    const error = await assertRejects(() => md.run(batch, 1000), BackendUnavailableError);
    assertEquals(error.reason, "lost");
    assertEquals(batch.heldBy, undefined);
    await using other = new NVE({ model: ARGON, dt: 1 });
    await other.run(batch, 3);
    assertEquals([...batch.get("stepsDone")], [3, 3]);
    own.dispose();
  },
);

fast(testOnGpu)(
  "what a batch of many sizes goes through is the same: nothing at rest moves, atoms of one system too",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const batch = Batch.from([...crystals(1, 50).systems(), {
        symbols: ["Ar"],
        positions: [1, 2, 3],
      }]);
      await using md = new NVE({ model: ARGON, dt: 1, ...where(backend) });
      await md.run(batch, 15);
      return [[15, ...bitsOf(batch).positions!]];
    });
    assertNearRows(device, wasm);
  },
);

fast(testOnGpu)("a hook is asked whether it wants a convergence as of the step of it", async () => {
  const [wasm, device] = await both(async (backend) => {
    const rows: number[][] = [];
    await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend) });
    opt.hooks.add(ConvergenceHook.fromFmax(0.01));
    const found = (name: string, more: object) =>
      opt.hooks.add({
        name,
        stage: DynamicsStage.ON_CONVERGE,
        frequency: 1,
        onError: "throw",
        ...more,
        call: ({ stepCount, convergedMask }: Converged) =>
          void rows.push([name.length, stepCount, ...convergedMask]),
      } as never);
    const asked: number[] = [];
    found("when", {
      when: ({ stepCount, convergedMask }: Converged) => {
        asked.push(stepCount);
        return convergedMask[1] === 1;
      },
    });
    await opt.run(crystals(3, 0), 500);
    // The same again, with a window that ends with the second of the steps.
    const second = asked[1]!;
    opt.hooks.remove("when");
    found("until", { until: opt.stepCount + second });
    const before = opt.stepCount;
    await opt.run(crystals(3, 0), 500);
    return [...rows, asked, [before, opt.stepCount]];
  });
  assertEquals(device, wasm);
  assertEquals(wasm.filter(([length]) => length === 4).length, 1);
  assertEquals(wasm.filter(([length]) => length === 5).length, 1);
});

fast(testOnGpu)("observers before one that ends the run see its step", async () => {
  const [wasm, device] = await both(async (backend) => {
    const rows: number[][] = [];
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    md.hooks.add(noting(rows));
    md.hooks.add(
      {
        name: "breaks",
        stage: DynamicsStage.AFTER_STEP,
        frequency: 1,
        onError: "throw",
        call: ({ stepCount }: DynamicsContext) => {
          if (stepCount === 4) throw new Error("enough");
        },
      } as const,
    );
    await assertRejects(() => md.run(crystals(1), 9), Error, "enough");
    return rows;
  });
  assertEquals(wasm.length, 5);
  assertNearRows(device, wasm);
});

fast(testOnGpu)(
  "an observer that waits receives the same values as one that does not",
  async () => {
    const state = new ResidentBatch(crystals(1), gpu!);
    const velocities = state.field("velocities");
    const program = state.prepare([
      call(drift, {
        positions: state.field("positions"),
        velocities,
        fraction: 1,
        dt: state.constants("real", [100]),
      }),
    ]);
    await state.refreshMirror();
    const before = state.mirroredField("positions");
    state.run(program, 0, 1);
    const first = state.refreshMirror();
    await state.refreshMirror();
    const seen = state.mirroredField("positions");
    await first;
    assertEquals(seen, state.mirroredField("positions"));
    assert(seen.some((x, i) => x !== before[i]));
    assertEquals(state.refreshMirror(), undefined);
    state.free();
  },
);

testOnGpu("a frame of a stage is not disturbed by fields that a later stage adds", async () => {
  const sink = new MemorySink();
  await using md = new NVE({ model: ARGON, dt: 1, backend: gpu! });
  md.hooks.add(new TrajectoryHook({ sink, every: 1, fields: ["velocities", "energy"] }));
  md.hooks.add(new Reporter({ reporters: [] })); // reads the status, which the batch gets for it
  await md.run(Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]), 2);
  assertEquals([...sink.read().get("step")], [0, 1, 2]);
});
