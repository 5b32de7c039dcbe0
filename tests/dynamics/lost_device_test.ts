// A GPU that auto has picked and that is lost in mid-run: the run goes on on wasm, and no hook sees a step
// twice.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { BackendUnavailableError, type GpuHost } from "../../src/backend/mod.ts";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  type DynamicsContext,
  DynamicsStage,
  fireRelaxer,
  type Integrator,
  langevin,
  NVE,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { runLog } from "../../src/config/runs/mod.ts";
import { hook } from "../../src/hook.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { tethers } from "../../src/models/mod.ts";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
import { BiasedPotentialHook, FreezeAtomsHook } from "../../src/observe/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { fast, few, slow } from "../suite.ts";
import { ARGON, argon, assertNear, bitsOf, crystals } from "./atoms.ts";
import { disguised } from "./devices.ts";

/** Interval of copies of the state to the host: only at the beginning, at each step, or sometimes. */
const KEPT = few([0.02], [Infinity, 0, 0.02]);

interface Ran {
  readonly md: Dynamics;
  readonly batch: Batch;
  readonly warnings: readonly HookWarning[];
}

/** Runs on wasm, or on a GPU that is lost when `lose` is called. */
async function run(
  scheme: Integrator,
  steps: number,
  hooksOf: (lose: () => void) => readonly object[],
  keepSeconds?: number,
  batchOf: () => Batch = () => crystals(3, scheme.dt === undefined ? 0 : 40),
): Promise<Ran> {
  const { gpu, lose } = disguised();
  const warnings: HookWarning[] = [];
  await using md = new Dynamics(scheme, {
    model: ARGON,
    device: keepSeconds === undefined ? "wasm" : { name: "auto", gpu, keepSeconds },
    onWarning: (warning) => void warnings.push(warning),
  });
  const hooks = hooksOf(keepSeconds === undefined ? () => {} : lose);
  for (const one of hooks) md.hooks.add(one as never);
  const batch = await md.run(batchOf(), steps);
  return { md, batch, warnings };
}

/** Loses the device in a step; `isKnown`: when all is known of the steps before. */
function losing(step: number, lose: () => void, isKnown = false) {
  return {
    name: "losing",
    stage: DynamicsStage.AFTER_PRE_UPDATE,
    frequency: 1,
    phase: 0,
    async call({ stepCount }: DynamicsContext) {
      if (stepCount !== step) return;
      if (isKnown) await new Promise((resolve) => setTimeout(resolve, 100));
      lose();
    },
  };
}

/** Crystals that relax one after the other. */
function uneven(): Batch {
  const batch = Batch.from([argon(2, 0, 0.02), argon(2, 1, 0.06), argon(2, 2, 0.15)]);
  batch.ensure("status");
  return batch;
}

/** Notes steps, with the energies and temperatures of them. */
function noting(rows: number[][], more: object = {}) {
  return {
    name: "noting",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    reads: ["energy", "temperature"] as const,
    call: ({ stepCount, read }: DynamicsContext<"energy" | "temperature">) =>
      void rows.push([stepCount, ...read.energy, ...read.temperature]),
    ...more,
  };
}

/** Notes at which steps it was called. */
function counting(steps: number[], more: object = {}) {
  return {
    name: "counting",
    stage: DynamicsStage.BEFORE_STEP,
    frequency: 1,
    call: ({ stepCount }: DynamicsContext) => void steps.push(stepCount),
    ...more,
  };
}

function upTo(steps: number, every = 1): number[] {
  return Array.from({ length: Math.ceil(steps / every) }, (_, i) => i * every);
}

function assertWentOn({ md, warnings }: Ran): void {
  const { status, warnings: said } = md.outcome!;
  assertEquals([status, said?.length], ["completed", 1]);
  assertStringIncludes(said![0]!, "The run continues on wasm, from step ");
  assertEquals([md.device!.device, md.backend === undefined], ["wasm", false]);
  assertEquals(md.device!.skipped.map(({ device }) => device), ["webgpu"]);
  assertStringIncludes(md.device!.skipped[0]!.reason, "its device was lost");
  assertEquals(warnings.map((one) => one.hook), ["(device)"]);
  const { error } = warnings[0]!;
  assert(error instanceof BackendUnavailableError);
  assertEquals(error.reason, "lost");
  assertStringIncludes(error.message, "The run continues on wasm, from step ");
}

