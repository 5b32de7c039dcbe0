/** docs/training against the options, functions, stages and errors that it lists. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Loop, TrainingStage } from "../../mod.ts";
import type { HooksConfigOption } from "../../src/config/mod.ts";
import {
  atomsData,
  type AtomsDataOptions,
  type BatchingOptions,
  fineTune,
  type LoraOptions,
  meanSquaredError,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainerSettings,
  withLora,
} from "../../src/training/mod.ts";
import { decodeModel, GraphBuilder } from "../../src/onnx/mod.ts";
import { FINE_TUNE_OPTIONS } from "../../src/training/tuning/fine_tune_options.ts";
import * as data from "../../src/training/data/mod.ts";
import * as losses from "../../src/training/losses/mod.ts";
import * as metrics from "../../src/training/metrics/mod.ts";
import * as optimizers from "../../src/training/optimizers/mod.ts";
import * as schedules from "../../src/training/schedules/mod.ts";
import { madeNumbers } from "../training/made_numbers.ts";
import { pagesOf, tablesOf } from "./tables.ts";
import { AT_EVERY_STAGE, STATE, TRAINING_CONTEXT } from "./training_context.ts";
import { MISTAKES } from "./training_mistakes.ts";

const PAGE = await pagesOf("training");
const table = tablesOf(PAGE);
const firsts = (title: string) => table(title).map(([name]) => name!);

// Objects whose keys the compiler compares with the types: an option that comes or goes breaks the check.
const OPTIONS = {
  model: 0,
  loss: 0,
  metrics: 0,
  data: 0,
  validation: 0,
  optimizers: 0,
  schedule: 0,
  parameters: 0,
  freeze: 0,
  epochs: 0,
  steps: 0,
  accumulate: 0,
  clip: 0,
  ema: 0,
  validateEvery: 0,
  loaderOrder: 0,
  workers: 0,
  group: 0,
  device: 0,
  threads: 0,
  threadMemory: 0,
  runtime: 0,
  name: 0,
  signal: 0,
  onWarning: 0,
  verify: 0,
  config: 0,
  runInfo: 0,
  hooksConfig: 0,
  hooksOptions: 0,
  hooks: 0,
} satisfies Record<keyof TrainerParts | keyof HooksConfigOption | "hooks", 0>;
const SETTINGS = {
  accumulate: 0,
  clip: 0,
  ema: 0,
  terms: 0,
  patches: 0,
  points: 0,
} satisfies Record<keyof TrainerSettings, 0>;

const ATOMS = {
  potential: 0,
  cutoff: 0,
  reach: 0,
  triplets: 0,
  nearest: 0,
  neighbors: 0,
  names: 0,
  elements: 0,
  elementEnergies: 0,
  energy: 0,
  forces: 0,
  stress: 0,
  virial: 0,
  partial: 0,
  weight: 0,
  replay: 0,
  invariant: 0,
} satisfies Record<Exclude<keyof AtomsDataOptions, keyof BatchingOptions>, 0>;

Deno.test("docs/training has every option of fineTune(), which takes no others", async () => {
  const listed = firsts("option of fineTune");
  const [own] = /^`freeze`, [\s\S]*?those of a\strainer/m.exec(PAGE)!;
  const passed = [...own.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  assertEquals([...listed, ...passed].toSorted(), FINE_TUNE_OPTIONS.toSorted());
  const none = fineTune({ model: new Uint8Array(), train: [], step: 1 } as never);
  await assertRejects(() => none, TypeError, "step");
});

Deno.test("docs/training has every option of adapters, with defaults that are true", () => {
  const lora = { rank: 0, alpha: 0, parameters: 0, freeze: 0, seed: 0 } satisfies Record<
    keyof LoraOptions,
    0
  >;
  assertEquals(firsts("option of lora"), Object.keys(lora));
  const g = new GraphBuilder("wide");
  const w = g.parameter("w", new Float32Array(400).fill(1), [20, 20]);
  g.output("y", g.op("MatMul", [g.input("x", "f32", ["B", 20]), w], "f32"), ["B", 20]);
  const [, rank] = table("option of lora")[0]!;
  const shapeOf = (options: LoraOptions) =>
    decodeModel(withLora(g.build(), options).model).graph!.initializer
      .find(({ name }) => name === "w.lora_A")!.dims.map(Number);
  assertEquals(shapeOf({}), [20, Number(rank)]);
  assertEquals(shapeOf({ rank: 100 }), [20, 20]);
});

Deno.test("docs/training has every option of data of atoms, and what their tensors are called", async () => {
  assertEquals(firsts("option of atomsData"), Object.keys(ATOMS));
  const crystal = {
    symbols: ["Ar", "Ar", "Ar"],
    positions: [[0, 0, 0], [3, 0, 0], [0, 3, 0]],
    energy: -1,
    forces: new Array(9).fill(0),
    stress: new Array(9).fill(0),
    cell: [9, 9, 9],
  };
  const options = {
    cutoff: 5,
    reach: 4,
    batchSize: 1,
    partial: true,
    names: { cell: "cell" },
  };
  const [batch] = await Array.fromAsync(atomsData([crystal], options).batches(0, 0));
  const sizes: Record<string, number> = { N: 3, B: 1 };
  const { edge_index: edges, trip_center: triplets } = batch!.feeds;
  [sizes.E, sizes.T] = [edges!.dims![1]!, triplets!.dims![0]!];
  const rows = table("meaning");
  const names = rows.map(([meaning, name]) => name === "none" ? meaning! : name!);
  assertEquals(names.toSorted(), Object.keys(batch!.feeds).toSorted());
  for (const [i, [, , shape]] of rows.entries()) {
    const dims = shape!.slice(1, -1).split(", ").map((axis) => sizes[axis] ?? Number(axis));
    assertEquals(batch!.feeds[names[i]!]!.dims, dims, names[i]);
  }
  const renamed = { ...options, names: Object.fromEntries(rows.map(([m]) => [m!, `my ${m}`])) };
  const [again] = await Array.fromAsync(atomsData([crystal], renamed).batches(0, 0));
  assertEquals(Object.keys(again!.feeds).toSorted(), rows.map(([m]) => `my ${m}`).toSorted());
});

Deno.test("docs/training has every option of a trainer, and every setting of a hook", () => {
  assertEquals(firsts("option"), Object.keys(OPTIONS));
  assertEquals(firsts("setting"), Object.keys(SETTINGS));
});

Deno.test("docs/training has every function for data, losses, metrics, optimizers and schedules", () => {
  const listed = (...titles: string[]) => titles.flatMap(firsts).toSorted();
  assertEquals(listed("data"), Object.keys(data).toSorted());
  assertEquals(listed("loss"), Object.keys(losses).toSorted());
  assertEquals(listed("metric"), Object.keys(metrics).toSorted());
  assertEquals(listed("optimizer", "transform"), Object.keys(optimizers).toSorted());
  assertEquals(listed("schedule"), Object.keys(schedules).toSorted());
});

/** The events that each document has, as it spells them. */
const EVENTS = {
  "001": [
    "on_train_start",
    "on_train_end",
    "on_training_end",
    "on_epoch_start",
    "on_epoch_end",
    "on_train_batch_start",
    "on_train_batch_end",
    "on_validation_start",
    "on_validation_end",
    "on_validation_batch_start",
    "on_validation_batch_end",
    "on_before_forward",
    "on_after_forward",
    "on_before_backward",
    "on_after_backward",
    "on_before_optimizer_step",
    "on_after_optimizer_step",
    "on_gradient_clip",
    "on_checkpoint_save",
    "on_checkpoint_load",
    "on_exception",
  ],
  "002": [
    "on_train_begin",
    "on_step_end",
    "on_eval_end",
    "on_checkpoint_save",
    "on_train_end",
  ],
  "003": [
    "on_train_begin",
    "on_epoch_begin",
    "on_batch_end",
    "on_epoch_end",
    "on_train_end",
  ],
};

