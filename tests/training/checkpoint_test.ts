/** A trainer that was stopped anywhere resumes bitwise identically. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { openSession } from "../../src/onnx/session/open_session.ts";
import type { HostTensor } from "../../src/onnx/session/session_tensor.ts";
import {
  adam,
  adamW,
  cosine,
  lion,
  plateau,
  type SavedTrainer,
  sgd,
  Trainer,
  type TrainerParts,
} from "../../src/training/mod.ts";
import { namesIn, withFolder } from "../checkpoint/folder.ts";
import { network, parametersOf, parts, samples } from "./networks.ts";

const EPOCHS = 3;

/** Options of the trainer that is stopped and resumed. A function, because schedules have state. */
const CASES: Readonly<Record<string, () => Partial<TrainerParts>>> = {
  "adam with a cosine": () => ({
    optimizers: adam({ lr: 0.01 }),
    schedule: cosine({ steps: 9 }),
  }),
  "sgd with momentum, over two batches a step": () => ({
    optimizers: sgd({ lr: 0.05, momentum: 0.9, weightDecay: 0.01 }),
    accumulate: 2,
  }),
  "lion, clipped": () => ({ optimizers: lion({ lr: 0.003 }), clip: { norm: 0.1, value: 0.05 } }),
  "two optimizers, an average, and a plateau": () => ({
    optimizers: [
      adamW({ lr: 0.01, parameters: ["w*"], schedule: plateau({ patience: 0, factor: 0.5 }) }),
      sgd({ lr: 0.5, momentum: 0.5 }),
    ],
    ema: { decay: 0.9, validate: true },
    validation: samples(8, { batchSize: 4 }, 20),
  }),
  "float64 on the reference": () => ({ device: "reference", ema: { decay: 0.5 } }),
  "two loaders in turn": () => ({
    data: {
      near: samples(12, { batchSize: 4, seed: 1 }),
      far: samples(6, { batchSize: 3, seed: 2 }, 30),
    },
    loaderOrder: "roundRobin",
    validateEvery: { steps: 2 },
    validation: samples(8, { batchSize: 4 }, 20),
  }),
};

/** Counts what it sees, and keeps that. */
class Counting {
  readonly name = "counting";
  readonly stage = "training/BATCH_END";
  readonly frequency = 1;
  count = 0;
  loss = 0;

  call(ctx: { readonly loss: number }): void {
    this.count++;
    this.loss += ctx.loss;
  }

  save(): unknown {
    return { count: this.count, loss: this.loss };
  }

  load(state: { readonly count: number; readonly loss: number }): void {
    ({ count: this.count, loss: this.loss } = state);
  }
}

function trainerOf(more: Partial<TrainerParts>): { trainer: Trainer; counting: Counting } {
  const trainer = new Trainer(parts({ epochs: EPOCHS, ...more })), counting = new Counting();
  trainer.addHook(counting);
  return { trainer, counting };
}

for (const [name, options] of Object.entries(CASES)) {
  Deno.test(`${name}: stopped after any step and resumed by another trainer, all bits are the same`, async () => {
    const whole = trainerOf(options());
    await whole.trainer.train();
    const expected = await whole.trainer.save(), steps = whole.trainer.stepCount;
    assert(steps > 4 && whole.trainer.state.currentEpoch === EPOCHS);
    await withFolder(async (folder) => {
      for (let stop = 0; stop <= steps; stop++) {
        const path = `${folder}/${stop}`;
        const first = trainerOf({ ...options(), steps: stop });
        await first.trainer.train();
        assertEquals(first.trainer.stepCount, stop);
        await first.trainer.saveCheckpoint(path);
        const second = trainerOf(options());
        await second.trainer.loadCheckpoint(path);
        await second.trainer.train();
        assertEquals(await second.trainer.save(), expected, `stopped after ${stop}`);
        assertEquals(second.counting.save(), whole.counting.save());
        await first.trainer.close();
        await second.trainer.close();
      }
    });
    await whole.trainer.close();
  });
}

Deno.test("what goes on in the same trainer is the same, too, and stops do not count as anything", async () => {
  const whole = trainerOf(CASES["two loaders in turn"]!()),
    stopped = trainerOf(
      CASES["two loaders in turn"]!(),
    );
  await whole.trainer.train();
  stopped.trainer.addHook({ onStepEnd: ({ stop }) => stop("again") }, { name: "stops" });
  while (stopped.trainer.state.currentEpoch < EPOCHS) await stopped.trainer.train();
  stopped.trainer.removeHook("stops");
  assertEquals(await stopped.trainer.save(), await whole.trainer.save());
});