for (const keepSeconds of KEPT) {
  testOnGpu(
    `hooks of all kinds see every step once when the device is lost; kept every ${keepSeconds} s`,
    async () => {
      const STEPS = 60;
      const all = async (keepSeconds?: number) => {
        const late: number[][] = [], sync: number[][] = [], seldom: number[][] = [];
        const before: number[] = [], onces: number[] = [], ends: number[] = [];
        const ran = await run(velocityVerlet({ dt: 2 }), STEPS, (lose) => [
          noting(late),
          noting(sync, { name: "sync", sync: true }),
          noting(seldom, { name: "seldom", frequency: 7, atEnd: true }),
          counting(before),
          counting(onces, { name: "once", once: true, after: 11 }),
          counting(ends, { name: "ends", frequency: 1000, phase: 999, atEnd: true }),
          losing(37, lose),
          {
            name: "brake",
            stage: DynamicsStage.AFTER_STEP,
            frequency: 5,
            writes: ["velocities"] as const,
            call({ write }: DynamicsContext<never, "velocities">) {
              for (let i = 0; i < write.velocities.length; i++) write.velocities[i]! *= 0.8;
            },
          },
          {
            name: "push",
            stage: DynamicsStage.AFTER_STEP,
            frequency: 1,
            once: true,
            after: 20,
            writes: ["velocities"] as const,
            call({ write }: DynamicsContext<never, "velocities">) {
              for (let i = 0; i < write.velocities.length; i++) write.velocities[i]! *= 1.5;
            },
          },
        ], keepSeconds);
        return { ...ran, rows: { late, sync, seldom }, steps: { before, onces, ends } };
      };
      const [wasm, gpu] = [await all(), await all(keepSeconds)];
      assertWentOn(gpu);
      assertEquals(gpu.md.stepCount, STEPS);
      for (const name of ["late", "sync", "seldom"] as const) {
        const [seen, expected] = [gpu.rows[name], wasm.rows[name]];
        assertEquals(seen.map(([step]) => step), expected.map(([step]) => step), name);
        assertNear(seen.flat(), expected.flat(), 1e-4, 1);
      }
      assertEquals(gpu.rows.late.map(([step]) => step), upTo(STEPS));
      assertEquals(gpu.steps, wasm.steps);
      assertEquals(gpu.steps, { before: upTo(STEPS), onces: [11], ends: [STEPS - 1] });
      assertNear(bitsOf(gpu.batch).positions!, bitsOf(wasm.batch).positions!, 1e-5, 1);
      assertEquals([...gpu.batch.get("stepsDone")], [STEPS, STEPS, STEPS]);
    },
  );

  testOnGpu(
    `many steps at once end where they would have when the device is lost; kept every ${keepSeconds} s`,
    async () => {
      const plain = velocityVerlet({ dt: 2 });
      const noisy = langevin({ dt: 2, temperature: 40, friction: 0.01 });
      for (const scheme of few([noisy], [plain, noisy])) {
        const all = (keepSeconds?: number) =>
          run(scheme, 300, (lose) => [{ ...losing(150, lose), frequency: 150 }], keepSeconds);
        const [wasm, gpu] = [await all(), await all(keepSeconds)];
        assertWentOn(gpu);
        assertEquals([...gpu.batch.get("stepsDone")], [300, 300, 300]);
        assertNear(bitsOf(gpu.batch).positions!, bitsOf(wasm.batch).positions!, 1e-4, 1);
      }
    },
  );

  testOnGpu(
    `a relaxation tells of each system once when the device is lost; kept every ${keepSeconds} s`,
    async () => {
      const all: [boolean, boolean][] = [[false, false], [true, false], [true, true]];
      for (const [isVisited, isKnown] of few(all.slice(2), all)) {
        const relax = async (keepSeconds?: number) => {
          const told: number[][] = [], rows: number[][] = [], synced: number[] = [];
          const report = hook({
            name: "report",
            reads: ["energy"],
            on: {
              dynamics: {
                ON_CONVERGE: ({ stepCount, convergedMask }) => {
                  for (let s = 0; s < 3; s++) if (convergedMask[s] !== 0) told.push([s, stepCount]);
                },
              },
            },
          });
          const scheme = fireRelaxer({ dt: 0.5 });
          const ran = await run(
            scheme,
            500,
            (lose) => [
              report,
              ConvergenceHook.fromFmax(0.01),
              losing(36, lose, isKnown),
              ...isVisited ? [noting(rows), counting(synced)] : [],
            ],
            keepSeconds,
            uneven,
          );
          return { ...ran, told, rows, synced };
        };
        const [wasm, gpu] = [await relax(), await relax(keepSeconds)];
        assertWentOn(gpu);
        assert(wasm.told[0]![1]! < 36 && wasm.told[2]![1]! > 36, JSON.stringify(wasm.told));
        assertEquals(gpu.told, wasm.told);
        assertEquals(gpu.md.stepCount, wasm.md.stepCount);
        assertEquals(gpu.rows.map(([step]) => step), wasm.rows.map(([step]) => step));
        // A hook that does not wait is ahead of a device: it is called in steps that turn out not to happen.
        assertEquals(gpu.synced, upTo(gpu.synced.length));
        assert(gpu.synced.length >= wasm.synced.length);
        assertNear(bitsOf(gpu.batch).positions!, bitsOf(wasm.batch).positions!, 1e-4, 1);
        assertEquals([...gpu.batch.get("status")], [1, 1, 1]);
      }
    },
  );
}

