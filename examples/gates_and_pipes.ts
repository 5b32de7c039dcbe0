/**
 * Trains with a custom loop: epochs and batches, a pipe that clips gradients, a gate that skips bad batches, an
 * overload set as a hook, and an object with methods named after stages.
 *
 * Run: `deno run examples/gates_and_pipes.ts`
 */
import { hook, Loop, overload, TrainingStage } from "@hooke/hooke";

const EPOCHS = 2;
const BATCHES: readonly (readonly [x: number, y: number])[] = [[1, 2], [2, NaN], [3, 6]];

/** Pipes return the next value, gates vote: observers cannot change either. */
const careful = hook({
  name: "careful",
  on: {
    training: {
      GRADIENTS: ({ value }) => {
        const clip = (g: number) => Math.max(-4, Math.min(4, g));
        return new Map([...value].map(([name, gradient]) => [name, gradient.map(clip)]));
      },
      MAY_UPDATE: ({ loss }) => Number.isFinite(loss),
    },
  },
});

/** Rows over stages; the most specific one is chosen when the hook is added. */
const rows = overload()
  .on("training/BATCH_END", (ctx) => console.log(`  batch ${ctx.stepCount}: loss ${ctx.loss}`))
  .on("training/EPOCH_BEGIN", (ctx) => console.log(`epoch ${ctx.epoch}`));
const log = hook({ name: "log", on: rows });

/** Methods named after stages; `Start` is accepted for `Begin`. */
const bell = {
  name: "bell",
  onTrainStart: () => console.log("training begins"),
  onTrainEnd: () => console.log(`training ends: y = ${w[0]} x`),
};

const w = new Float32Array([0]); // y = w x
const loop = new Loop({
  kinds: TrainingStage,
  context: { epoch: 0 },
  async step(loop) { // a batch, with the stages that begin before it and end after it
    const { context, stepCount } = loop;
    const batch = stepCount % BATCHES.length;
    if (stepCount === 0) await loop.fire(TrainingStage.TRAIN_BEGIN);
    if (batch === 0) await loop.fire(TrainingStage.EPOCH_BEGIN);
    await loop.fire(TrainingStage.BATCH_BEGIN);
    const [x, y] = BATCHES[batch]!;
    const error = w[0]! * x - y;
    context.loss = await loop.pipe(TrainingStage.LOSS, error ** 2);
    await loop.fire(TrainingStage.AFTER_LOSS);
    const found = new Map([["w", new Float32Array([2 * error * x])]]);
    const gradients = await loop.pipe(TrainingStage.GRADIENTS, found);
    context.gradients = gradients;
    if (await loop.gate(TrainingStage.MAY_UPDATE)) {
      await loop.replace(TrainingStage.OPTIMIZER_STEP, () => {
        w[0]! -= 0.125 * gradients.get("w")![0]!;
      });
    }
    await loop.fire(TrainingStage.BATCH_END);
    loop.advance("batch"); // the loop itself advances the counters other than the step
    if (batch === BATCHES.length - 1) {
      await loop.fire(TrainingStage.EPOCH_END);
      loop.advance("epoch");
      context.epoch++;
    }
    if (stepCount === EPOCHS * BATCHES.length - 1) await loop.fire(TrainingStage.TRAIN_END);
  },
}, {
  hooks: [careful, log, bell],
});
await loop.run(EPOCHS * BATCHES.length);
