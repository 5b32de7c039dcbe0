/**
 * Options of samplers: limits of a batch, and the order of samples.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { seedWords } from "../../batch/seed.ts";

/** Limits of a batch. At least one must be given. */
export interface SamplerOptions {
  /** Atoms of all its systems. @default no limit */
  readonly maxAtoms?: number;
  /** Edges of all its systems: the sizes of the source must say how many each has. @default no limit */
  readonly maxEdges?: number;
  /** Systems. @default no limit */
  readonly maxSystems?: number;
  /** Samples whose numbers of atoms lie within such an interval are taken in their order. @default 1 */
  readonly binWidth?: number;
  /** True to take samples of similar size in a random order. @default false */
  readonly shuffle?: boolean;
  /** The seed of the random order. @default 0 */
  readonly seed?: number;
}

/** The name in error messages. */
export const NAME: string = "a SizeAwareSampler";
const LIMITS = ["maxAtoms", "maxEdges", "maxSystems"] as const;
const OPTIONS = [...LIMITS, "binWidth", "shuffle", "seed"];

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkSamplerOptions(action: string, options: SamplerOptions): void {
  checkOptions(action, options, OPTIONS);
  for (const name of [...LIMITS, "binWidth"] as const) {
    const value: unknown = options[name];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) continue;
    if (value === Infinity && name !== "binWidth") continue;
    const Wrong = typeof value === "number" ? RangeError : TypeError;
    throw new Wrong(
      `Cannot ${action}: ${name} must be a positive integer; got ${String(value)}`,
    );
  }
  const { shuffle, seed = 0 } = options;
  if (shuffle !== undefined && typeof shuffle !== "boolean") {
    throw new TypeError(
      `Cannot ${action}: shuffle must be true or false; got ${String(shuffle)}`,
    );
  }
  seedWords(seed, action);
  if (LIMITS.some((name) => (options[name] ?? Infinity) < Infinity)) return;
  throw new RangeError(
    `Cannot ${action}: a limit is required: pass at least one of ${LIMITS.join(", ")}`,
  );
}