fast(testOnGpu)("hooks that change forces go on doing so", async () => {
  const all = (keepSeconds?: number) =>
    run(velocityVerlet({ dt: 2 }), 60, (lose) => [
      new BiasedPotentialHook({ bias: tethers({ stiffness: 0.5 }) }),
      new FreezeAtomsHook({ atoms: ({ place }) => place % 8 === 3 }),
      losing(30, lose),
    ], keepSeconds);
  const [wasm, gpu] = [await all(), await all(0.02)];
  assertWentOn(gpu);
  assertNear(bitsOf(gpu.batch).positions!, bitsOf(wasm.batch).positions!, 1e-4, 1);
});

fast(testOnGpu)(
  "a request to stop before the device was lost is kept, and no step is missing",
  async () => {
    const all = async (keepSeconds?: number) => {
      const seen: number[] = [];
      const ran = await run(velocityVerlet({ dt: 2 }), 100, (lose) => [
        counting(seen),
        {
          ...counting([], { name: "stops", stage: DynamicsStage.AFTER_STEP }),
          call(ctx: DynamicsContext) {
            if (ctx.stepCount !== 30) return;
            lose();
            ctx.stop("enough");
          },
        },
      ], keepSeconds);
      return { ...ran, seen };
    };
    const [wasm, gpu] = [await all(), await all(Infinity)];
    const stopped = { status: "stopped", reason: "enough", step: 30 } as const;
    assertEquals(wasm.md.outcome, stopped);
    const { warnings: said, ...outcome } = gpu.md.outcome!;
    assertEquals([said?.length, outcome], [1, stopped] as unknown[]);
    assertEquals([gpu.seen, gpu.md.stepCount], [upTo(31), 31]);
    assertEquals(gpu.md.device!.device, "wasm");
    assertNear(bitsOf(gpu.batch).positions!, bitsOf(wasm.batch).positions!, 1e-5, 1);
  },
);

slow(testOnGpu)(
  "a device that is lost between two runs, or between steps by hand, is not missed",
  async () => {
    const go = async (device: "wasm" | { name: "auto"; gpu: GpuHost }, lose: () => void) => {
      const seen: number[] = [], warnings: HookWarning[] = [];
      const onWarning = (warning: HookWarning) => void warnings.push(warning);
      await using md = new Dynamics(fireRelaxer({ dt: 0.3 }), { model: ARGON, device, onWarning });
      md.hooks.add(ConvergenceHook.fromFmax(1e-6));
      md.hooks.add(counting(seen) as never);
      const batch = await md.run(crystals(2, 0), 12);
      lose();
      batch.set("positions", batch.get("positions").map((x) => x + 0.5)); // what is changed in between counts
      await md.run(batch, 5);
      for (let i = 0; i < 3; i++) await md.step(batch);
      return { batch, seen, warnings, device: md.device!.device, stepCount: md.stepCount };
    };
    const { gpu, lose } = disguised();
    const [wasm, lost] = [await go("wasm", () => {}), await go({ name: "auto", gpu }, lose)];
    assertEquals([lost.device, lost.warnings.length, lost.stepCount], ["wasm", 1, 20]);
    assertEquals([lost.seen, wasm.seen], [upTo(20), upTo(20)]);
    assertNear(bitsOf(lost.batch).positions!, bitsOf(wasm.batch).positions!, 1e-4, 1);

    const other = disguised(), steps: number[] = [];
    await using md = new NVE({
      model: ARGON,
      dt: 2,
      device: { name: "auto", gpu: other.gpu },
      onWarning() {},
    });
    md.hooks.add(counting(steps) as never);
    const batch = crystals(2);
    for (let i = 0; i < 8; i++) {
      if (i === 4) other.lose();
      await md.step(batch);
    }
    await using expected = new NVE({ model: ARGON, dt: 2 });
    const whole = await expected.run(crystals(2), 8);
    assertEquals([md.device!.device, steps], ["wasm", upTo(8)]);
    assertNear(bitsOf(batch).positions!, bitsOf(whole).positions!, 1e-5, 1);
  },
);

