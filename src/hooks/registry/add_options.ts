/**
 * Options of a registration.
 *
 * @module
 */

import type { ErrorPolicy } from "../protocol/outcome.ts";

/** Position of a hook among the hooks of its stage, before `before` and `after` are applied. */
export type Band = "first" | "normal" | "last";

/** Options of a registration that may give the stage of the hook. */
export interface PlacedOptions<S extends string = string> extends AddOptions {
  /**
   * Stage at which the hook runs; for hooks with `call` or `kernels`. The hook itself is not changed.
   *
   * @default the hook's own stage, or stages
   */
  readonly stage?: S;
}

/** Options of a registration. */
export interface AddOptions {
  /**
   * Name of the hook; registering the same explicit name twice is an error.
   *
   * @default the hook's own name, else the name of its class, numbered if it repeats
   */
  readonly name?: string;
  /**
   * Band of the hook; within a band registration order holds.
   *
   * @default "normal"
   */
  readonly order?: Band;
  /** Names of hooks that it must run before. */
  readonly before?: string | readonly string[];
  /** Names of hooks that it must run after. */
  readonly after?: string | readonly string[];
  /**
   * Error policy; overrides the hook's own.
   *
   * @default the hook's own policy, else "warn" for observers that have worked before, "throw" for all others
   */
  readonly onError?: ErrorPolicy;
  /**
   * True if the hook runs.
   *
   * @default true
   */
  readonly enabled?: boolean;
}
