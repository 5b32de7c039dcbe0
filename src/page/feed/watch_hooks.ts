/**
 * Hooks by which the page watches an engine. They only read, so that a watched run has the same bits.
 *
 * @module
 */

import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { AnyStages } from "../../hooks/protocol/stage.ts";
import type { FinishedHook } from "../../hooks/protocol/table.ts";
import { COLLECTED, collectScalars } from "../../observe/reporter/collect_scalars.ts";
import { stepsDone } from "../../observe/reporter/scalar_snapshot.ts";
import { TrainingStage } from "../../training/stages.ts";
import { FRAME_FIELDS } from "./live_frames.ts";
import type { WatchedEngine } from "./watched_engine.ts";

/** Names of the hooks of the page, which the page does not list. */
export const WATCH = "watch", WATCH_FRAMES = "watchFrames";

/** Times at which a hook of the page is called. */
export interface WatchTimes {
  /** Least time between two calls, s. */
  readonly everySeconds: number;
  /** Steps at whose multiples it may be called. A step that may be due is not part of a multi-step call. */
  readonly frequency: number;
}

/** Scalars that count systems or repeat others. */
const NOT_SHOWN = /^dynamics\//;

/** Receives what the hooks see. */
export interface Watcher {
  /** A run begins. */
  opened(engine: Workflow): void;
  /** A run has ended. */
  closed(outcome: Outcome): void;
  /** Scalars of a number of steps done. */
  scalars(step: number, scalars: Readonly<Record<string, number>>): void;
  /** Returns whether there are clients. */
  isWatched(): boolean;
  /** Structures of a step. */
  structures(ctx: DynamicsContext<typeof FRAME_FIELDS[number]>): void;
}

/** Returns a hook that collects scalars of engines of any kind. */
export function watchHook(watcher: Watcher, times: WatchTimes): FinishedHook<string> {
  let reported = -1;
  const collect = (ctx: BaseContext, stage: string): void => {
    const step = stepsDone({ step: ctx.stepCount, stage });
    const all = { ...collectScalars(ctx, stage), ...energies(ctx) };
    const shown = Object.entries(all).filter(([name]) => !NOT_SHOWN.test(name));
    watcher.scalars(step, Object.fromEntries(shown));
  };
  const hook = {
    name: WATCH,
    kinds: [DynamicsStage, TrainingStage] as readonly AnyStages[],
    on: {
      dynamics: { AFTER_STEP: collect },
      training: { STEP_END: collect, VALIDATION_END: collect, EPOCH_END: collect },
    },
    /** A loop of another kind has scalars only if its hooks post some, but its step is shown. */
    otherwise(ctx: BaseContext): void {
      if (ctx.stepCount === reported) return;
      reported = ctx.stepCount;
      watcher.scalars(ctx.stepCount + 1, {});
    },
    reads: [...COLLECTED, "kineticEnergy", "time"],
    ...times,
    atEnd: true,
    onError: "warn",
    open(engine: Workflow): void {
      reported = -1;
      watcher.opened(engine);
    },
    close: (outcome: Outcome) => watcher.closed(outcome),
  };
  return hook;
}

/** Returns a hook that hands on structures, only while there are clients. */
export function frameHook(watcher: Watcher, times: WatchTimes): FinishedHook<string> {
  const hook = {
    name: WATCH_FRAMES,
    kinds: [DynamicsStage] as readonly AnyStages[],
    on: {
      dynamics: {
        AFTER_STEP: (ctx: DynamicsContext<typeof FRAME_FIELDS[number]>) => watcher.structures(ctx),
      },
    },
    reads: FRAME_FIELDS,
    ...times,
    atEnd: true,
    onError: "warn",
    when: () => watcher.isWatched(),
  };
  return hook;
}

/** Returns mean kinetic and total energies, and the time per step, of engines whose steps take time. */
function energies(ctx: BaseContext): Record<string, number> {
  const { energy, kineticEnergy, time } =
    (ctx as { readonly read?: Readonly<Record<string, ArrayLike<number>>> }).read ?? {};
  if (energy === undefined || kineticEnergy === undefined || !(time![0]! >= 0)) return {};
  const mean = (values: ArrayLike<number>) =>
    Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
  const kinetic = mean(kineticEnergy);
  return { "energy/kinetic": kinetic, "energy/total": mean(energy) + kinetic };
}

/**
 * Checks that the page may switch a hook of an engine.
 *
 * @param isShared true if other machines do the same steps
 * @throws {RangeError} if no hook has the name, or it is one of the page
 * @throws {Error} if other machines have the hook, too
 */
export function checkToggle({ hooks }: WatchedEngine, name: string, isShared: boolean): void {
  if (name === WATCH || name === WATCH_FRAMES) {
    throw new RangeError(`Cannot toggle ${name}: the page needs it`);
  }
  if (!hooks.has(name)) throw new RangeError(`Cannot toggle ${name}: no hook has this name`);
  if (!isShared) return;
  // The parameters would no longer be equal on all machines, and nothing would notice it.
  throw new Error(`Cannot toggle ${name}: the other machines of the run have it, too`);
}
