/**
 * Options of the hook registry of an engine.
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
  /** The context that hooks receive. The engine changes its fields in place. */
  readonly context: object;
  /** The engine that hooks find as `ctx.workflow`. */
  readonly workflow: Workflow;
  /**
   * Returns the value of a counter that a kind declares.
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
   * Runs the kernels of hooks with `kernels`.
   *
   * @default undefined: such a hook is refused
   */
  readonly worker?: DeviceWorker;
  /**
   * Returns a promise of the context fields that are still pending at an observe stage, such as values that a device
   * is computing; `undefined` if no field is pending. Observers are then called in order once the fields have
   * arrived, while the engine continues.
   *
   * @default nothing is ever pending
   */
  readonly coming?: (stage: string) => PromiseLike<object | undefined> | undefined;
  /**
   * Receives each warning of the engine, and each error of a hook that does not stop the run.
   *
   * @default prints the first error of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /** Called for each error of a hook that does not stop the run, to count it. */
  readonly onHookError?: () => void;
  /**
   * The signal that stops the engine. After it is aborted, the engine waits for each hook only for a limited time.
   *
   * @default undefined: hooks are waited for
   */
  readonly signal?: AbortSignal;
  /**
   * Returns whether an error ends the run under any error policy, because no hook caused it. An example is a lost
   * device.
   *
   * @default no error does
   */
  isFatal?(error: unknown): boolean;
  /**
   * True to check that observers do not change the context or the state. This is slow and meant for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
}

/** Map from handler to the count at which it last fired; -1 if it has not fired. Made by `EngineHooks.marks`. */
export type HookMarks = ReadonlyMap<object, number>;