fast(testOnGpu)(
  "hooks that come in mid-run are not there in the steps before, which are done again",
  async () => {
    const all = (keepSeconds?: number) =>
      run(velocityVerlet({ dt: 2 }), 60, (lose) => [
        {
          ...counting([], { name: "adds" }),
          call({ stepCount, workflow }: DynamicsContext) {
            if (stepCount !== 20) return;
            (workflow as Dynamics).hooks.add({
              name: "brake",
              stage: DynamicsStage.AFTER_STEP,
              frequency: 1,
              writes: ["velocities"] as const,
              call({ write }: DynamicsContext<never, "velocities">) {
                for (let i = 0; i < write.velocities.length; i++) write.velocities[i]! *= 0.9;
              },
            } as never);
          },
        },
        losing(40, lose),
      ], keepSeconds);
    const [wasm, gpu] = [await all(), await all(Infinity)];
    assertWentOn(gpu);
    assertNear(bitsOf(gpu.batch).positions!, bitsOf(wasm.batch).positions!, 1e-5, 1);
  },
);

fast(testOnGpu)(
  "a GPU that was asked for by name is missed: the batch is as it was, to be run elsewhere",
  async () => {
    const { gpu, lose, devices } = disguised();
    const batch = crystals(2);
    await using md = new NVE({ model: ARGON, dt: 2, device: { name: "webgpu", gpu } });
    await md.run(batch, 4);
    const before = bitsOf(batch);
    const breaks = md.hooks.add(losing(10, lose));
    const error = await assertRejects(() => md.run(batch, 100), BackendUnavailableError);
    assertEquals([error.reason, batch.heldBy], ["lost", undefined]);
    assertEquals(bitsOf(batch), before);
    breaks.remove();
    await using other = new NVE({ model: ARGON, dt: 2 });
    await other.run(batch, 3);
    assertEquals([...batch.get("stepsDone")], [7, 7]);
    await md.run(batch, 3); // there may be one again
    assertEquals([[...batch.get("stepsDone")], devices.length], [[10, 10], 2]);
  },
);

fast(testOnGpu)("whose hook fails for the device's sake is not to blame for it", async () => {
  const { gpu, lose } = disguised();
  const warnings: HookWarning[] = [], seen: number[] = [];
  await using md = new NVE({
    model: ARGON,
    dt: 2,
    device: { name: "auto", gpu },
    onWarning: (warning) => void warnings.push(warning),
  });
  md.hooks.add(losing(10, lose));
  md.hooks.add({
    ...counting([], { name: "fetches", stage: DynamicsStage.AFTER_STEP }),
    async call({ batch, stepCount }: DynamicsContext) {
      const forces = await batch.fetch("forces");
      assertEquals(forces.length, 96);
      seen.push(stepCount);
    },
  } as never);
  await md.run(crystals(1), 20);
  assertEquals(warnings.map(({ hook }) => hook), ["(device)"]);
  assertEquals(seen, upTo(20));
});

fast(testOnGpu)("a log of a run tells where it began and where it ended", async () => {
  const lines: string[] = [];
  const ran = await run(velocityVerlet({ dt: 2 }), 20, (lose) => [
    runLog({ write: (line) => void lines.push(line), commit: "none" }),
    losing(10, lose),
  ], Infinity);
  assertWentOn(ran);
  const devices = lines.map((line) => JSON.parse(line)).filter(({ device }) => device !== undefined)
    .map(({ type, device }) => [type, device.device, device.skipped.length]);
  assertEquals(devices, [["start", "webgpu", 0], ["end", "wasm", 1]]);
});

slow(testOnGpu)("a model in onnxruntime goes on there, too", async () => {
  const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const energies: number[][] = [];
  const { gpu, lose } = disguised();
  for (const device of ["wasm", { name: "auto", gpu, keepSeconds: 0.05 }] as const) {
    await using model = await OnnxModel.open(bytes);
    const rows: number[][] = [], warnings: HookWarning[] = [];
    await using md = new NVE({
      model,
      dt: 2,
      device,
      onWarning: (warning) => void warnings.push(warning),
    });
    md.hooks.add(noting(rows) as never);
    if (device !== "wasm") md.hooks.add(losing(12, lose) as never);
    const batch = await md.run(crystals(2), 25);
    if (device !== "wasm") assertWentOn({ md, batch, warnings });
    assertEquals(rows.map(([step]) => step), upTo(25));
    energies.push([...rows.flat(), ...bitsOf(batch).positions!]);
  }
  assertNear(energies[1]!, energies[0]!, 1e-4, 1);
});