Deno.test("a checkpoint of a hook that was switched off switches it off, with what it had asked for", async () => {
  const [first, second] = [trainerOf({}), trainerOf({})].map(({ trainer }) => trainer);
  for (const trainer of [first!, second!]) {
    trainer.addHook({ settings: { clip: { norm: 1e-6 } } }, { name: "clip" });
  }
  first!.disableHook("clip");
  await first!.step(...await batches(1));
  await second!.step(...await batches(1)); // follows the clip
  await second!.load(await first!.save());
  await first!.step(...await batches(2));
  await second!.step(...await batches(2));
  assertEquals(await parametersOf(second!), await parametersOf(first!));
});

Deno.test("averages that were not kept in a checkpoint begin with its parameters", async () => {
  const first = trainerOf({ steps: 2 }).trainer,
    second = trainerOf({ ema: { decay: 0.5 } }).trainer;
  await first.train();
  await second.load(await first.save());
  assertEquals(await second.parameter("w1", "ema"), await first.parameter("w1"));
});

/** Files, or what they hold, that a trainer with Adam refuses. */
const REFUSED: Readonly<Record<string, [of: () => Partial<TrainerParts>, says: string]>> = {
  "another optimizer": [() => ({ optimizers: sgd({ lr: 1 }) }), "its optimizers must be adam"],
  "another optimizer of the same name": [
    () => ({ optimizers: lion({ lr: 1, name: "adam" }) }),
    "its arrays must be first, parameters, second",
  ],
  "another precision": [() => ({ device: "reference" }), "its precision must be f32"],
  "fewer parameters": [() => ({ freeze: "w1" }), "its parameters must be w1 (12)"],
};

for (const [what, [options, says]] of Object.entries(REFUSED)) {
  Deno.test(`a checkpoint of ${what} is refused, and nothing has changed`, async () => {
    const other = trainerOf({ steps: 1, ...options() }).trainer;
    await other.train();
    await assertRefused(await other.save(), says);
  });
}

const DAMAGED: Readonly<Record<string, (saved: SavedTrainer) => unknown>> = {
  "an array of another length": (saved) => ({
    ...saved,
    arrays: { ...saved.arrays, first: new Float32Array(3) },
  }),
  "no counts": ({ counts: _, ...saved }) => saved,
  "no progress": (saved) => ({ ...saved, progress: {} }),
  "no arrays": (saved) => ({ ...saved, arrays: {} }),
  "counters of unknown stages": (saved) => ({
    ...saved,
    loop: { ...saved.loop, counts: { lap: 1 } },
  }),
};

for (const [what, damage] of Object.entries(DAMAGED)) {
  Deno.test(`a saved trainer with ${what} is refused, and nothing has changed`, async () => {
    const other = trainerOf({ steps: 1 }).trainer;
    await other.train();
    await assertRefused(damage(await other.save()) as SavedTrainer, "Cannot load into");
  });
}

/** A trainer with Adam, two steps on, throws, and is as it was. */
async function assertRefused(saved: SavedTrainer, says: string): Promise<void> {
  const { trainer } = trainerOf({ steps: 2 });
  await trainer.train();
  const before = await trainer.save();
  const error = await assertRejects(() => trainer.load(saved), Error, says);
  assert(error instanceof TypeError || error instanceof RangeError);
  assertEquals(await trainer.save(), before);
}

Deno.test("a damaged file, and one of another engine, are refused", async () => {
  await withFolder(async (folder) => {
    const { trainer } = trainerOf({ steps: 1 });
    await trainer.train();
    const before = await trainer.save(), path = `${folder}/run.hooke`;
    await trainer.saveCheckpoint(path);
    const bytes = await Deno.readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await Deno.writeFile(path, bytes);
    await assertRejects(() => trainer.loadCheckpoint(path), SyntaxError);
    await writeCheckpoint(path, { kind: "dynamics", schema: 1, data: before });
    await assertRejects(() => trainer.loadCheckpoint(path), TypeError, "dynamics");
    await writeCheckpoint(path, { kind: "training", schema: 9, data: before });
    await assertRejects(() => trainer.loadCheckpoint(path), RangeError, "9");
    await writeCheckpoint(path, { kind: "training", schema: 1, data: before });
    await assertRejects(
      () => trainer.loadCheckpoint(path),
      RangeError,
      "1. Load it with the older version",
    );
    assertEquals(await trainer.save(), before);
  });
});

