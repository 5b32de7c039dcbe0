/**
 * Hooks that provide kernels instead of a handler, so that their work stays on the device.
 *
 * @module
 */

import type { Part } from "../protocol/part.ts";
import type { HookOptions } from "../protocol/protocol.ts";

/**
 * A hook that changes state where it is stored. Instead of `call` it has `kernels`, which the engine calls once, as soon
 * as its state exists. The returned kernels run at the hook's stages. If the schedule of the hook has only `frequency`
 * and `phase`, they run within a multi-step call, without returning to JavaScript.
 */
export interface DeviceHook extends HookOptions {
  /** Name; the class's name, numbered when repeated, by default. */
  readonly name?: string;
  /** One stage … */
  readonly stage?: string;
  /** … or several. */
  readonly stages?: readonly string[];
  /** Runs when counter % frequency === phase. */
  readonly frequency: number;
  /** Fields it changes. */
  readonly writes: readonly unknown[];
  /** Returns the kernels to run over the engine's buffers, in the engine's own form. */
  kernels(device: never, stage: never): unknown;
  /**
   * True if the kernels run after everything else of the stage, in any order of the hooks. The schedule of such a hook
   * has only `frequency` and `phase`.
   *
   * @default false
   */
  readonly isLast?: boolean;
  /** Runs the part of the work that needs the host; it may be asynchronous. A hook with it is visited whenever it is due. */
  compute?(device: never, stage: never): unknown;
}

/** The part of an engine that runs such kernels. */
export interface DeviceWorker {
  /** Runs the kernels of one hook now, at a stage; on its part alone, if it has one. */
  work(hook: object, stage: string, part?: Part): unknown;
  /** Called when the set of hooks whose kernels run without a visit may have changed. */
  changed(): void;
}

/** Kernels that the engine runs at a stage without a visit, if step % frequency === phase. */
export interface StageWork {
  /** The hook. */
  readonly hook: object;
  /** Name. */
  readonly name: string;
  /** The part that it belongs to, if that is not the whole. */
  readonly part: Part | undefined;
  /** Number of steps between two runs. */
  readonly frequency: number;
  /** Remainder of step / frequency at which it runs. */
  readonly phase: number;
}
