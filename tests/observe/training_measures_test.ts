// Statistics of gradients, learning rates and activations.
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  ActivationStats,
  ConsoleLog,
  GradientMonitor,
  type GradientMonitorOptions,
  type GradientReport,
  JsonLog,
  LrMonitor,
  type LrMonitorOptions,
  Reporter,
  type ScalarRow,
  type ScalarSnapshot,
  tensorBoardReporter,
} from "../../src/observe/mod.ts";
import {
  histogramOf,
  momentsOf,
  percentilesOf,
} from "../../src/observe/training/gradient_numbers.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { readTensorBoard } from "../../src/sinks/mod.ts";
import { adam, exponential, sgd, type TrainerParts } from "../../src/training/mod.ts";
import { doubles, line, trainAnyway } from "./training_line.ts";

/** y = x a b with a 1×2 and b 2×1, so that the slope by a is 2 (y − 2x) x b, and that by b is 2 (y − 2x) x a. */
function twoLayers(a: readonly number[], b: readonly number[]): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("two");
  const x = builder.input("x", "f32", ["B", 1]);
  const encoder = builder.parameter("encoder.weight", [...a], [1, 2]);
  const decoder = builder.parameter("decoder.weight", [...b], [2, 1]);
  const h = builder.op("MatMul", [x, encoder], "f32");
  builder.output("y", builder.op("MatMul", [h, decoder], "f32"), ["B", 1]);
  return builder.build() as Uint8Array<ArrayBuffer>;
}

/** The reports of a run of one batch, x = 1. */
async function reportsOf(
  options: GradientMonitorOptions,
  trainer: Partial<TrainerParts> = {},
): Promise<GradientReport[]> {
  const reports: GradientReport[] = [];
  const monitor = new GradientMonitor({ write: (report) => void reports.push(report), ...options });
  await using run = line([monitor], {
    model: twoLayers([1, -2], [3, 1]),
    data: doubles([1]),
    ...trainer,
  });
  await trainAnyway(run);
  return reports;
}

Deno.test("a report has norm, mean absolute value, bounds, percentiles and verdict of each parameter", async () => {
  const [report] = await reportsOf({}); // y = 1, so 2 (y − 2) x = −2
  assertEquals(report, {
    step: 1,
    norm: Math.sqrt(60),
    gradNorm: Math.sqrt(60),
    verdict: "fine",
    layers: [
      {
        name: "encoder.weight",
        size: 2,
        meanAbs: 4,
        min: -6,
        max: -2,
        nonFinite: 0,
        norm: Math.sqrt(40),
        verdict: "fine",
        percentiles: percentilesOf([-6, -2], [10, 50, 90]),
      },
      {
        name: "decoder.weight",
        size: 2,
        meanAbs: 3,
        min: -2,
        max: 4,
        nonFinite: 0,
        norm: Math.sqrt(20),
        verdict: "fine",
        percentiles: percentilesOf([-2, 4], [10, 50, 90]),
      },
    ],
  });
});

Deno.test("every hundredth step is reported by default", async () => {
  const steps = async (options: GradientMonitorOptions) =>
    (await reportsOf(options, { data: doubles([1]), epochs: 201, optimizers: sgd({ lr: 1e-9 }) }))
      .map(({ step }) => step);
  assertEquals(await steps({}), [1, 101, 201]);
  assertEquals(await steps({ logFrequency: 80 }), [1, 81, 161]);
  assertEquals(await steps({ logFrequency: 80, after: 1 }), [81, 161]);
  assertEquals(await steps({ logFrequency: 80, enableAfterEpoch: 100 }), [161]);
});

Deno.test("gradients are those of a whole step, of all its batches together", async () => {
  const options = { model: twoLayers([1, -2], [3, 1]), data: doubles([1, 3]), accumulate: 2 };
  const reports = await reportsOf({ logFrequency: 1 }, options);
  assertEquals(reports.length, 1);
  // The mean of −2 · 1 and 2 (3 − 6) · 3 = −18 is −10.
  assertAlmostEquals(reports[0]!.norm, 10 * Math.sqrt(15), 1e-5);
});

