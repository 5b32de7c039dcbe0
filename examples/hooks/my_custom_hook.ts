/**
 * A hook with state that changes learning rates. docs/coming_from.md shows it next to its original.
 *
 * @module
 */
import type { ContextOf } from "@hooke/hooke";

/** Halves all learning rates at each high loss after the tenth. */
export class MyCustomHook {
  readonly writes = ["optimizers"] as const;
  readonly threshold: number;
  highLossCount = 0;
  bestAccuracy = 0;
  startTime = 0;

  constructor({ threshold = 10 }: { threshold?: number } = {}) {
    this.threshold = threshold;
  }

  onTrainStart(): void {
    console.log("Training started!");
    this.startTime = performance.now();
  }

  onEpochStart({ epoch }: ContextOf<MyCustomHook, "training/EPOCH_BEGIN">): void {
    console.log(`Starting epoch ${epoch}`);
  }

  onTrainBatchEnd({ loss, write }: ContextOf<MyCustomHook, "training/BATCH_END">): void {
    if (loss <= this.threshold) return;
    console.log(`High loss detected: ${loss.toFixed(4)}`);
    if (++this.highLossCount <= 10) return;
    console.log("Too many high loss batches, reducing learning rate");
    for (const { groups } of write.optimizers) for (const group of groups) group.lr *= 0.5;
  }

  onValidationEnd({ metrics }: ContextOf<MyCustomHook, "training/VALIDATION_END">): void {
    console.log("Validation metrics:", metrics);
    const accuracy = metrics["val/accuracy"];
    if (accuracy === undefined) return;
    console.log(`Accuracy improvement: ${(accuracy - this.bestAccuracy).toFixed(4)}`);
    this.bestAccuracy = Math.max(this.bestAccuracy, accuracy);
  }

  onTrainingEnd(): void {
    const seconds = (performance.now() - this.startTime) / 1000;
    console.log(`Training completed in ${seconds.toFixed(2)} seconds`);
  }
}
