// Trainers by the names of their kinds, with a method for each common hook.
import { few, test } from "../suite.ts";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { defaultTrainers, getTrainer, registerTrainer, TrainerRegistry } from "@hooke/hooke/config";
import { IdentityUpdate } from "@hooke/hooke/runs";
import { Trainer } from "@hooke/hooke/training";
import { tinyParts } from "./tiny_training.ts";

const W_AFTER = 1.9; // after one epoch it exceeds the threshold

test("getTrainer('simple') is a Trainer that trains", async () => {
  await using trainer = getTrainer("simple", { ...tinyParts(), epochs: 5 });
  assert(trainer instanceof Trainer);
  assertEquals(await trainer.train(), { status: "completed" });
  assert((await trainer.parameter("w"))[0]! > W_AFTER);
});

test("model, data, optimizer and device may be separate arguments, as in document 003", async () => {
  const { model, data, optimizers, loss } = tinyParts();
  await using a = getTrainer("simple", model, data, optimizers, "wasm", { loss, epochs: 2 });
  await using b = getTrainer("simple", model, data, optimizers, { loss, epochs: 2 });
  await using c = getTrainer("simple", { model, data, optimizers, loss, epochs: 2 });
  for (const trainer of [a, b, c]) await trainer.train();
  const [w] = await c.parameter("w");
  assertEquals(
    [await a.parameter("w"), await b.parameter("w")],
    [[w], [w]].map((x) => Float32Array.from(x as number[])),
  );
  await using reference = getTrainer("simple", model, data, optimizers, "reference", { loss });
  assertEquals(reference.state.device, "reference");
});

/** Counts the Workers that a run has started. */
async function countWorkers(run: () => Promise<void>): Promise<number> {
  const { Worker } = globalThis;
  let count = 0;
  globalThis.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      count++;
    }
  };
  try {
    await run();
  } finally {
    globalThis.Worker = Worker;
  }
  return count;
}

Deno.test("'parallel' and 'accelerate' share batches among Workers: half as many as processors, at least two", async () => {
  const half = Math.max(2, Math.floor(navigator.hardwareConcurrency / 2));
  const train = (kind: string, workers?: number) =>
    countWorkers(async () => {
      const parts = { ...tinyParts(), ...(workers !== undefined && { workers }) };
      await using trainer = getTrainer(kind, parts);
      assertEquals((await trainer.train()).status, "completed");
      assert((await trainer.parameter("w"))[0]! > 0.5);
    });
  assertEquals(await train("simple"), 0);
  assertEquals(await train("parallel"), half);
  if (!few(true, false)) assertEquals(await train("accelerate", 3), 3);
});

test("an unknown kind is an error that names the nearest; so is a name that is taken", () => {
  assertThrows(
    () => getTrainer("simpel", tinyParts()),
    RangeError,
    'its kind must be one of simple, parallel, accelerate; got "simpel"; did you mean simple?',
  );
  const registry = new TrainerRegistry();
  registerTrainer("mine", (options) => new Trainer({ name: "mine", ...options }), { registry });
  assertEquals(getTrainer("mine", { ...tinyParts(), registry }).name, "mine");
  assertThrows(
    () => registerTrainer("mine", (options) => new Trainer(options), { registry }),
    RangeError,
    "Cannot register trainer mine: a trainer of that kind is already registered",
  );
  assertEquals(defaultTrainers.names, ["simple", "parallel", "accelerate"]); // the default registry does not know it
  assertThrows(
    () => registry.register("", () => undefined as never),
    TypeError,
    "its kind must be a non-empty string",
  );
  assertThrows(
    () => registry.register("x", 3 as never),
    TypeError,
    "its factory must be a function",
  );
  assertThrows(() => getTrainer("simple", 3 as never), TypeError, "its options must be an object");
  assertThrows(
    () => getTrainer("simple", { ...tinyParts(), registry: {} as never }),
    TypeError,
    "its registry must be a TrainerRegistry",
  );
});

test("hooks in the options are checked by the compiler and at registration", () => {
  const misspelt = { stage: "training/STEP_EN", frequency: 1, call() {} } as const;
  assertThrows(
    // @ts-expect-error there is no such stage
    () => getTrainer("simple", { ...tinyParts(), hooks: [misspelt] }),
    Error,
    "training/STEP_EN",
  );
});

