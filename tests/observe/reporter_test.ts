// A reporter of scalars: content, schedules, and failing reporters.
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type BaseContext, type HookWarning, Loop, stages } from "@hooke/hooke/hooks";
import { Batch } from "../../src/batch/mod.ts";
import { ConvergenceHook, fireRelaxer, velocityVerlet } from "../../src/dynamics/mod.ts";
import {
  jsonlReporter,
  parseScalarLines,
  postScalars,
  Reporter,
  type ReporterOptions,
  type ScalarReporter,
  type ScalarSnapshot,
  tensorBoardReporter,
} from "../../src/observe/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { readTensorBoard } from "../../src/sinks/mod.ts";
import { adam, meanSquaredError, sgd, tensorData, Trainer } from "../../src/training/mod.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";
import { where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { engine } from "./modified.ts";
import { test } from "../suite.ts";

/** A reporter that keeps its snapshots. */
function keeper(times: Partial<ScalarReporter> = {}): ScalarReporter & { seen: ScalarSnapshot[] } {
  const seen: ScalarSnapshot[] = [];
  return { name: "keeper", seen, report: (snapshot) => void seen.push(snapshot), ...times };
}

/** A loop of a custom kind, with a reporter. */
function walk(
  options: Partial<ReporterOptions>,
  onWarning: (warning: HookWarning) => void = () => {},
) {
  const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);
  const loop = new Loop({
    kinds: WalkStage,
    step(loop) {
      loop.fire(WalkStage.BEFORE_STEP);
      return loop.fire(WalkStage.AFTER_STEP);
    },
  }, {
    name: "walk",
    onWarning,
  });
  const reporter = new Reporter({
    reporters: [],
    stages: ["walk/AFTER_STEP"],
    scalars: { x: (ctx) => ctx.stepCount ** 2 },
    ...options,
  });
  loop.hooks.add(reporter);
  return { loop, reporter };
}

const line = () => {
  const builder = new GraphBuilder("line");
  const x = builder.input("x", "f32", ["B", 1]);
  const w = builder.parameter("w", [0], [1, 1]);
  const b = builder.parameter("b", [0], [1]);
  builder.output("y", builder.op("Add", [builder.op("MatMul", [x, w], "f32"), b], "f32"), ["B", 1]);
  return builder.build();
};
const data = () =>
  tensorData({
    x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
    wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
  }, { batchSize: 2, seed: 1 });

Deno.test(
  "the scalars of a relaxation are those of its systems, step by step, on every device",
  onEngines(async (backend) => {
    const kept = keeper();
    const batch = crystals(3, 0);
    const seen: number[][] = [];
    const hooks = [
      ConvergenceHook.fromFmax(0.01),
      new Reporter({ reporters: [kept], frequency: 5, nSteps: 400 }),
      {
        name: "look",
        stage: "dynamics/AFTER_STEP",
        frequency: 5,
        reads: ["energy", "fmax"],
        call: (ctx: { read: Record<string, ArrayLike<number>> }) =>
          void seen.push([...Array.from(ctx.read.energy!), ...Array.from(ctx.read.fmax!)]),
      },
    ];
    await using opt = engine(fireRelaxer({ dt: 0.5 }), { model: ARGON, ...where(backend), hooks });
    await opt.run(batch, 400);
    for (const [i, [e0, e1, e2, f0, f1, f2]] of seen.entries()) {
      const { step, stage, scalars } = kept.seen[i]!;
      assertEquals([step, stage], [5 * i, "dynamics/AFTER_STEP"]);
      assertAlmostEquals(scalars.energy!, (e0! + e1! + e2!) / 3, 1e-12);
      assertEquals(scalars["fmax/max"], Math.max(f0!, f1!, f2!));
      assertEquals(scalars["dynamics/num_graphs"], 3);
    }
    const { step, scalars } = kept.seen.at(-1)!;
    assertEquals([step, scalars.converged_fraction, scalars.active_fraction], [
      opt.stepCount - 1,
      1,
      0,
    ]);
    assertEquals(scalars["dynamics/status/1/count"], 3);
    assertEquals(scalars["dynamics/remaining_steps"], 400 - opt.stepCount);
    assert(scalars["dynamics/steps_per_s"]! > 0 && scalars["dynamics/eta_s"]! >= 0);
  }),
);

