/**
 * Options of samplers: limits of a batch, and the order of samples.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import { seedWords } from "../../batch/seed.ts";

/** Options of a sampler. At least one limit must be given. */
export interface SamplerOptions {
  /** Largest number of atoms in a batch. @default no limit */
  readonly maxAtoms?: number;
  /**
   * Largest number of edges in a batch. The source must then provide the number of edges of each sample. @default no
   * limit
   */
  readonly maxEdges?: number;
  /** Largest number of systems in a batch. @default no limit */
  readonly maxSystems?: number;
  /**
   * Width of the intervals into which samples are grouped by number of atoms. Samples of one interval are taken in
   * the order of the source. @default 1
   */
  readonly binWidth?: number;
  /** True to take the samples of an interval in random order. @default false */
  readonly shuffle?: boolean;
  /** Seed of the random order, a whole number 0 … 2⁵³ − 1. @default 0 */
  readonly seed?: number;
}

/** Name of the sampler in error messages. */
export const NAME: string = "a SizeAwareSampler";
const LIMITS = ["maxAtoms", "maxEdges", "maxSystems"] as const;
const OPTIONS = [...LIMITS, "binWidth", "shuffle", "seed"];

/** Throws a TypeError or RangeError that names the first invalid option. */
export function checkSamplerOptions(action: string, options: SamplerOptions): void {
  checkOptions(action, options, OPTIONS);
  for (const name of [...LIMITS, "binWidth"] as const) {
    const value: unknown = options[name];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) continue;
    if (value === Infinity && name !== "binWidth") continue;
    const Wrong = typeof value === "number" ? RangeError : TypeError;
    throw new Wrong(
      `Cannot ${action}: ${name} must be a positive integer${
        name === "binWidth" ? "" : " or Infinity"
      }; got ${show(value)}`,
    );
  }
  const { shuffle, seed = 0 } = options;
  if (shuffle !== undefined && typeof shuffle !== "boolean") {
    throw new TypeError(
      `Cannot ${action}: shuffle must be true or false; got ${show(shuffle)}`,
    );
  }
  seedWords(seed, action);
  if (LIMITS.some((name) => (options[name] ?? Infinity) < Infinity)) return;
  throw new RangeError(
    `Cannot ${action}: a limit is required: pass at least one of ${LIMITS.join(", ")}`,
  );
}
