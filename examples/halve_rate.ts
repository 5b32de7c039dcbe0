/**
 * Shows a custom hook and its test in five lines: it halves all learning rates after more than ten high losses. The
 * test needs no model and no data: a script gives the losses, and stages come as in training.
 *
 * Run: `deno run examples/halve_rate.ts`
 */
import { scriptedTrainer } from "@hooke/hooke/testing";
import type { BatchEndContext, MetricsContext, TrainingContext } from "@hooke/hooke";
import type { EndContext, TrainingBase } from "@hooke/hooke/training";
import { assert, assertEquals } from "@std/assert";

class MyCustomHook {
  readonly writes = ["optimizers"] as const; // fields that are not declared cannot be written
  readonly #threshold: number;
  highLossCount = 0;
  bestAccuracy = 0;

  constructor(threshold = 10) {
    this.#threshold = threshold;
  }

  onTrainStart({ state }: TrainingBase): void {
    console.log(`Training of ${state.modelParams} parameters started!`);
  }

  onEpochStart({ epoch }: TrainingBase): void {
    console.log(`Starting epoch ${epoch}`);
  }

  onTrainBatchEnd({ loss, write }: BatchEndContext & TrainingContext<never, "optimizers">): void {
    if (!(loss > this.#threshold)) return;
    this.highLossCount++;
    console.log(`High loss detected: ${loss.toFixed(4)}`);
    if (this.highLossCount <= 10) return;
    console.log("Too many high loss batches, reducing learning rate");
    for (const { groups } of write.optimizers) {
      for (const group of groups) group.lr *= 0.5;
    }
  }

  onValidationEnd({ metrics }: MetricsContext): void {
    const accuracy = metrics["val/accuracy"];
    if (accuracy === undefined) return;
    console.log(`Accuracy improvement: ${(accuracy - this.bestAccuracy).toFixed(4)}`);
    this.bestAccuracy = Math.max(this.bestAccuracy, accuracy);
  }

  onTrainingEnd({ outcome }: EndContext): void {
    console.log(`Training ${outcome.status}`);
  }
}

const hook = new MyCustomHook(5);
const trainer = scriptedTrainer({
  epochs: [
    { losses: Array<number>(10).fill(15), validation: { "val/accuracy": 0.5 } },
    { losses: [4, 15, 4], validation: { "val/accuracy": 0.75 } },
  ],
  lr: 1e-3,
  hooks: [hook],
});
await trainer.train();
assertEquals(hook.highLossCount, 11);
assert(trainer.optimizers[0]!.groups[0]!.lr < 0.001);
console.log(`learning rate: ${trainer.optimizers[0]!.groups[0]!.lr}`);