test("nSteps counts from the first step of the engine, as that of ProgressHook, and not from the run", async () => {
  const kept = keeper();
  const hooks = [new Reporter({ reporters: [kept], nSteps: 8 })];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: ARGON, device: "wasm", hooks });
  const batch = await md.run(crystals(1), 5);
  await md.run(batch, 3);
  const of = (name: string) => kept.seen.map(({ scalars }) => scalars[`dynamics/${name}`]);
  assertEquals(of("target_steps"), Array(8).fill(8));
  assertEquals(of("remaining_steps"), [7, 6, 5, 4, 3, 2, 1, 0]);
  assertEquals([of("progress_fraction")[4], of("progress_fraction")[7]], [5 / 8, 1]);
});

test("systems that converge in the last reported step are counted when the run ends", async () => {
  const kept = keeper();
  const hooks = [ConvergenceHook.fromFmax(0.01), new Reporter({ reporters: [kept] })];
  await using opt = engine(fireRelaxer({ dt: 0.5 }), { model: ARGON, device: "wasm", hooks });
  await opt.run(crystals(1, 0), 400);
  const [before, last] = kept.seen.slice(-2);
  assertEquals([before!.step, last!.step], [opt.stepCount - 1, opt.stepCount - 1]);
  assertEquals([before!.scalars.converged_fraction, last!.scalars.converged_fraction], [0, 1]);
  assertEquals(last!.scalars.energy, before!.scalars.energy);
});

test("a single system has no /max scalar, and unused statuses have no count", async () => {
  const kept = keeper(), hooks = [new Reporter({ reporters: [kept] })];
  await using md = engine(velocityVerlet({ dt: 1 }), { model: ARGON, device: "reference", hooks });
  await md.run(Batch.from(crystals(1).systems()), 1);
  const { time: _, ...names } = kept.seen[0]!.scalars;
  assertEquals(Object.keys(names).sort(), [
    "active_fraction",
    "converged_fraction",
    "dynamics/active_count",
    "dynamics/converged_count",
    "dynamics/num_graphs",
    "dynamics/status/0/count",
    "dynamics/steps_per_s",
    "energy",
    "fmax",
    "temperature",
  ]);
});

