/**
 * Options of the hooks of an engine.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import type { HookWarning } from "../protocol/outcome.ts";
import type { AnyStages } from "../protocol/stage.ts";
import type { DeviceWorker } from "../run/device_work.ts";
import type { StateSource } from "../run/reads.ts";

/** Options of `EngineHooks`. */
export interface EngineHooksOptions<E extends AnyStages> {
  /** The kinds of stages that the engine has. */
  readonly kinds: readonly E[];
  /** The one context of the engine, which it changes in place. */
  readonly context: object;
  /** The engine, as hooks see it. */
  readonly workflow: Workflow;
  /**
   * Returns the value of a counter of the kinds.
   *
   * @default the step is the only counter
   */
  readonly counts?: (counter: string) => number;
  /**
   * The state that hooks may read and write.
   *
   * @default no state
   */
  readonly state?: StateSource;
  /**
   * Runs the kernels of hooks that provide kernels.
   *
   * @default undefined: such a hook is refused
   */
  readonly worker?: DeviceWorker;
  /**
   * Returns the fields of the context that are still pending at an observe stage, such as values that a device is
   * computing. Observers are then called in order once they have arrived, and the engine does not wait. Returns
   * `undefined` if nothing is pending.
   *
   * @default nothing is ever pending
   */
  readonly coming?: (stage: string) => PromiseLike<object | undefined> | undefined;
  /**
   * Called with each error that does not stop the run.
   *
   * @default prints the first error of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /** Called at each error of a hook that does not stop the run. */
  readonly onHookError?: () => void;
  /**
   * The signal that stops the engine: once it is aborted, hooks that do not answer are not waited for without end.
   *
   * @default undefined: hooks are waited for
   */
  readonly signal?: AbortSignal;
  /**
   * Returns whether an error ends the run under any policy, because no hook caused it: a lost device, for example.
   *
   * @default no error does
   */
  isFatal?(error: unknown): boolean;
  /**
   * True to check that observers change nothing. Slow; meant for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
}

/** The count at which each handler last fired; made by `EngineHooks.marks`. */
export type HookMarks = ReadonlyMap<object, number>;
