/**
 * Options and results of a stream of systems.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { GraduateSink } from "./graduates.ts";
import type { StreamSampler } from "./sampler.ts";
import type { StreamFailure } from "./saved_stream.ts";

/** Options of `engine.stream`. */
export interface StreamOptions {
  /** Sinks for finished systems. The first sink that is not full stores them. */
  readonly sinks: readonly GraduateSink[];
  /**
   * Number of steps between refills. A refill writes finished systems to sinks and admits others. If no system is
   * active, the batch is refilled at once.
   *
   * @default when an eighth of the batch has finished, at the latest after 20 steps; 1 with a model that is not made
   * of kernels; 20 on a GPU, which must be asked which systems have finished. Threads are asked every fourth step
   */
  readonly refillFrequency?: number;
  /**
   * Largest number of steps of each system. After these steps the system is finished, even if it has not converged.
   *
   * @default undefined: only converged systems are finished
   */
  readonly maxSteps?: number;
  /**
   * Handling of a system that diverges. `"throw"` ends the stream with a `DivergedError`. `"drop"` removes the
   * system, adds it to the `failures` of the summary, and does not affect the other systems. `"drop"` is not
   * available on a GPU and on threads.
   *
   * @default "throw"
   */
  readonly onDiverged?: "throw" | "drop";
  /**
   * Function that receives each system that `onDiverged: "drop"` removes, in the step in which it diverges.
   *
   * @default undefined: the `failures` of the summary have them
   */
  readonly onFailure?: (failure: StreamFailure) => void;
  /**
   * Number of steps that the engine runs in this call. The next call of `stream` with the same sampler continues.
   *
   * @default Infinity: until all systems of the source are finished
   */
  readonly nSteps?: number;
}

/** Results of a stream. */
export interface StreamSummary {
  /** Number of systems that were admitted. */
  readonly systems: number;
  /** Number of systems that were written to sinks. */
  readonly graduated: number;
  /** Number of written systems that had converged. */
  readonly converged: number;
  /** Systems that have diverged and were dropped. */
  readonly failures: readonly StreamFailure[];
  /** Number of steps of this stream, including those of earlier calls that it continues. */
  readonly steps: number;
  /** Number of refills. */
  readonly refills: number;
  /**
   * Mean share of the batch that active systems fill, from 0 to 1, relative to the limit that is nearest. It covers
   * the steps until all samples were taken, and is NaN if there were no such steps.
   */
  readonly filling: number;
  /** True if all systems of the source are finished and written. */
  readonly isDone: boolean;
}

const OPTIONS = ["sinks", "refillFrequency", "maxSteps", "onDiverged", "onFailure", "nSteps"];

/**
 * Throws a TypeError or RangeError that names the first invalid option, and a TypeError if nothing would end a
 * system. `missing` is the result of `missingExit`.
 */
export function checkStream(
  engine: string,
  sampler: unknown,
  options: unknown,
  missing: string | undefined,
): void {
  const action = `stream through ${engine}`;
  if (!isSampler(sampler)) {
    throw new TypeError(complaint(action, "the sampler must be a SizeAwareSampler", sampler));
  }
  checkOptions(action, options, OPTIONS);
  const { refillFrequency, maxSteps, nSteps, onDiverged = "throw", onFailure } =
    options as StreamOptions;
  if (onDiverged !== "throw" && onDiverged !== "drop") {
    throw new TypeError(complaint(action, 'onDiverged must be "throw" or "drop"', onDiverged));
  }
  if (onFailure !== undefined && typeof onFailure !== "function") {
    throw new TypeError(complaint(action, "onFailure must be a function", onFailure));
  }
  for (const [name, value] of Object.entries({ refillFrequency, maxSteps })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    const Wrong = typeof value === "number" ? RangeError : TypeError;
    throw new Wrong(complaint(action, `${name} must be a positive integer`, value));
  }
  const hasLimit = maxSteps !== undefined || (nSteps ?? Infinity) < Infinity;
  if (missing !== undefined && !hasLimit) throw new TypeError(`Cannot ${action}: ${missing}`);
}

function isSampler(value: unknown): value is StreamSampler {
  if (!isObject(value)) return false;
  const { take, giveBack, idOf, edgesOf } = value as Partial<StreamSampler>;
  return [take, giveBack, idOf, edgesOf].every((one) => typeof one === "function");
}