test("the scalars of training: losses, learning rates by optimizer and group, epochs, at any frequency", async () => {
  const kept = keeper({ every: 2 });
  const reporter = new Reporter({ reporters: [kept], frequency: 2, nSteps: 8 });
  await using trainer = new Trainer({
    model: line(),
    loss: meanSquaredError({ target: "wanted" }),
    data: data(),
    validation: data(),
    epochs: 4,
    optimizers: [
      sgd({ lr: 0.05, parameters: ["w"] }),
      adam({ lr: 0.01, parameters: ["b"] }),
    ],
  });
  trainer.addHook(reporter as never);
  await trainer.train();
  const at = (stage: string) => kept.seen.filter((each) => each.stage === `training/${stage}`);
  assertEquals(at("STEP_END").map(({ step }) => step), [1, 3, 5, 7, 8]); // the last one is reported at the end
  assertEquals(at("EPOCH_END").map(({ step }) => step), [2, 4, 6, 8]);
  assertEquals(at("VALIDATION_END").length, 4);
  const [first] = at("STEP_END"), [epoch] = at("EPOCH_END");
  const { scalars } = first!;
  assertEquals([scalars["optimizer/0/group_0/lr"], scalars["optimizer/1/group_0/lr"]], [
    0.05,
    0.01,
  ]);
  assert(scalars["loss/total"]! > 1);
  assertEquals([scalars["training/epoch"], scalars["training/samples_seen"]], [0, 2]);
  assertEquals([scalars["training/target_steps"], scalars["training/remaining_steps"]], [8, 7]);
  assert(epoch!.scalars["train/loss"]! > 0 && epoch!.scalars["val/loss"]! > 0);
  assertEquals(epoch!.scalars["loss/total"], undefined);
  // STEP_END has reported them: a curve has one point in each step.
  assertEquals(
    Object.keys(epoch!.scalars).filter((name) => /^(optimizer|training)\//.test(name)),
    [],
  );
  assertEquals(reporter.history.series("val/loss").steps, [2, 4, 6, 8]);
});

test("each reporter has its own schedule, and all receive the last step", async () => {
  let time = 0;
  const all = keeper(), third = keeper({ every: 3 }), slow = keeper({ everySeconds: 4 });
  const { loop } = walk({ reporters: [all, third, slow], frequency: 1, now: () => time });
  loop.hooks.add(
    {
      name: "clock",
      stage: "walk/BEFORE_STEP",
      frequency: 1,
      call: () => void (time += 1000),
    } as never,
  );
  await loop.run(10);
  const steps = (one: typeof all) => one.seen.map(({ step }) => step);
  assertEquals(steps(all), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assertEquals(steps(third), [0, 3, 6, 9]);
  assertEquals(steps(slow), [0, 4, 8, 9]);
  assertEquals(all.seen[4]!.scalars, { x: 16, "walk/steps_per_s": 1 });
});

test("a reporter that fails is a warning each time; the others and the run go on", async () => {
  const failing: ScalarReporter = {
    name: "failing",
    report({ step }) {
      if (step === 1) throw new Error("no room");
      if (step === 2) return Promise.reject(new Error("no way"));
    },
  };
  const [before, after] = [keeper(), keeper()], warnings: string[] = [];
  const { loop } = walk(
    { reporters: [before, failing, after] },
    ({ error }) => warnings.push((error as Error).message),
  );
  assertEquals((await loop.run(4)).status, "completed");
  assertEquals([before.seen.length, after.seen.length], [4, 4]);
  assertEquals(warnings, [
    "Reporter failing failed: no room",
    "Reporter failing failed: no way",
  ]);
});

test(
  'with onError "disable" it receives no more values; with "throw" the run ends',
  async () => {
    let reported = 0;
    const failing: ScalarReporter = {
      name: "failing",
      report() {
        reported++;
        throw new Error("no");
      },
    };
    const kept = keeper(), warnings: HookWarning[] = [];
    const lenient = walk(
      { reporters: [failing, kept], onError: "disable" },
      (w) => warnings.push(w),
    );
    await lenient.loop.run(5);
    assertEquals([reported, warnings.length, kept.seen.length], [1, 1, 5]);
    const closed: string[] = [];
    const strict = walk({
      reporters: [
        failing,
        keeper({ close: ({ status }) => void closed.push(status) }),
      ],
      onError: "throw",
    });
    await assertRejects(() => strict.loop.run(5), Error, "Reporter failing failed");
    assertEquals(closed, ["failed"]);
  },
);

test("a reporter that cannot open is a warning at the first step, and is not called; the others are closed", async () => {
  const kept = keeper(), closed: string[] = [], warnings: string[] = [];
  const shut = jsonlReporter({ path: "/proc/no/such/folder/rows.jsonl" });
  const closing = keeper({ close: () => void closed.push("closed") });
  const { loop } = walk(
    { reporters: [shut, kept, closing] },
    ({ error }) => warnings.push((error as Error).message),
  );
  await loop.run(3);
  assertEquals([kept.seen.length, closed, warnings.length], [3, ["closed"], 1]);
  assert(
    warnings[0]!.includes("Reporter jsonl failed") &&
      warnings[0]!.includes("/proc/no/such/folder"),
  );
  const strict = walk({ reporters: [shut], onError: "throw" });
  await assertRejects(() => strict.loop.run(3), Error, "/proc/no/such/folder");
});

test("files: JSON Lines and TensorBoard have the reported values, run after run", async () => {
  const folder = await Deno.makeTempDir();
  const make = () =>
    walk({
      reporters: [
        jsonlReporter({ path: `${folder}/rows.jsonl` }),
        tensorBoardReporter(`${folder}/board`, { every: 2, prefix: "walk/" }),
      ],
    });
  const { loop } = make();
  await loop.run(3);
  await loop.run(2);
  const rows = parseScalarLines(await Deno.readTextFile(`${folder}/rows.jsonl`));
  assertEquals(rows.map(({ step, scalars }) => [step, scalars.x]), [
    [0, 0],
    [1, 1],
    [2, 4],
    [3, 9],
    [4, 16],
  ]);
  const events = await readTensorBoard(`${folder}/board`);
  assertEquals(events.map(({ step, scalars }) => [step, scalars["walk/x"]]), [[0, 0], [2, 4], [
    4,
    16,
  ]]);
  assertEquals([...Deno.readDirSync(`${folder}/board`)].length, 2);
  await Deno.remove(folder, { recursive: true });
});

test("checkpoints contain the history, and another engine clears it", async () => {
  const first = walk({});
  await first.loop.run(5);
  const saved = structuredClone(first.loop.save());
  const second = walk({});
  second.loop.load(saved);
  await second.loop.run(2);
  assertEquals(second.reporter.history.series("x"), {
    steps: [0, 1, 2, 3, 4, 5, 6],
    values: [0, 1, 4, 9, 16, 25, 36],
  });
  const other = walk({});
  other.loop.hooks.add(second.reporter, { name: "again" });
  await other.loop.run(1);
  assertEquals(second.reporter.history.series("x").steps, [0]);
});

test("wrong options are refused by name", () => {
  const refused = (options: unknown, error: typeof RangeError | typeof TypeError, text: string) =>
    assertThrows(() => new Reporter(options as ReporterOptions), error, text);
  refused({}, TypeError, "reporters is required: for example");
  refused({ reporters: 3 }, TypeError, "reporters must be a list");
  refused(
    { reporters: [{}] },
    TypeError,
    "each of its reporters must be an object with a function report",
  );
  refused(
    { reporters: [{ report() {} }] },
    TypeError,
    "the name of each reporter must be a string",
  );
  refused(
    { reporters: [keeper({ every: 0.5 })] },
    RangeError,
    'the option "every" of reporter keeper must be a positive integer; got 0.5',
  );
  refused(
    { reporters: [keeper({ everySeconds: -1 })] },
    RangeError,
    'the option "everySeconds" of reporter keeper must be 0 or more',
  );
  refused({ reporters: [], stages: ["AFTER_STEP"] }, TypeError, "stages must be a list of stages");
  refused(
    { reporters: [], scalars: { x: 1 } },
    TypeError,
    "scalars must be an object of functions",
  );
  refused(
    { reporters: [], onError: "ignore" },
    TypeError,
    'onError must be "warn", "throw" or "disable"',
  );
  refused({ reporters: [], frequency: 0 }, RangeError, "frequency");
  refused({ reporters: [], nStep: 3 }, TypeError, "nSteps");
});

test("a custom scalar that is not a number is named", async () => {
  const { loop } = walk({ scalars: { half: () => "x" as never }, onError: "throw" });
  await assertRejects(
    () => loop.run(1),
    TypeError,
    "Cannot collect scalar half: its function must return a number",
  );
});

test("rows that other hooks post are reported once, by the name of the hook", async () => {
  const kept = keeper(), { loop } = walk({ reporters: [kept], scalars: {} });
  loop.hooks.add({
    name: "half",
    stage: "walk/BEFORE_STEP",
    frequency: 2,
    call: (ctx: BaseContext) =>
      postScalars(ctx, { source: "half", step: ctx.stepCount, values: { x: ctx.stepCount / 2 } }),
  } as never);
  await loop.run(4);
  assertEquals(kept.seen.map(({ scalars }) => scalars["half/x"]), [0, undefined, 1, undefined]);
});
