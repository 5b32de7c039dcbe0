/**
 * What decides on convergence, in stages and without.
 *
 * @module
 */

import type { StageWork } from "../../hooks/run/device_work.ts";
import type { ConvergenceHook } from "../convergence/convergence_hook.ts";
import { isConvergenceHook } from "../convergence/known_hooks.ts";
import type { StageRange } from "../stages/open_stages.ts";

/** A hook that decides, and for whom. */
export interface Decider {
  /** The hook. */
  readonly hook: ConvergenceHook;
  /** Asked when step % frequency === phase. */
  readonly frequency: number;
  /** The remainder. */
  readonly phase: number;
  /** Where it has systems come from and go to; nothing, where that is as the hook itself says. */
  readonly ways: Ways | undefined;
}

/** From where to where systems go. */
interface Ways {
  /** Only systems of this stage are asked; all, without one. */
  readonly from: number | undefined;
  /** Their stage from then on. */
  readonly to: number;
  /** Whether they rest from then on. */
  readonly stops: boolean;
}

/**
 * Those among the work of hooks. With stages, `count` of them, they come in the order in which they must be asked: who
 * comes to a stage in a step is not asked there in the same one.
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

/** What a hook of the whole, or of some stages, means there. */
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
      `Cannot run stages as ${name} must have systems go on, from a stage of its own to one of 1 … ${count}: ` +
        `current values are sourceStatus ${stage ?? "any"}, targetStatus ${to}`,
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