Deno.test("with clipping, norms are those that the optimizer got, and gradNorm the one before", async () => {
  const [report] = await reportsOf({}, { clip: { norm: 1 } });
  assertAlmostEquals(report!.norm, 1, 1e-6);
  assertAlmostEquals(report!.gradNorm, Math.sqrt(60), 1e-5);
});

Deno.test("paramFilter selects by parts of names, or by a function; a filter that matches nothing is an error", async () => {
  const named = async (paramFilter: GradientMonitorOptions["paramFilter"]) =>
    (await reportsOf({ paramFilter: paramFilter! }))[0]!.layers.map(({ name }) => name);
  assertEquals(await named("coder"), ["encoder.weight", "decoder.weight"]);
  assertEquals(await named(["encoder", "head"]), ["encoder.weight"]);
  assertEquals(await named((name) => name.startsWith("d")), ["decoder.weight"]);
  await assertRejects(
    () => named("head"),
    RangeError,
    'paramFilter must match a parameter (encoder.weight, decoder.weight); got "head"',
  );
});

Deno.test("the options norm, histogram and percentiles select what is reported", async () => {
  const [plain] = (await reportsOf({ norm: false, percentiles: [] }))[0]!.layers;
  assertEquals([plain!.norm, plain!.histogram, plain!.percentiles], [undefined, undefined, {}]);
  const [full] = (await reportsOf({ histogram: true, percentiles: [0, 25, 100] }))[0]!.layers;
  assertEquals(full!.percentiles, { p0: -6, p25: -5, p100: -2 });
  assertEquals([full!.histogram!.from, full!.histogram!.to], [-6, -2]);
  assertEquals(full!.histogram!.counts, [1, ...Array.from({ length: 30 }, () => 0), 1]);
});

Deno.test("verdicts: vanishing, exploding, not finite; the worst one is that of the step", async () => {
  const verdicts = async (options: GradientMonitorOptions, parts: Partial<TrainerParts> = {}) => {
    const { verdict, layers } = (await reportsOf(options, parts))[0]!;
    return [verdict, ...layers.map((layer) => layer.verdict)];
  };
  assertEquals(await verdicts({ vanishing: 5 }), ["vanishing", "fine", "vanishing"]);
  assertEquals(await verdicts({ exploding: 5 }), ["exploding", "exploding", "fine"]);
  assertEquals(await verdicts({ vanishing: 5, exploding: 6 }), [
    "exploding",
    "exploding",
    "vanishing",
  ]);
  const broken = { data: doubles([NaN]) };
  assertEquals(await verdicts({}, broken), ["nonFinite", "nonFinite", "nonFinite"]);
  const dead = { model: twoLayers([1, 1], [1, 1]) }; // y = 2 x already
  assertEquals(await verdicts({}, dead), ["vanishing", "vanishing", "vanishing"]);
  assertEquals(await verdicts({}, { model: twoLayers([1e4, 1], [1, 1]) }), [
    "exploding",
    "exploding",
    "exploding",
  ]);
});

Deno.test("verdicts are of gradients before clipping, also of some of them", async () => {
  const verdicts = async (paramFilter?: string) => {
    const [report] = await reportsOf(
      { exploding: 5, ...(paramFilter !== undefined && { paramFilter }) },
      { clip: { norm: 1e-3 } },
    );
    return report!.layers.map(({ name, verdict }) => `${name} ${verdict}`);
  };
  assertEquals(await verdicts(), ["encoder.weight exploding", "decoder.weight fine"]);
  assertEquals(await verdicts("encoder"), ["encoder.weight exploding"]);
  assertEquals(await verdicts("decoder"), ["decoder.weight fine"]);
});

