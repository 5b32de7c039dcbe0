// Ready-made hooks on a GPU, where observers run late: their results equal those on wasm.
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  type Dynamics,
  FIRE,
  fireRelaxer,
  langevin,
  NVE,
} from "../../src/dynamics/mod.ts";
import { potential } from "../../src/models/mod.ts";
import {
  BiasedPotentialHook,
  ConvergedSnapshotHook,
  EnergyDriftError,
  EnergyDriftMonitorHook,
  FreezeAtomsHook,
  LoggingHook,
  MaxForceClampHook,
  NaNDetectorHook,
  NotFiniteFieldError,
  ProgressHook,
  SnapshotHook,
  WrapPeriodicHook,
} from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { ARGON, assertNear, bitsOf, crystals } from "../dynamics/atoms.ts";
import { type EngineBackend, gpu, where } from "../dynamics/backends.ts";
import { engine, sameHowever } from "./modified.ts";
import { fast, slow } from "../suite.ts";

async function both<T>(run: (backend: EngineBackend) => Promise<T>): Promise<[wasm: T, gpu: T]> {
  return [await run("wasm"), await run(gpu!)];
}

/** Compares numbers of a log or of frames approximately; steps, ids and the like exactly. */
function assertNearRows(actual: readonly number[][], expected: readonly number[][]): void {
  assertEquals(actual.length, expected.length);
  for (const [i, row] of expected.entries()) assertNear(actual[i]!, row, 1e-4, 1e-2);
}

fast(testOnGpu)(
  "a log of a relaxation has the same rows as on wasm, up to the last step",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const rows: number[][] = [];
      const log = new LoggingHook({
        backend: "custom",
        frequency: 3,
        atEnd: true,
        writerFn: (_step, more) => void rows.push(...more.map((row) => Object.values(row))),
      });
      await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend), hooks: [log] });
      opt.hooks.add(ConvergenceHook.fromFmax(0.01));
      await opt.run(crystals(3, 0), 300);
      return rows.map((row) => row.map((one) => Number.isNaN(one) ? -1 : one)); // steps take no time
    });
    assertEquals(device.map((row) => row[0]), wasm.map((row) => row[0]));
    assertNearRows(device, wasm);
  },
);

fast(testOnGpu)(
  "frames belong to their step, and have converged systems as they converged",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const frames = new MemorySink(), relaxed = new MemorySink();
      await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend) });
      opt.hooks.add(ConvergenceHook.fromFmax(0.01));
      opt.hooks.add(new SnapshotHook({ sink: frames, frequency: 5 }));
      opt.hooks.add(new ConvergedSnapshotHook({ sink: relaxed }));
      const batch = await opt.run(crystals(3, 0), 300);
      const all = relaxed.read();
      for (const [place, id] of all.get("sourceId").entries()) {
        const [then, now] = [bitsOf(all, place), bitsOf(batch, id)];
        for (const name of ["positions", "forces", "energy"]) assertEquals(then[name], now[name]);
      }
      return [frames.read(), all].map((batch: Batch) =>
        ["step", "sourceId", "stepsDone", "energy", "positions", "forces"].map((
          name,
        ) => [...batch.get(name)])
      ).flat();
    });
    for (const exact of [0, 1, 2, 6, 7, 8]) assertEquals(device[exact], wasm[exact]);
    assertNearRows(device, wasm);
  },
);

fast(testOnGpu)(
  "errors of drifting and of non-finite values name the same step as on wasm",
  async () => {
    const [wasm, device] = await both(async (backend) => {
      const monitor = new EnergyDriftMonitorHook({
        threshold: 2e-4,
        metric: "absolute",
        action: "throw",
      });
      await using md = new NVE({ model: ARGON, dt: 20, ...where(backend), hooks: [monitor] });
      const drifted = await assertRejects(() => md.run(crystals(2, 200), 100), EnergyDriftError);
      let calls = 0;
      const model = potential(({ forces }) => {
        if (calls++ === 9) forces[4] = Infinity;
        return 0;
      });
      await using broken = new NVE({
        model,
        dt: 1,
        ...where(backend),
        hooks: [new NaNDetectorHook()],
      });
      const found = await assertRejects(() => broken.run(crystals(1), 100), NotFiniteFieldError);
      return [[drifted.step, ...drifted.systems], [
        found.step,
        ...found.systems,
        found.fields[0]!.atom!,
      ]];
    });
    assertEquals(device, wasm);
    assertEquals(wasm[1], [8, 0, 1]);
  },
);

fast(testOnGpu)("the last progress report is that of wasm", async () => {
  const [wasm, device] = await both(async (backend) => {
    const lines: string[] = [];
    const progress = new ProgressHook({ write: (text) => lines.push(text), now: () => 0 });
    await using opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend), hooks: [progress] });
    opt.hooks.add(ConvergenceHook.fromFmax(0.01));
    await opt.run(crystals(2, 0), 300);
    return lines.at(-1)!;
  });
  const numbers = (line: string) =>
    [...line.matchAll(/-?\d+(\.\d+)?/g)].map(([one]) => Number(one));
  assertNear(numbers(device), numbers(wasm), 1e-4, 1e-2);
  assert(/2\/2 converged/.test(device), device);
});

const MODIFIERS: readonly (readonly [string, () => readonly object[]])[] = [
  [
    "frozen and wrapped",
    () => [new WrapPeriodicHook(), new FreezeAtomsHook({ atoms: ({ index }) => index % 5 === 0 })],
  ],
  ["clamped and biased by a function", () => [
    new MaxForceClampHook({ maxForce: 0.02 }),
    new BiasedPotentialHook({
      bias({ positions, forces }) {
        for (let i = 0; i < positions.length; i += 3) forces[i]! -= 1e-3 * positions[i]!;
        return 0.25;
      },
    }),
  ]],
];

for (const [name, hooks] of MODIFIERS) {
  testOnGpu(`atoms ${name} move as on wasm`, async () => {
    const [wasm, device] = await both(async (backend) => {
      const scheme = langevin({ dt: 2, temperature: 80, friction: 0.02, seed: 3 });
      await using md = engine(scheme, { model: ARGON, ...where(backend), hooks: hooks() });
      const batch = crystals(2, 80);
      batch.ensure("images");
      const { positions, velocities, energy } = bitsOf(await md.run(batch, 12));
      return [positions!, velocities!.map((v) => 100 * v), energy!];
    });
    assertNearRows(device, wasm);
  });
}

slow(testOnGpu)(
  "modified steps have the same bits visited or not, in pieces and from a checkpoint",
  async () => {
    const batch = await sameHowever({
      make: (more): Dynamics =>
        engine(fireRelaxer({ dt: 0.3 }), {
          model: ARGON,
          backend: gpu!,
          fields: [],
          hooks: [...more, new MaxForceClampHook({ maxForce: 0.03, frequency: 2 })],
        }),
      batch: () => crystals(1, 0),
      steps: 9,
    });
    assertEquals([...batch.get("stepsDone")], [9]);
  },
);