/** `on_epoch_end` → `onEpochEnd` */
const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Returns the stages at which a hook with one method is called. */
function stagesOf(method: string): readonly string[] {
  const loop = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
  loop.hooks.add({ [method]: () => {} } as never);
  return loop.hooks.list()[0]!.stages;
}

/** Returns the fields that hooks find in their context at a stage. */
function contextAt(stage: string): string[] {
  const { context } = new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step: () => {} });
  const own = TRAINING_CONTEXT[stage as keyof typeof TRAINING_CONTEXT];
  assert(own !== undefined, `${stage} is a stage`);
  return [...Object.keys(context), ...Object.keys(AT_EVERY_STAGE), ...Object.keys(own)];
}

Deno.test("docs/training has each event of the documents, with a method that is called at its stage", () => {
  for (const [document, events] of Object.entries(EVENTS)) {
    const rows = table(`event of document ${document}`);
    assertEquals(rows.map(([event]) => event), events);
    for (const [event, , method, stage, fields] of rows) {
      assertEquals(method, camelCase(event!));
      assertEquals(stagesOf(method!), [`training/${stage}`], event);
      const there = contextAt(stage!);
      for (const field of fields!.split(", ")) assert(there.includes(field), `${event}: ${field}`);
    }
  }
  for (const [, , method, stage, fields] of table("hook of document 004")) {
    assertEquals(stagesOf(method!), [`training/${stage}`]);
    for (const field of fields!.split(", ")) assert(contextAt(stage!).includes(field), field);
  }
});

