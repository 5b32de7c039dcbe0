/**
 * How a stream of systems is to run.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import type { GraduateSink } from "./graduates.ts";
import { SizeAwareSampler } from "./sampler.ts";
import type { StreamFailure } from "./saved_stream.ts";

/** What `engine.stream` can be told. */
export interface StreamOptions {
  /** Where systems go when they are done: the first that is not full takes them. */
  readonly sinks: readonly GraduateSink[];
  /**
   * At every so many steps those that rest are written and others join. Where nobody moves it is done at once.
   *
   * @default where an eighth of the batch rests, at the latest after 20 steps; 1 with a model that is no kernels and takes
   * its time for all; 20 on a GPU, which must be asked who rests. Threads are asked so every fourth step
   */
  readonly refillFrequency?: number;
  /**
   * Steps that each system does at most: it is done then, converged or not.
   *
   * @default none: only what has converged is done
   */
  readonly maxSteps?: number;
  /**
   * What becomes of a system that comes apart: `"throw"` ends the stream with a `DivergedError`; `"drop"` lets that system
   * leave, with a line in the summary's `failures`, and all others go on as if it had never been there. Not on a GPU, nor on threads.
   *
   * @default "throw"
   */
  readonly onDiverged?: "throw" | "drop";
  /**
   * Steps of the engine; the next `stream` with the same sampler goes on.
   *
   * @default Infinity: until the source is dry and all are done
   */
  readonly nSteps?: number;
}

/** What a stream has come to. */
export interface StreamSummary {
  /** Systems that have joined. */
  readonly systems: number;
  /** Systems that were written. */
  readonly graduated: number;
  /** Those of them that had converged. */
  readonly converged: number;
  /** Those that have come apart, and were dropped. */
  readonly failures: readonly StreamFailure[];
  /** Steps of the engine. */
  readonly steps: number;
  /** How often others have joined. */
  readonly refills: number;
  /**
   * How full the batch was of systems that move, from 0 to 1, over the steps until the source was dry; by the limit that
   * it came nearest to. NaN where there were none.
   */
  readonly filling: number;
  /** Whether the source is dry and all are done. */
  readonly isDone: boolean;
}

const OPTIONS = ["sinks", "refillFrequency", "maxSteps", "onDiverged", "nSteps"];

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkStream(
  engine: string,
  sampler: unknown,
  options: unknown,
  canConverge: boolean,
): void {
  const action = `stream through ${engine}`;
  if (!(sampler instanceof SizeAwareSampler)) {
    throw new TypeError(complaint(action, "it must be given a SizeAwareSampler", sampler));
  }
  checkOptions(action, options, OPTIONS);
  const { refillFrequency, maxSteps, nSteps, onDiverged = "throw" } = options as StreamOptions;
  if (onDiverged !== "throw" && onDiverged !== "drop") {
    throw new TypeError(complaint(action, 'onDiverged must be "throw" or "drop"', onDiverged));
  }
  for (const [name, value] of Object.entries({ refillFrequency, maxSteps })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    const Wrong = typeof value === "number" ? RangeError : TypeError;
    throw new Wrong(complaint(action, `${name} must be a whole number from 1 on`, value));
  }
  if (canConverge || maxSteps !== undefined || (nSteps ?? Infinity) < Infinity) return;
  throw new TypeError(
    `Cannot ${action} as systems must be done at some time: it has no ConvergenceHook, and maxSteps is not given`,
  );
}
