// All ready-made training hooks at once: they do not disturb training, or each other.
import { assert, assertEquals } from "@std/assert";
import { Checkpoint } from "../../src/observe/checkpoints/checkpoint.ts";
import {
  ActivationStats,
  CheckpointUpload,
  ConsoleLog,
  EarlyStopping,
  GradientMonitor,
  type GradientReport,
  Heartbeat,
  JsonLog,
  LrMonitor,
  ModelCheckpoint,
  NanGuard,
  type ScalarRow,
  Webhook,
} from "../../src/observe/mod.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { adam, type TrainerParts } from "../../src/training/mod.ts";
import { doubles, line } from "./training_line.ts";
import { testOnGpu } from "../backend/gpu.ts";

const url = "http://127.0.0.1:9"; // nothing listens there

/** Every hook that only observes. */
function onlookers(dir: string): object[] {
  return [
    new ConsoleLog({ logEveryNBatches: 1, write() {} }),
    new JsonLog({ outputDir: dir, logEveryNBatches: 1 }),
    new GradientMonitor({ logFrequency: 1, histogram: true }),
    new LrMonitor({ frequency: "step", logMomentum: true, logWeightDecay: true }),
    new ActivationStats(),
    new NanGuard(),
    new EarlyStopping(),
    new ModelCheckpoint({ dir: `${dir}/best`, filename: "e{epoch}" }),
    new Checkpoint({ outputDir: `${dir}/all` }),
    new Heartbeat({ path: `${dir}/beat.json`, everySeconds: 1e-6 }),
    new CheckpointUpload({ run() {} }),
    new Webhook({ url, notifyOn: [] }),
  ];
}

const OPTIONS: Partial<TrainerParts> = {
  epochs: 3,
  accumulate: 2,
  clip: { norm: 1 },
  data: doubles([1, 2, 3, 4, 5]),
  validation: doubles([6, 7]),
  optimizers: adam({ lr: 0.05 }),
};

Deno.test("with all of them enabled, parameters are bitwise identical to those without, and nothing is modified", async () => {
  await using bare = line([], OPTIONS);
  await bare.train();
  const warnings: HookWarning[] = [], dir = Deno.makeTempDirSync();
  const onWarning = (warning: HookWarning) => void warnings.push(warning);
  await using watched = line(onlookers(dir), { ...OPTIONS, verify: true, onWarning });
  await watched.train();
  assertEquals(warnings, []);
  assertEquals(await watched.parameter("w"), await bare.parameter("w"));
  assertEquals(watched.state.metrics, bare.state.metrics);
  assertEquals([...Deno.readDirSync(`${dir}/all`)].length, 4);
});

Deno.test("their state goes through a file, and a resumed run equals one without interruption", async () => {
  const dir = Deno.makeTempDirSync();
  await using whole = line(onlookers(`${dir}/a`), OPTIONS);
  await whole.train();
  await using first = line(onlookers(`${dir}/b`), OPTIONS);
  await first.train(1);
  await using second = line(onlookers(`${dir}/b`), OPTIONS);
  await second.loadCheckpoint(`${dir}/b/all/checkpoint_epoch_1.hooke`);
  await second.train();
  assertEquals(await second.parameter("w"), await whole.parameter("w"));
  const names = (folder: string) =>
    [...Deno.readDirSync(`${dir}/${folder}`)].map(({ name }) => name).sort();
  assertEquals(names("b/best"), names("a/best"));
  assertEquals(names("b/all"), names("a/all"));
});

Deno.test("two hooks of a class need two names", async () => {
  const rows: string[] = [], write = ({ source }: ScalarRow) => void rows.push(source);
  const hooks = [new LrMonitor({ write }), new LrMonitor({ write, name: "other" })];
  await using trainer = line(hooks);
  await trainer.train();
  assertEquals(rows, ["lr_monitor", "other"]);
});

testOnGpu("on a GPU they report the same as on wasm, each value with its step", async () => {
  const said = async (device: "wasm" | "webgpu") => {
    const reports: GradientReport[] = [], rows: ScalarRow[] = [], lines: string[] = [];
    await using trainer = line([
      new GradientMonitor({ logFrequency: 2, write: (report) => void reports.push(report) }),
      new LrMonitor({ everyNSteps: 2, write: (row) => void rows.push(row) }),
      new ActivationStats({ points: "y", logInterval: 2, write: (row) => void rows.push(row) }),
      new ConsoleLog({ logEveryNBatches: 3, write: (text) => void lines.push(text) }),
    ], { epochs: 2, device, validation: doubles([1]) });
    await trainer.train();
    return {
      norms: reports.map(({ step, norm, gradNorm }) => [step, norm, gradNorm]),
      rows: rows.sort((a, b) => a.step - b.step || (a.source < b.source ? -1 : 1)),
      lines: lines.filter((text) => text.includes("batch")),
    };
  };
  const [wasm, gpu] = [await said("wasm"), await said("webgpu")];
  const close = (a: number, b: number) => Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(a));
  assertEquals(gpu.norms.map(([step]) => step), [1, 3, 5, 7]);
  assert(
    wasm.norms.flat().every((x, i) => close(x!, gpu.norms.flat()[i]!)),
    JSON.stringify([wasm.norms, gpu.norms]),
  );
  const named = (rows: readonly ScalarRow[]) =>
    rows.map(({ source, step, values }) => [source, step, ...Object.keys(values)]);
  assertEquals(named(gpu.rows), named(wasm.rows));
  const numbers = (rows: readonly ScalarRow[]) =>
    rows.flatMap(({ values }) => Object.values(values));
  assert(
    numbers(wasm.rows).every((x, i) => close(x, numbers(gpu.rows)[i]!)),
    JSON.stringify([wasm.rows, gpu.rows]),
  );
  assertEquals(gpu.lines.map((text) => text.split("  loss")[0]), [
    "epoch 1  batch 0",
    "epoch 1  batch 3",
    "epoch 2  batch 2",
  ]);
});
