/**
 * The options of a stream of systems.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import type { GraduateSink } from "./graduates.ts";
import { SizeAwareSampler } from "./sampler.ts";
import type { StreamFailure } from "./saved_stream.ts";

/** Options of `engine.stream`. */
export interface StreamOptions {
  /** Sinks for finished systems: the first that is not full takes them. */
  readonly sinks: readonly GraduateSink[];
  /**
   * Number of steps between refills, which write finished systems and admit others. If no system is active, a refill
   * comes at once.
   *
   * @default when an eighth of the batch is finished, at the latest after 20 steps; 1 with a model that is not made of
   * kernels; 20 on a GPU, which must be asked which systems have finished. Threads are asked every fourth step
   */
  readonly refillFrequency?: number;
  /**
   * Maximum number of steps of each system: it is finished then, converged or not.
   *
   * @default undefined: only converged systems are finished
   */
  readonly maxSteps?: number;
  /**
   * Handling of a system that diverges: `"throw"` ends the stream with a `DivergedError`; `"drop"` removes the system,
   * adds it to the summary's `failures`, and the others go on as if it had never been there. Not on a GPU, nor on
   * threads.
   *
   * @default "throw"
   */
  readonly onDiverged?: "throw" | "drop";
  /**
   * Steps of the engine; the next `stream` with the same sampler goes on.
   *
   * @default Infinity: until the source is empty and all systems are finished
   */
  readonly nSteps?: number;
}

/** Results of a stream. */
export interface StreamSummary {
  /** Admitted systems. */
  readonly systems: number;
  /** Systems that were written. */
  readonly graduated: number;
  /** Written systems that had converged. */
  readonly converged: number;
  /** Diverged systems, which were dropped. */
  readonly failures: readonly StreamFailure[];
  /** Steps of the engine. */
  readonly steps: number;
  /** Number of refills. */
  readonly refills: number;
  /**
   * Mean filling of the batch with active systems, from 0 to 1, over the steps until the source was dry; by the limit
   * that was nearest. NaN if there were no steps.
   */
  readonly filling: number;
  /** True if the source is empty and all systems are finished. */
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
    throw new TypeError(complaint(action, "the sampler must be a SizeAwareSampler", sampler));
  }
  checkOptions(action, options, OPTIONS);
  const { refillFrequency, maxSteps, nSteps, onDiverged = "throw" } = options as StreamOptions;
  if (onDiverged !== "throw" && onDiverged !== "drop") {
    throw new TypeError(complaint(action, 'onDiverged must be "throw" or "drop"', onDiverged));
  }
  for (const [name, value] of Object.entries({ refillFrequency, maxSteps })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    const Wrong = typeof value === "number" ? RangeError : TypeError;
    throw new Wrong(complaint(action, `${name} must be a positive integer`, value));
  }
  if (canConverge || maxSteps !== undefined || (nSteps ?? Infinity) < Infinity) return;
  throw new TypeError(
    `Cannot ${action}: nothing ends a system. Add a ConvergenceHook, or pass maxSteps`,
  );
}