test("document 003's quick start: common hooks by their names, disabled and removed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const { model, data, optimizers, loss } = tinyParts();
    await using trainer = getTrainer("simple", model, data, optimizers, { loss });
    trainer.addConsoleLogging({ logEveryNBatches: 10 });
    trainer.addJsonLogging({ outputDir: folder, logEveryNBatches: 2 });
    trainer.addCheckpointing({ outputDir: `${folder}/kept`, saveEveryNEpochs: 1 });
    trainer.removeHook("console_log");
    trainer.disableHook("json_log");
    trainer.enableHook("json_log");
    assertEquals(trainer.hooks.list().map(({ name }) => name), ["json_log", "checkpoint"]);
    await trainer.train();
    const files = [...Deno.readDirSync(`${folder}/kept`)].map(({ name }) => name).sort();
    assertEquals(files, ["best_model.hooke", "checkpoint_epoch_1.hooke"]);
    const [log] = [...Deno.readDirSync(`${folder}/logs`)];
    const lines = (await Deno.readTextFile(`${folder}/logs/${log!.name}`)).trimEnd().split("\n")
      .map((line) => JSON.parse(line));
    assertEquals(lines.filter(({ event }) => event === "batch").map(({ batch }) => batch), [
      0,
      2,
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("hooks that are added in code run before built-in ones", async () => {
  await using trainer = getTrainer("simple", tinyParts());
  trainer.addConsoleLogging();
  await trainer.addHooks({ hooks: { update: [{ name: "identity" }] } });
  trainer.hooks.add({ name: "mine", onGradients: ({ value }) => value });
  trainer.addRunLog({ write: () => {} });
  const names = trainer.hooks.list().map(({ name }) => name);
  assertEquals(names, ["runLog", "mine", "console_log", "identity"]);
  const steps = trainer.hooks.plan().stages.get("training/GRADIENTS")!;
  assertEquals(steps.map(({ hook }) => hook), ["mine", "identity"]);
});

test("the console log has the interval that the option gives", async () => {
  const lines: string[] = [];
  await using trainer = getTrainer("simple", tinyParts());
  const write = (line: string) => void lines.push(line);
  trainer.addConsoleLogging({ logEveryNBatches: 3, write });
  await trainer.train();
  const batches = lines.flatMap((line) => /batch (\d+)/.exec(line)?.[1] ?? []);
  assertEquals(batches, ["0", "3"]);
});

test("an unknown option of a convenience method, and a second call, are errors", async () => {
  await using trainer = getTrainer("simple", tinyParts());
  assertThrows(
    () => trainer.addConsoleLogging({ logEveryNBatch: 3 } as never),
    TypeError,
    "did you mean logEveryNBatches?",
  );
  trainer.addConsoleLogging();
  assertThrows(
    () => trainer.addConsoleLogging(),
    RangeError,
    "a hook of that name is already registered",
  );
});

test("a configuration with a hook that is refused adds no hooks", async () => {
  await using trainer = getTrainer("simple", tinyParts());
  trainer.hooks.add(new IdentityUpdate());
  const config = { hooks: { other: [{ name: "console_log" }], update: [{ name: "identity" }] } };
  await assertRejects(
    () => trainer.addHooks(config),
    RangeError,
    "a hook of that name is already registered",
  );
  assertEquals(trainer.hooks.list().map(({ name }) => name), ["identity"]);
});

test("the state is what document 003 lists", async () => {
  await using trainer = getTrainer("simple", tinyParts());
  await trainer.train();
  const { model, device, currentEpoch, currentBatchIdx, latestLoss, avgLoss, modelParams, status } =
    trainer.state;
  assertEquals([model, device, currentEpoch, currentBatchIdx], ["trainer", "wasm", 1, 0]);
  assert(latestLoss > 0 && avgLoss > 0);
  assertEquals([modelParams, status], [1, "completed"]);
  assertEquals(trainer.state.optimizer.map(({ name }) => name), ["sgd"]);
});

test("printed or as JSON, the state is what document 003 lists", async () => {
  await using trainer = getTrainer("simple", tinyParts());
  await trainer.train();
  const { model, latestLoss, optimizer, status } = JSON.parse(JSON.stringify(trainer.state));
  assertEquals([model, latestLoss, status], ["trainer", trainer.state.latestLoss, "completed"]);
  assertEquals(optimizer[0].groups[0].lr, trainer.state.optimizer[0]!.groups[0]!.lr);
  const text = Deno.inspect(trainer.state);
  for (const member of ["model", "device", "currentEpoch", "avgLoss", "modelParams", "step"]) {
    assert(text.includes(`${member}: `), text);
  }
  assert(!text.includes("sums"), text);
});

test("training with the identity hook gives bitwise identical results", async () => {
  const trained = async (hooks: readonly IdentityUpdate[]) => {
    await using trainer = getTrainer("simple", { ...tinyParts(), epochs: 3 });
    for (const hook of hooks) trainer.hooks.add(hook);
    await trainer.train();
    return [...await trainer.parameter("w")];
  };
  assertEquals(await trained([new IdentityUpdate()]), await trained([]));
});

test("getTrainer takes the configuration of hooks itself", async () => {
  const hooksConfig = { hooks: { update: [{ name: "identity" }] } };
  await using trainer = getTrainer("simple", { ...tinyParts(), hooksConfig });
  await trainer.train();
  assertEquals(trainer.hooks.list().map(({ name }) => name), ["identity"]);
  const { model, data, optimizers, loss } = tinyParts();
  await using other = getTrainer("simple", model, data, optimizers, { loss, hooksConfig });
  await other.step({
    x: { data: Float32Array.of(1), dims: [1, 1] },
    wanted: { data: Float32Array.of(2), dims: [1, 1] },
  });
  assertEquals(other.hooks.has("identity"), true);
});

test("a refused configuration of hooks prevents training, each time", async () => {
  const hooksConfig = { hooks: { update: [{ name: "idenity" }] } };
  await using trainer = getTrainer("simple", { ...tinyParts(), hooksConfig });
  for (let i = 0; i < 2; i++) {
    await assertRejects(() => trainer.train(), RangeError, "hooks.update[0].name must be one of");
  }
  assertEquals(trainer.stepCount, 0);
});

test("training waits for hooks that are being created: addHooks() without await", async () => {
  await using trainer = getTrainer("simple", { ...tinyParts(), epochs: 2 });
  void trainer.addHooks({ hooks: { update: [{ name: "identity" }] } });
  await trainer.train();
  assertEquals(trainer.hooks.has("identity"), true);
  await assertRejects(
    () => trainer.addHooks({ hooks: { update: [{ name: "idenity" }] } }),
    RangeError,
  );
  assertEquals((await trainer.train(3)).status, "completed"); // the caller received that error
});
