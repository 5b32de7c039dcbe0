/**
 * Values of losses and metrics, of one batch and over several batches.
 *
 * @module
 */

import type { TrainingBatch } from "../context.ts";
import type { Measured } from "../graph/training_graph.ts";

/** Returns the weights of the terms of the loss in a step, one per term. */
export function weightsAt({ terms }: Measured, step: number): number[] {
  return terms.map(({ weight = 1 }) => typeof weight === "number" ? weight : weight(step));
}

/**
 * Returns the number of elements over which each mean of a batch is taken: first for the terms of the loss, then for
 * the metrics.
 */
export function countsOf({ terms, metrics }: Measured, batch: TrainingBatch): number[] {
  return [...terms, ...metrics].map((each) => each.count?.(batch) ?? batch.size);
}

/**
 * Returns the factors by which the gradients of each term are multiplied in each part of a step, so that all parts
 * together have the gradients of one batch. A factor is the weight of the term times the part's fraction of the
 * term's count.
 */
export function sharesOf(
  weights: readonly number[],
  counts: readonly (readonly number[])[],
): Float64Array<ArrayBuffer>[] {
  const totals = weights.map((_, k) => counts.reduce((sum, part) => sum + part[k]!, 0));
  return counts.map((part) =>
    Float64Array.from(
      weights,
      (weight, k) => totals[k]! > 0 ? weight * part[k]! / totals[k]! : 0,
    )
  );
}

/** Returns the loss: Σ weight · mean over its terms. */
export function lossFrom(means: ArrayLike<number>, weights: readonly number[]): number {
  let loss = 0;
  for (let k = 0; k < weights.length; k++) loss += weights[k]! * means[k]!;
  return loss;
}

/** Sums and counts by name. Entries are replaced and never changed, so that a copy of the map keeps its values. */
type Sums = Map<string, readonly [sum: number, count: number]>;

function addTo(sums: Sums, name: string, mean: number, count: number): void {
  const [sum, total] = sums.get(name) ?? [0, 0];
  if (count > 0) sums.set(name, [sum + mean * count, total + count]);
}

/** Sums of losses and metrics over batches, from which means are computed. */
export class MetricSums {
  #sums: Sums = new Map();
  #marked: Sums = new Map();
  /** Number of calls of `mark`, which is the number of steps that have begun, including vetoed and failed ones. */
  marks = 0;

  /**
   * Adds the results of a batch. The loss is weighted by the number of samples, and each mean by its count. `isOld`
   * is true if the batch belongs to a step before the last mark.
   */
  add(
    measured: Measured,
    { means, counts, loss, size, isOld = false }: {
      readonly means: ArrayLike<number>;
      readonly counts: readonly number[];
      readonly loss: number;
      readonly size: number;
      readonly isOld?: boolean;
    },
  ): void {
    for (const sums of isOld ? [this.#sums, this.#marked] : [this.#sums]) {
      addTo(sums, "loss", loss, size);
      for (const [k, name] of namesOf(measured).entries()) {
        if (name !== "") addTo(sums, name, means[k]!, counts[k]!);
      }
    }
  }

  /** Saves the sums, so that `back` can undo later additions. */
  mark(): void {
    this.marks++;
    this.#marked = new Map(this.#sums);
  }

  /** Undoes the additions since the last mark. */
  back(): void {
    this.#sums = new Map(this.#marked);
  }

  /** Adds `more` to the loss of a batch of `size` samples that was added already. */
  weigh(more: number, size: number): void {
    const [sum, count] = this.#sums.get("loss") ?? [0, 0];
    this.#sums.set("loss", [sum + more * size, count]);
  }

  /** The mean loss per sample; NaN before the first batch. */
  get loss(): number {
    const [sum, count] = this.#sums.get("loss") ?? [0, 0];
    return sum / count;
  }

  /** Returns the mean of the loss and of each metric over all batches, by name with the prefix `prefix`. */
  metrics(measured: Measured, prefix: string): Record<string, number> {
    const finish = new Map(measured.metrics.map((metric) => [metric.name, metric.finish]));
    return Object.fromEntries([...this.#sums].map(([name, [sum, count]]) => [
      `${prefix}${name}`,
      finish.get(name)?.(sum / count) ?? sum / count,
    ]));
  }

  /** Returns the sums for a checkpoint. */
  save(): Record<string, readonly number[]> {
    return Object.fromEntries(this.#sums);
  }

  /** Replaces the sums by saved ones. */
  load(saved: Readonly<Record<string, readonly number[]>>): void {
    this.#sums.clear();
    for (const [name, [sum, count]] of Object.entries(saved)) {
      this.#sums.set(name, [sum!, count!]);
    }
  }
}

/**
 * Returns the names of the means: `"loss/energy"` for a term named `"energy"`, then the names of the metrics. The
 * only term of a loss has an empty name.
 */
function namesOf({ terms, metrics }: Measured): string[] {
  return [
    ...terms.map(({ name }) => name === undefined || name === "" ? "" : `loss/${name}`),
    ...metrics.map(({ name }) => name),
  ];
}

/**
 * Returns the loss and the metrics of one batch, by name. `means` has the terms of the loss, followed by the metrics.
 */
export function batchMetrics(
  measured: Measured,
  means: ArrayLike<number>,
  loss: number,
): Record<string, number> {
  const finish = [...measured.terms.map(() => undefined), ...measured.metrics];
  const entries = namesOf(measured).flatMap((name, k): [string, number][] =>
    name === "" ? [] : [[name, finish[k]?.finish?.(means[k]!) ?? means[k]!]]
  );
  return { loss, ...Object.fromEntries(entries) };
}