Deno.test("docs/training has what the documents hand to hooks, where it is here", () => {
  const state = table("key of its state");
  assertEquals(state.map(([key]) => key), [
    "model",
    "optimizer",
    "device",
    "current_epoch",
    "current_batch_idx",
    "latest_loss",
    "avg_loss",
    "model_params",
    "status",
  ]);
  for (const [key, here] of state) {
    assertEquals(here, camelCase(key!));
    assert(here! in STATE, here);
  }
  const step = table("member of its StepContext");
  assertEquals(step.map(([key]) => key), [
    "step",
    "loss",
    "grad_norm",
    "lr",
    "tokens_seen",
    "model",
    "optimizer",
  ]);
  const there = contextAt("STEP_END");
  for (const [key, here] of step) {
    const [name] = here!.split(/,| /);
    assert(name === "reads:" || there.includes(name!), `${key}: ${here}`);
  }
});

Deno.test("each mistake that docs/training lists is the error that it says", async () => {
  const rows = table("mistake");
  assertEquals(rows.map(([mistake]) => mistake), Object.keys(MISTAKES));
  for (const [mistake, error] of rows) {
    const thrown = await assertRejects(async () => await MISTAKES[mistake!]!(), Error);
    assertStringIncludes(`${thrown.name}: ${thrown.message}`, error!, mistake);
  }
});

Deno.test("a network that PyTorch exports by docs/training is trained, by PyTorch's names", async () => {
  const data = new URL("../data/", import.meta.url);
  const program = await Deno.readTextFile(new URL("network_torch.py", data));
  assertEquals(/```python\n([\s\S]*?)```/.exec(PAGE)![1], program);
  const x = { data: madeNumbers(1, 24, 1), dims: [8, 3] };
  await using trainer = new Trainer({
    model: new URL("network_torch.onnx", data),
    loss: meanSquaredError({ target: "wanted" }),
    data: [{ x, wanted: { data: madeNumbers(2, 8, 1), dims: [8, 1] } }],
    optimizers: sgd({ lr: 0.1 }),
    freeze: "norm.*",
    epochs: 20,
  });
  const losses: number[] = [];
  trainer.hooks.add({ onBatchEnd: ({ loss }) => void losses.push(loss) });
  await trainer.train();
  const names = ["encoder.weight", "encoder.bias", "head.weight", "head.bias"];
  assertEquals(trainer.parameters.map(({ name }) => name), names);
  assert(losses.at(-1)! < losses[0]! / 2, `${losses}`);
});
