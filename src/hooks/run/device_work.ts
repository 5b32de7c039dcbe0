/**
 * Hooks that give work for the device instead of a handler, so that the state need not be visited.
 *
 * @module
 */

import type { Part } from "../protocol/part.ts";
import type { HookOptions } from "../protocol/protocol.ts";

/**
 * A hook that changes state where it lives: instead of `call` it has `kernels`, which the engine asks once, when its
 * state is there. What comes back runs at the hook's stages, between two steps of one run without a visit here where
 * the hook's schedule is no more than `frequency` and `phase`.
 */
export interface DeviceHook extends HookOptions {
  /** Its name; the class's name, numbered when repeated, by default. */
  readonly name?: string;
  /** One stage … */
  readonly stage?: string;
  /** … or several. */
  readonly stages?: readonly string[];
  /** Runs when counter % frequency === phase. */
  readonly frequency: number;
  /** Fields it changes. */
  readonly writes: readonly unknown[];
  /** What to run: kernels over the engine's buffers, in the engine's own form. */
  kernels(device: never, stage: never): unknown;
  /**
   * Whether the engine does the work after everything else of the stage, whatever the order of the hooks. Such a hook
   * has no schedule but `frequency` and `phase`.
   *
   * @default false
   */
  readonly isLast?: boolean;
  /** What it does besides, on the host: a hook that has it is visited whenever it is due. It may take its time. */
  compute?(device: never, stage: never): unknown;
}

/** The engine's side: how such work is run. */
export interface DeviceWorker {
  /** Runs the work of one hook now, at a stage; on a part alone, where there is one. */
  work(hook: object, stage: string, part?: Part): unknown;
  /** Told that what runs by itself may have changed. */
  changed(): void;
}

/** Work that the engine is to do at a stage by itself, when step % frequency === phase. */
export interface StageWork {
  /** The hook. */
  readonly hook: object;
  /** What it is called. */
  readonly name: string;
  /** What it is for, where that is not all. */
  readonly part: Part | undefined;
  /** Every so many steps … */
  readonly frequency: number;
  /** … at this remainder. */
  readonly phase: number;
}

/** Does the hook do some of its work on the host? */
export function isHostWork(hook: object): boolean {
  return typeof (hook as { readonly compute?: unknown }).compute === "function";
}

/** Does the engine do the hook's work after everything else of a stage? */
export function isLastWork(hook: object): boolean {
  return isDeviceHook(hook) && (hook as { readonly isLast?: unknown }).isLast === true;
}

/** Does the hook give work instead of a handler? */
export function isDeviceHook(hook: object): boolean {
  return typeof (hook as { readonly kernels?: unknown }).kernels === "function";
}
