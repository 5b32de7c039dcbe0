/**
 * Hooks that provide kernels instead of a handler, so that their work stays on the device.
 *
 * @module
 */

import type { Part } from "../protocol/part.ts";
import type { HookOptions } from "../protocol/protocol.ts";

/**
 * A hook that changes state on the device where it is stored. Instead of `call` it has `kernels`, which the engine
 * calls once, as soon as the state exists. The returned kernels run at the hook's stages. If the schedule of the hook
 * has only `frequency` and `phase`, they run within a multi-step call, without returning to JavaScript.
 */
export interface DeviceHook extends HookOptions {
  /** Name of the hook. By default the name of its class, with a number if it repeats. */
  readonly name?: string;
  /** The stage of a hook with one stage. */
  readonly stage?: string;
  /** The stages of a hook with several stages. */
  readonly stages?: readonly string[];
  /** Number of counts from one run of the kernels to the next. They run if counter % frequency === phase. */
  readonly frequency: number;
  /** Fields that the kernels change. */
  readonly writes: readonly unknown[];
  /**
   * Returns the kernels for a stage. The engine defines the type of `device`, which holds its buffers, and of the
   * kernels.
   */
  kernels(device: never, stage: never): unknown;
  /**
   * True if the kernels run after all other hooks of the stage, whatever the order of the hooks. The schedule of such
   * a hook may have only `frequency` and `phase`.
   *
   * @default false
   */
  readonly isLast?: boolean;
  /**
   * Does the part of the work that runs on the host. It may be asynchronous. A hook with `compute` requires a return
   * to JavaScript whenever it is due.
   */
  compute?(device: never, stage: never): unknown;
}

/** The part of an engine that runs the kernels of hooks. */
export interface DeviceWorker {
  /** Runs the kernels of one hook now, at a stage. If `part` is given, they change only the systems of that part. */
  work(hook: object, stage: string, part?: Part): unknown;
  /** Called when the set of hooks whose kernels run without a return to JavaScript may have changed. */
  changed(): void;
}

/** A hook whose kernels the engine runs at a stage without a return to JavaScript, if step % frequency === phase. */
export interface StageWork {
  /** The hook object. */
  readonly hook: object;
  /** Name of the hook. */
  readonly name: string;
  /** The part that the hook belongs to; `undefined` for the whole engine. */
  readonly part: Part | undefined;
  /** Number of steps between two runs. */
  readonly frequency: number;
  /** Step count modulo `frequency` at which the kernels run. */
  readonly phase: number;
}
