/**
 * Handles the five events of a training run in one hook, on a small model of letters, and shows the context and order
 * of each. Gradients can be read when a step is over, and the step can be changed, too, without a fork.
 *
 * Run: `deno run -P=server examples/step_hooks.ts [FOLDER]`
 */
import { CheckpointUpload, Heartbeat } from "@hooke/hooke/observe";
import {
  crossEntropy,
  GraphBuilder,
  type MetricsContext,
  sgd,
  tensorData,
  Trainer,
  type TrainingContext,
} from "@hooke/hooke";
import {
  type CheckpointContext,
  type EndContext,
  perplexity,
  type StepContext,
  type TrainingBase,
} from "@hooke/hooke/training";

const folder = Deno.args[0] ?? Deno.makeTempDirSync();

/** Logs the events. On a GPU only declared fields are copied; here they are read in place. */
class MyHook {
  readonly reads = ["gradients"] as const;

  onTrainBegin({ trainer }: TrainingBase): void {
    for (const { name, dims } of trainer.parameters) console.log(`begin: ${name} [${dims}]`);
  }

  onStepEnd(ctx: StepContext & TrainingContext<"gradients">): void {
    const { stepCount, loss, gradNorm, lr, tokensSeen, read } = ctx;
    if (stepCount % 20 !== 0) return;
    const numbers = `loss ${loss.toFixed(3)}, norm ${gradNorm.toFixed(3)}, lr ${lr}`;
    const largest = Math.max(...Array.from(read.gradients.get("table")!, Math.abs)).toFixed(4);
    console.log(`step ${stepCount}: ${numbers}, ${tokensSeen} tokens, gradients up to ${largest}`);
    ctx.trainer.checkpointSoon(`${folder}/step_${stepCount}.hooke`);
  }

  onEvalEnd({ stepCount, metrics }: MetricsContext): void {
    console.log(
      `eval after step ${stepCount}: perplexity ${metrics["eval/perplexity"]!.toFixed(2)}`,
    );
  }

  onCheckpointSave({ state, path }: CheckpointContext): void {
    console.log(`saved after ${state.step} steps: ${path.replace(/.*\//, "")}`);
  }

  onTrainEnd({ state: { step, tokensSeen }, outcome }: EndContext): void {
    console.log(`end: ${outcome.status} after ${step} steps, ${tokensSeen} tokens`);
  }
}

/** Scores of the next letter, one row for each letter. */
const text =
  "the law of springs: as the force, so is the stretch; as the stretch, so is the force. ".repeat(
    8,
  );
const letters = [...new Set(text)].sort();
const numbers = BigInt64Array.from(text, (letter) => BigInt(letters.indexOf(letter)));
const size = letters.length, count = numbers.length - 1;
const builder = new GraphBuilder("bigrams");
const x = builder.input("letter", "i64", ["B"]);
const table = builder.parameter("table", new Float32Array(size * size), [size, size]);
builder.output("logits", builder.gather(table, x), ["B", size]);

const data = tensorData({
  letter: { data: numbers.slice(0, count), dims: [count] },
  next: { data: numbers.slice(1), dims: [count] },
}, { batchSize: 32, seed: 1, tokens: ({ letter }) => letter!.data.length });
const target = "next";

/** A server for checkpoints, which the example starts itself: PUT /step_19.hooke */
await using server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  async (request) => {
    const { length } = await request.bytes();
    console.log(`uploaded: ${new URL(request.url).pathname}, ${length > 0 ? "whole" : "empty"}`);
    return new Response();
  },
);

await using trainer = new Trainer({
  model: builder.build(),
  loss: crossEntropy({ target }),
  metrics: { perplexity: perplexity({ target }) },
  data,
  validation: data,
  validateEvery: { epochs: 0, steps: 20 },
  optimizers: sgd({ lr: 20, momentum: 0.5 }),
  hooks: [
    new MyHook(),
    new Heartbeat({ path: `${folder}/heartbeat.json`, everySeconds: 30 }),
    new CheckpointUpload({ to: `http://127.0.0.1:${server.addr.port}/{name}` }),
  ],
  epochs: 2,
});
await trainer.train();
const { status, step } = JSON.parse(await Deno.readTextFile(`${folder}/heartbeat.json`));
console.log(`heartbeat: ${status}, ${step} steps`);
