/**
 * Convergence hooks of a run, with the stages between which they move systems.
 *
 * @module
 */

import type { StageWork } from "../../hooks/run/device_work.ts";
import type { ConvergenceHook } from "../convergence/convergence_hook.ts";
import { isConvergenceHook } from "../convergence/known_hooks.ts";
import type { StageRange } from "../stages/open_stages.ts";

/** A convergence hook, and the systems that it judges. */
export interface Decider {
  /** The convergence hook. */
  readonly hook: ConvergenceHook;
  /** Interval in steps: the hook judges when step % frequency === phase. */
  readonly frequency: number;
  /** Remainder of the steps at which the hook judges. */
  readonly phase: number;
  /**
   * Stages between which the hook moves systems; `undefined` if the run is not fused, so that the hook's options
   * apply.
   */
  readonly ways: Ways | undefined;
}

/** A move of systems from one stage to another. */
interface Ways {
  /** Index of the stage whose systems are judged; `undefined` for all stages. */
  readonly from: number | undefined;
  /** Index of the stage that converged systems enter. */
  readonly to: number;
  /** True if converged systems are finished. */
  readonly stops: boolean;
}

/**
 * Returns the convergence hooks among the work of hooks. In a run of `count` stages, hooks of later stages come
 * first, so that a system which enters a stage is not judged there in the same step. `count` is `undefined` if the
 * run is not fused.
 *
 * @throws {RangeError} if a hook moves systems to an earlier stage, or to a stage that does not exist
 */
export function decidersOf(work: readonly StageWork[], count: number | undefined): Decider[] {
  const deciders = work.flatMap(({ hook: given, name, part, frequency, phase }) => {
    if (!isConvergenceHook(given)) return [];
    const hook = given as unknown as ConvergenceHook;
    const ways = count === undefined
      ? [undefined]
      : waysOf(hook, { name, range: part as StageRange | undefined, count });
    return ways.map((ways) => ({ hook, frequency, phase, ways }));
  });
  if (count === undefined) return deciders;
  return deciders.sort((a, b) => (b.ways!.from ?? Infinity) - (a.ways!.from ?? Infinity)); // stable within a stage
}

/**
 * Returns the values of the status that mark a system as converged: the target statuses of hooks without
 * `sourceStatus`, except those that another hook judges.
 */
export function targetsOf(deciders: readonly Decider[]): number[] {
  const sources = deciders.map(({ hook }) => hook.sourceStatus);
  return deciders.filter(({ hook }) => hook.sourceStatus === undefined)
    .map(({ hook }) => hook.targetStatus)
    .filter((status) => !sources.includes(status));
}

/** Returns the moves that a hook makes: one for each stage that it judges. */
function waysOf(
  hook: ConvergenceHook,
  { name, range, count }: { name: string; range: StageRange | undefined; count: number },
): Ways[] {
  const { sourceStatus } = hook;
  const to = hook.hasTarget ? hook.targetStatus : whereTo(hook, range, count);
  const own = range ?? { first: 0, end: count };
  const isAll = sourceStatus === undefined && range === undefined;
  const from = isAll
    ? [undefined]
    : sourceStatus !== undefined
    ? [sourceStatus]
    : Array.from({ length: own.end - own.first }, (_, i) => own.first + i);
  for (const stage of from) {
    const isIn = stage === undefined || (own.first <= stage && stage < own.end);
    if (isIn && (stage ?? own.end - 1) < to && to <= count) continue;
    throw new RangeError(
      `Cannot run stages: targetStatus of ${name} must be a later stage than its sourceStatus, at most ${count}; ` +
        `got sourceStatus ${stage ?? "any"} and targetStatus ${to}`,
    );
  }
  return from.map((stage) => ({ from: stage, to, stops: to === count }));
}

function whereTo(
  { sourceStatus }: ConvergenceHook,
  range: StageRange | undefined,
  count: number,
): number {
  if (range !== undefined) return range.end;
  return sourceStatus === undefined ? count : sourceStatus + 1;
}
