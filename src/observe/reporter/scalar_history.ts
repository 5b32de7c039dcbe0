/**
 * Histories of scalars in bounded memory.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { isCount } from "../../base/check_number.ts";
import type { ScalarSnapshot } from "./scalar_snapshot.ts";

/** Values of one scalar over steps. */
export interface ScalarSeries {
  /** Steps, increasing. */
  readonly steps: readonly number[];
  /** Value at each step. */
  readonly values: readonly number[];
}

/** Options of {@linkcode ScalarHistory}. */
export interface ScalarHistoryOptions {
  /**
   * Largest number of points that are kept of each scalar, 2 or more. If there are more, every second point is
   * dropped, so that the others cover the whole run evenly. The last point is always kept.
   *
   * @default 2000
   */
  readonly size?: number;
}

/** State of a {@linkcode ScalarHistory} in a checkpoint, as plain data. */
export interface SavedHistory {
  /** For each scalar: name, stride of the kept points, number of points seen, steps, values. */
  readonly series:
    readonly (readonly [string, number, number, readonly number[], readonly number[]])[];
}

/**
 * Keeps scalars over steps, for plots. If a step is added again, as after a run was resumed from an earlier
 * checkpoint, it replaces the points from that step on.
 *
 * @example
 * ```ts
 * import { ScalarHistory } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const history = new ScalarHistory({ size: 4 });
 * for (let step = 0; step < 10; step++) history.add({ step, scalars: { x: step / 2 } });
 * assertEquals(history.names(), ["x"]);
 * assertEquals(history.series("x"), { steps: [0, 4, 8, 9], values: [0, 2, 4, 4.5] });
 * ```
 */
export class ScalarHistory {
  /** Largest number of points that are kept of each scalar. */
  readonly size: number;
  #points = new Map<string, Points>();

  /** Throws a RangeError if `size` is not an integer of at least 2. */
  constructor({ size = 2000 }: ScalarHistoryOptions = {}) {
    if (!(Number.isSafeInteger(size) && size >= 2)) {
      throw new RangeError(
        `Cannot make a history: its size must be an integer of at least 2; got ${size}`,
      );
    }
    this.size = size;
  }

  /** Adds the scalars of a step. */
  add({ step, scalars }: Pick<ScalarSnapshot, "step" | "scalars">): void {
    for (const [name, value] of Object.entries(scalars)) {
      let points = this.#points.get(name);
      if (points === undefined) this.#points.set(name, points = new Points());
      points.add(step, value, this.size);
    }
  }

  /** Returns the names of the scalars, in the order of their first values. */
  names(): string[] {
    return [...this.#points.keys()];
  }

  /** Returns the points of a scalar; empty lists if there is no scalar of that name. */
  series(name: string): ScalarSeries {
    return this.#points.get(name)?.series() ?? { steps: [], values: [] };
  }

  /** Returns the last value of a scalar; `undefined` if there is no scalar of that name. */
  last(name: string): number | undefined {
    return this.series(name).values.at(-1);
  }

  /** Removes all points. */
  clear(): void {
    this.#points.clear();
  }

  /** Returns the state for a checkpoint. */
  save(): SavedHistory {
    const series = [...this.#points].map(([name, points]) => [name, ...points.save()] as const);
    return { series };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. */
  load(saved: unknown): void {
    const list = (saved as Partial<SavedHistory> | null | undefined)?.series;
    if (!Array.isArray(list) || !list.every(isSavedSeries)) {
      throw new TypeError(
        complaint("load a history", "the state must be a result of save()", saved),
      );
    }
    this.#points = new Map(list.map(([name, ...rest]) => [name, Points.of(rest)]));
  }
}

type SavedPoints = readonly [number, number, readonly number[], readonly number[]];

/** Points of one scalar: every `stride`-th, and the last. */
class Points {
  #steps: number[] = [];
  #values: number[] = [];
  #stride = 1;
  /** Number of points added so far. */
  #seen = 0;

  static of([stride, seen, steps, values]: SavedPoints): Points {
    const points = new Points();
    [points.#stride, points.#seen] = [stride, seen];
    [points.#steps, points.#values] = [[...steps], [...values]];
    return points;
  }

  add(step: number, value: number, size: number): void {
    // A resumed run repeats steps. The points from the repeated step on are replaced.
    while (this.#steps.length > 0 && this.#steps.at(-1)! >= step) this.#dropLast();
    // The previous point was kept as the last one. It is dropped unless it lies on the stride.
    if (this.#seen > 0 && (this.#seen - 1) % this.#stride !== 0) this.#pop();
    this.#steps.push(step);
    this.#values.push(value);
    this.#seen++;
    if (this.#steps.length > size) this.#thin();
  }

  series(): ScalarSeries {
    return { steps: [...this.#steps], values: [...this.#values] };
  }

  save(): SavedPoints {
    return [this.#stride, this.#seen, [...this.#steps], [...this.#values]];
  }

  #pop(): void {
    this.#steps.pop();
    this.#values.pop();
  }

  /** Removes the last point, which will be added again. */
  #dropLast(): void {
    this.#pop();
    this.#seen = this.#steps.length === 0 ? 0 : (this.#steps.length - 1) * this.#stride + 1;
  }

  #thin(): void {
    const last = this.#steps.length - 1;
    const isKept = (_: number, i: number) => i % 2 === 0 || i === last;
    this.#steps = this.#steps.filter(isKept);
    this.#values = this.#values.filter(isKept);
    this.#stride *= 2;
  }
}

function isSavedSeries(
  entry: unknown,
): entry is readonly [string, number, number, readonly number[], readonly number[]] {
  if (!Array.isArray(entry) || entry.length !== 5) return false;
  const [name, stride, seen, steps, values] = entry as unknown[];
  const areNumbers = (list: unknown) =>
    Array.isArray(list) && list.every((x) => typeof x === "number");
  return typeof name === "string" && isCount(stride) && Number(stride) > 0 && isCount(seen) &&
    areNumbers(steps) && areNumbers(values) &&
    (steps as number[]).length === (values as number[]).length;
}
