/**
 * The hooks that decide on convergence, in a run of stages and without stages.
 *
 * @module
 */

import type { StageWork } from "../../hooks/run/device_work.ts";
import type { ConvergenceHook } from "../convergence/convergence_hook.ts";
import { isConvergenceHook } from "../convergence/known_hooks.ts";
import type { StageRange } from "../stages/open_stages.ts";

/** A convergence hook, and the systems it decides on. */
export interface Decider {
  /** The hook. */
  readonly hook: ConvergenceHook;
  /** Decides when step % frequency === phase. */
  readonly frequency: number;
  /** The remainder. */
  readonly phase: number;
  /** The stages between which it moves systems; `undefined` if the hook's own options say so. */
  readonly ways: Ways | undefined;
}

/** The stages between which systems move. */
interface Ways {
  /** Only systems of this stage are judged; all if it is undefined. */
  readonly from: number | undefined;
  /** Their stage afterwards. */
  readonly to: number;
  /** True if the systems are then finished. */
  readonly stops: boolean;
}

/**
 * Returns the convergence hooks among the work of hooks. With `count` stages, they are in the order in which they must
 * be asked: a system that enters a stage in a step is not judged there in the same step.
 *
 * @throws {RangeError} for a hook that has systems go where they cannot
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
  return deciders.sort((a, b) => (b.ways!.from ?? Infinity) - (a.ways!.from ?? Infinity)); // stable
}

/**
 * Returns the statuses that mark a system as converged. A status that is also the source of another hook does not.
 */
export function targetsOf(deciders: readonly Decider[]): number[] {
  const sources = deciders.map(({ hook }) => hook.sourceStatus);
  return deciders.filter(({ hook }) => hook.sourceStatus === undefined)
    .map(({ hook }) => hook.targetStatus)
    .filter((status) => !sources.includes(status));
}

/** Returns the moves that a hook of all or of some stages makes. */
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
