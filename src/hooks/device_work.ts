/**
 * Hooks that give work for the device instead of a handler, so that the state need not be visited.
 *
 * @module
 */

import type { Entry, Place } from "./entry.ts";
import type { HookOptions } from "./protocol.ts";
import type { StageInfo } from "./stage.ts";

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
}

/** The engine's side: how such work is run. */
export interface DeviceWorker {
  /** Runs the work of one hook now, at a stage. */
  work(hook: object, stage: string): unknown;
  /** Told that what runs by itself may have changed. */
  changed(): void;
}

/** Work that the engine is to do at a stage by itself, when step % frequency === phase. */
export interface StageWork {
  /** The hook. */
  readonly hook: object;
  /** What it is called. */
  readonly name: string;
  /** Every so many steps … */
  readonly frequency: number;
  /** … at this remainder. */
  readonly phase: number;
}

/** Does the hook give work instead of a handler? */
export function isDeviceHook(hook: object): boolean {
  return typeof (hook as { readonly kernels?: unknown }).kernels === "function";
}

/**
 * Which modifiers of a stage need no visit: those with a plain schedule, as long as no modifier before them needs
 * one, so that the order stays what it is.
 */
export function unvisited(places: readonly Place[], { counter, isEvent }: StageInfo): Place[] {
  if (counter !== "step" || isEvent) return [];
  const end = places.findIndex((place) =>
    !(isDeviceHook(place.entry.record.hook) && place.schedule.isPlain &&
      place.entry.record.when === undefined)
  );
  return end === -1 ? [...places] : places.slice(0, end);
}

/** A place as work for the engine. */
export function stageWork({ entry }: { readonly entry: Entry }): StageWork {
  const { hook, schedule: { frequency, phase } } = entry.record;
  return { hook, name: entry.name, frequency, phase };
}