Deno.test("nothing is saved in mid-step: a checkpoint that is asked for comes when the step is done", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/run.hooke`, { trainer } = trainerOf({ accumulate: 2, steps: 1 });
    const refused: unknown[] = [];
    trainer.addHook({
      onBatchEnd: async () => void await trainer.save().catch((error) => refused.push(error)),
      onStepEnd: () => trainer.checkpointSoon(path),
    });
    await trainer.train();
    assertEquals(refused.map((error) => error instanceof Error), [true, true]);
    const again = trainerOf({ onWarning: () => {} }).trainer; // it has no such hook
    await again.loadCheckpoint(path);
    assertEquals([again.stepCount, again.state.currentBatchIdx], [1, 2]);
    assertEquals(await parametersOf(again), await parametersOf(trainer));
  });
});

Deno.test("steps by hand leave the place in the data, and write what hooks ask for", async () => {
  await withFolder(async (folder) => {
    const whole = trainerOf({ steps: 2 }).trainer, mixed = trainerOf({}).trainer;
    const seen: number[] = [];
    mixed.addHook({
      onBatchEnd: ({ batchIdx, trainer }) => {
        seen.push(batchIdx);
        trainer.checkpointSoon(`${folder}/${seen.length}`);
      },
    });
    const order = async (trainer: Trainer) => {
      const firsts: number[] = [];
      trainer.addHook({
        onBatchBegin: ({ batch }) => void firsts.push(Number(batch.feeds.x!.data[0])),
      });
      await trainer.train(1);
      return firsts;
    };
    await mixed.step(...await batches(1));
    await mixed.step(...await batches(2));
    assertEquals([mixed.stepCount, mixed.state.currentBatchIdx], [2, 0]);
    assertEquals(namesIn(folder), ["1", "2"]);
    const [expected, given] = [await order(whole), await order(mixed)];
    assertEquals(given.slice(0, 2), expected);
    assertEquals(given.length, 3);
    assertEquals(seen, [0, 1, 0, 1, 2]);
  });
});

Deno.test("an exported model, opened plainly, gives what the trainer measures, averages as well", async () => {
  const validation = samples(8, { batchSize: 8, shuffle: false }, 20);
  const { trainer } = trainerOf({ validation, ema: { decay: 0.8 } });
  await trainer.train();
  const plain = (await trainer.validate())["val/loss"]!;
  assertAlmostEquals(await lossOf(await trainer.export()), plain, 1e-6 * plain);
  trainer.addHook({ settings: { ema: { decay: 0.8, validate: true } } });
  const average = (await trainer.validate())["val/loss"]!;
  assert(Math.abs(average / plain - 1) > 1e-3);
  assertAlmostEquals(await lossOf(await trainer.export("ema")), average, 1e-6 * average);
  await withFolder(async (folder) => {
    const path = `${folder}/model.onnx`;
    trainer.addHook({ onStepEnd: ({ trainer }) => trainer.checkpointSoon(path, "onnx") });
    await trainer.step(...await batches(1));
    assertEquals(await Deno.readFile(path), await trainer.export());
  });
});

Deno.test("a model that was not trained is exported with the parameters that it had", async () => {
  const { trainer } = trainerOf({});
  const again = new Trainer(parts({ model: await trainer.export() }));
  assertEquals(
    await parametersOf(again),
    await parametersOf(new Trainer(parts({ model: network() }))),
  );
});

/** The mean squared error of a model over the data that it is validated with. */
async function lossOf(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const session = await openSession(bytes);
  const [batch] = await Array.fromAsync(
    samples(8, { batchSize: 8, shuffle: false }, 20).batches(0, 0),
  );
  const { x, wanted } = batch!.feeds;
  const y = (await session.run({ x: x! })).y as HostTensor;
  await session.dispose();
  const squares = Array.from(
    y.data as Float32Array,
    (value, i) => (value - Number(wanted!.data[i])) ** 2,
  );
  return squares.reduce((a, b) => a + b) / squares.length;
}

async function batches(seed: number) {
  return await Array.fromAsync(samples(4, { batchSize: 4 }, 40 + seed).batches(0, 0));
}