Deno.test("without `write` values go to the logs, with a note on verdicts", async () => {
  const log = new JsonLog({ outputDir: Deno.makeTempDirSync() });
  const monitor = new GradientMonitor({ name: "gradients", vanishing: 5, percentiles: [50] });
  await using trainer = line([monitor, log], {
    model: twoLayers([1, -2], [3, 1]),
    data: doubles([1]),
  });
  await trainer.train();
  const lines = Deno.readTextFileSync(log.path!).trimEnd().split("\n").map((text) =>
    JSON.parse(text)
  );
  const { source, step, note, values } = lines.find(({ event }) => event === "scalars");
  assertEquals([source, step, note], ["gradients", 1, "vanishing: decoder.weight"]);
  assertEquals(values["gradients/decoder.weight/p50"], 1);
  assertAlmostEquals(values["gradients/norm"], Math.sqrt(60), 1e-12);
  assertEquals(Object.keys(values).length, 12);
});

Deno.test("moments, percentiles and histograms of known numbers", () => {
  const numbers = Float32Array.from({ length: 101 }, (_, i) => (i * 37) % 101 - 20); // −20 … 80
  assertEquals(percentilesOf(numbers, [0, 10, 50, 90.5, 100]), {
    p0: -20,
    p10: -10,
    p50: 30,
    "p90.5": 70.5,
    p100: 80,
  });
  const { min, max, meanAbs, norm, nonFinite } = momentsOf(numbers);
  assertEquals([min, max, nonFinite], [-20, 80, 0]);
  assertAlmostEquals(meanAbs, (210 + 3240) / 101, 1e-12);
  assertAlmostEquals(norm, Math.sqrt(2870 + 173880), 1e-9); // Σ k² up to 20, and up to 80
  assertEquals(momentsOf([1, NaN, Infinity, -2]).nonFinite, 2);
  assertEquals(histogramOf([0, 1, 31, 32, NaN, -Infinity]).counts.reduce((a, b) => a + b), 4);
  assertEquals(histogramOf([NaN]).from, NaN);
  assertEquals(histogramOf([3, 3]).counts[0], 2);
  // Of many numbers only some are sorted: an error of a percent of rank, here of their range, is allowed.
  const many = Float32Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 200_000 / 2e5);
  const { p10, p50, p90 } = percentilesOf(many, [10, 50, 90]);
  for (const [got, wanted] of [[p10, 0.1], [p50, 0.5], [p90, 0.9]] as const) {
    assert(Math.abs(got! - wanted) < 0.01 + 0.02, `${got} for ${wanted}`);
  }
});

Deno.test("a gradient monitor refuses wrong options", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new GradientMonitor(options), error, text);
  refused({ logFrequency: 0 }, RangeError, "logFrequency must be a positive integer");
  refused(
    { frequency: 3 },
    TypeError,
    'frequency must be left out, because the option "logFrequency" replaces it',
  );
  refused({ histogram: 1 }, TypeError, "histogram must be true or false");
  refused({ norm: 1 }, TypeError, "norm must be true or false");
  refused({ paramFilter: 3 }, TypeError, "paramFilter must be a part of a name");
  refused({ percentiles: [101] }, TypeError, "percentiles must be an array of numbers from 0 to");
  refused({ vanishing: -1 }, RangeError, "vanishing must be 0 or more");
  refused({ exploding: NaN }, RangeError, "exploding must be 0 or more");
  refused({ write: 1 }, TypeError, "write must be a function");
  refused({ percentile: [] }, TypeError, "did you mean");
  assertEquals(new GradientMonitor().name, "gradient_monitor");
});

/** The rows of two epochs of two steps, with lr halved at each. */
async function ratesOf(
  options: LrMonitorOptions,
  parts: Partial<TrainerParts> = {},
): Promise<(readonly [number, Readonly<Record<string, number>>])[]> {
  const rows: ScalarRow[] = [];
  await using trainer = line([new LrMonitor({ write: (row) => rows.push(row), ...options })], {
    data: doubles([1, 2]),
    epochs: 2,
    optimizers: sgd({ lr: 1 / 64 }),
    schedule: exponential({ gamma: 0.5 }),
    ...parts,
  });
  await trainer.train();
  return rows.map(({ step, values }) => [step, values] as const);
}

