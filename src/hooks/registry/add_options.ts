/**
 * Options of `hooks.add`.
 *
 * @module
 */

import type { ErrorPolicy } from "../protocol/outcome.ts";

/**
 * Group that determines the position of a hook among the hooks of its stage. The options `before` and `after` are
 * applied afterwards.
 */
export type Band = "first" | "normal" | "last";

/** Options of `hooks.add`, including the stage of the hook. */
export interface PlacedOptions<S extends string = string> extends AddOptions {
  /**
   * Stage at which the hook runs, instead of the stage it declares. Only for hooks with `call` or `kernels`. The hook
   * object is not changed.
   *
   * @default the hook's own stage, or stages
   */
  readonly stage?: S;
}

/** Options of `hooks.add`, except the stage of the hook. */
export interface AddOptions {
  /**
   * Name of the hook. Registering the same explicit name twice is an error.
   *
   * @default the hook's own name, else the name of its class, numbered if it repeats
   */
  readonly name?: string;
  /**
   * Band of the hook. Hooks of the band "first" run before those of "normal", and these before those of "last".
   * Within a band, hooks run in the order of registration.
   *
   * @default "normal"
   */
  readonly order?: Band;
  /** Names of hooks that must run after this hook. */
  readonly before?: string | readonly string[];
  /** Names of hooks that must run before this hook. */
  readonly after?: string | readonly string[];
  /**
   * Error policy of the hook. It overrides the policy that the hook declares.
   *
   * @default the hook's own policy, else "warn" for observers that have worked before, "throw" for all others
   */
  readonly onError?: ErrorPolicy;
  /**
   * False to register the hook disabled.
   *
   * @default true
   */
  readonly enabled?: boolean;
}