Deno.test("learning rates are reported by epoch, by step, or every few steps", async () => {
  const at = (lr: number) => ({ "lr/sgd": lr / 64 });
  assertEquals(await ratesOf({}), [[2, at(1 / 2)], [4, at(1 / 8)]]);
  const all = [[1, at(1)], [2, at(1 / 2)], [3, at(1 / 4)], [4, at(1 / 8)]];
  assertEquals(await ratesOf({ frequency: "step" }), all as never);
  assertEquals(await ratesOf({ everyNSteps: 3 }), [all[0], all[3]] as never);
  assertEquals(await ratesOf({ frequency: "step", everyNSteps: 2 }), [all[0], all[2]] as never);
  assertEquals(await ratesOf({ frequency: "step", after: 3 }), [all[3]] as never);
});

Deno.test("momentum and weight decay are reported on request, for each group and optimizer", async () => {
  const optimizers = sgd({ lr: 1 / 64, momentum: 0.5, weightDecay: 0.25 });
  const options = { logMomentum: true, logWeightDecay: true };
  const [, values] = (await ratesOf(options, { optimizers }))[0]!;
  assertEquals(values, { "lr/sgd": 1 / 128, "momentum/sgd": 0.5, "weightDecay/sgd": 0.25 });
  const several = {
    model: twoLayers([1, -2], [3, 1]),
    optimizers: [
      adam({
        lr: 1e-3,
        parameters: "encoder*",
      }),
      adam({ lr: 0.5, parameters: "decoder*", name: "other" }),
    ],
    schedule: exponential({ gamma: 1 }),
  };
  assertEquals((await ratesOf({}, several))[0]![1], { "lr/adam": 1e-3, "lr/other": 0.5 });
  const groups = {
    ...several,
    optimizers: sgd({ lr: 1e-3, groups: [{ parameters: "encoder*", lr: 0.25 }] }),
  };
  const [, rates] = (await ratesOf({}, groups))[0]!;
  assertEquals(Object.keys(rates).sort(), ["lr/sgd/0", "lr/sgd/1"]);
  assertEquals(Object.values(rates).sort(), [1e-3, 0.25]);
});

Deno.test("an LR monitor posts rows in the slot, and refuses wrong options", async () => {
  const log = new JsonLog({ outputDir: Deno.makeTempDirSync() });
  await using trainer = line([new LrMonitor(), log]);
  await trainer.train();
  assert(Deno.readTextFileSync(log.path!).includes('"values":{"lr/sgd":0.01}'));
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new LrMonitor(options), error, text);
  refused({ frequency: "batch" }, TypeError, 'frequency must be "step" or "epoch"');
  refused(
    { frequency: "epoch", everyNSteps: 2 },
    TypeError,
    "everyNSteps must be left out unless frequency",
  );
  refused({ everyNSteps: 0 }, RangeError, "everyNSteps must be");
  refused({ logMomentum: 1 }, TypeError, "logMomentum must be");
  refused({ logWeightDecay: 1 }, TypeError, "logWeightDecay must be");
  refused({ write: 1 }, TypeError, "write must be a function");
  assertEquals(new LrMonitor().name, "lr_monitor");
});

Deno.test("activations: mean, std and bounds of the selected tensors, in training only", async () => {
  const rows: ScalarRow[] = [], model = twoLayers([1, -2], [3, 1]);
  const stats = new ActivationStats({ points: "y", write: (row) => rows.push(row) });
  await using trainer = line([stats], {
    model,
    data: doubles([1, 3], 2),
    validation: doubles([7]),
    optimizers: sgd({ lr: 1e-9 }),
  });
  await trainer.train();
  assertEquals(rows.length, 1);
  assertEquals(rows[0]!.values, {
    "activations/y/mean": 2,
    "activations/y/std": 1,
    "activations/y/min": 1,
    "activations/y/max": 3,
  });
});

Deno.test("activations: all of them by default, every few forward passes, to the logs", async () => {
  const rows: ScalarRow[] = [];
  const stats = new ActivationStats({ logInterval: 2, write: (row) => rows.push(row) });
  await using trainer = line([stats], { model: twoLayers([1, -2], [3, 1]) });
  await trainer.train();
  assertEquals(rows.map(({ step }) => step), [0, 2]);
  const tensors = new Set(Object.keys(rows[0]!.values).map((name) => name.split("/")[1]));
  assert(tensors.has("y") && tensors.size >= 2, [...tensors].join());
  const log = new JsonLog({ outputDir: Deno.makeTempDirSync() });
  await using logged = line([new ActivationStats({ points: ["y"] }), log]);
  await logged.train();
  assert(Deno.readTextFileSync(log.path!).includes('"activations/y/mean":'));
});

Deno.test("activation statistics refuse wrong options", () => {
  const refused = (options: object, error: typeof TypeError, text: string) =>
    assertThrows(() => new ActivationStats(options), error, text);
  refused(
    { points: [] },
    TypeError,
    "points must be a name or pattern of tensors, or a non-empty array of them",
  );
  refused({ logInterval: 0 }, RangeError, "logInterval must be a positive integer");
  refused({ write: 1 }, TypeError, "write must be a function");
  refused({ logIntervall: 1 }, TypeError, "did you mean");
  assertEquals(new ActivationStats().name, "activation_stats");
});

Deno.test("histograms of gradients are on the console, in the JSON log, and in reports and TensorBoard", async () => {
  const lines: string[] = [], kept: ScalarSnapshot[] = [], folder = Deno.makeTempDirSync();
  const log = new JsonLog({ outputDir: folder });
  await using trainer = line([
    new GradientMonitor({ name: "gradients", histogram: true, percentiles: [] }),
    new ConsoleLog({ write: (text) => void lines.push(text) }),
    log,
    new Reporter({
      reporters: [
        { name: "keeps", report: (snapshot) => void kept.push(snapshot) },
        tensorBoardReporter(folder),
      ],
    }),
  ], { model: twoLayers([1, -2], [3, 1]), data: doubles([1]) });
  await trainer.train();
  const counts = [1, ...Array.from({ length: 30 }, () => 0), 1]; // of −6 and −2
  const expected = { from: -6, to: -2, counts, sum: -8, sumOfSquares: 40 };
  const rows = Deno.readTextFileSync(log.path!).trimEnd().split("\n").map((text) =>
    JSON.parse(text)
  );
  const { histograms } = rows.find(({ event }) => event === "scalars");
  assertEquals(histograms["gradients/encoder.weight"], expected);
  const name = "gradients/gradients/encoder.weight";
  assertEquals(kept.find(({ histograms }) => histograms)?.histograms?.[name], expected);
  const bars = `gradients/encoder.weight -6|█${" ".repeat(30)}█|-2`;
  assert(lines.some((text) => text.includes(bars)), lines.join("\n"));
  const [board] = (await readTensorBoard(folder)).filter(({ histograms }) => name in histograms);
  const { min, max, count, sum, counts: there } = board!.histograms[name]!;
  assertEquals([min, max, count, sum, there], [-6, -2, 2, -8, counts]);
});

Deno.test("monitors without a log write to the console, at their frequency; with a log they leave it to the log", async () => {
  const printed = async (more: readonly object[]) => {
    const lines: string[] = [], { log } = console;
    console.log = (text: string) => void lines.push(text);
    try {
      await using trainer = line([
        new GradientMonitor({ logFrequency: 2, percentiles: [] }),
        new LrMonitor(),
        new ActivationStats({ points: "y", logInterval: 3 }),
        ...more,
      ]);
      await trainer.train();
    } finally {
      console.log = log;
    }
    return lines.map((text) => text.split("  ").slice(0, 2).join(" "));
  };
  assertEquals(await printed([]), [
    "step 0 activation_stats",
    "step 1 gradient_monitor",
    "step 3 gradient_monitor",
    "step 3 activation_stats",
    "step 4 lr_monitor",
  ]);
  assertEquals(await printed([new JsonLog({ outputDir: Deno.makeTempDirSync() })]), []);
});
