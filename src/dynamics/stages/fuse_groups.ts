/**
 * The stages of fused engines, and groups of stages that were fused before.
 *
 * @module
 */

import { ConvergenceHook } from "../convergence/convergence_hook.ts";
import type { Dynamics } from "../dynamics.ts";
import { partsOf } from "../engine/engine_parts.ts";
import type { StageBudget, StageRange } from "./open_stages.ts";

/** An engine that is one stage, or a fused engine with several stages. */
export interface Group extends StageRange {
  /** The engine. */
  readonly engine: Dynamics;
  /** Unique name of the group among all groups. */
  readonly name: string;
  /** The fused engine into which this engine was fused before; `undefined` if only the outermost engine contains it. */
  readonly outer: Dynamics | undefined;
  /** True if the engine is a single stage. */
  readonly isStage: boolean;
}

/** Returns the given engines, and the engines that were fused into them. A group precedes its stages. */
export function groupsOf(engines: readonly Dynamics[]): Group[] {
  const groups: Group[] = [];
  const names = new Set<string>();
  const add = (engine: Dynamics, outer: Dynamics | undefined, first: number): number => {
    const inner = partsOf(engine)!.engines as readonly Dynamics[];
    const end = inner.length === 0 ? first + 1 : first + countOf(engine);
    const group = { engine, outer, first, end, isStage: inner.length === 0 };
    groups.push({ ...group, name: freeName(engine.name, names) });
    inner.reduce((at, one) => add(one, engine, at), first);
    return end;
  };
  engines.reduce((at, engine) => add(engine, undefined, at), 0);
  return groups;
}

/**
 * Returns the limits of steps in stages and in groups of stages. Larger groups come first, because leaving a group
 * ends all of its stages.
 */
export function budgetsOf(groups: readonly Group[]): StageBudget[] {
  return groups.flatMap(({ engine, first, end }) => {
    const steps = budgetOf(engine);
    return steps === undefined ? [] : [{ first, end, steps }];
  }).sort((a, b) => (b.end - b.first) - (a.end - a.first));
}

/** Returns whether systems can leave the stage with index `end` − 1. `hooks` are those of the fused engine. */
export function hasExit(
  groups: readonly Group[],
  hooks: readonly object[],
  end: number,
): boolean {
  const sends = (hook: object) =>
    hook instanceof ConvergenceHook &&
    (hook.sourceStatus === undefined || hook.sourceStatus === end - 1);
  return hooks.some((hook) =>
    sends(hook) && (hook as ConvergenceHook).sourceStatus !== undefined
  ) ||
    groups.some(({ engine, end: last }) =>
      last === end &&
      (budgetOf(engine) !== undefined || [...partsOf(engine)!.hooks.own.values()].some(sends))
    );
}

/** Returns the largest number of steps of a system in an engine, or `undefined` if there is no limit. */
function budgetOf(engine: Dynamics): number | undefined {
  const { nSteps = Infinity } = partsOf(engine)!.options;
  return nSteps === Infinity ? undefined : nSteps;
}

function countOf(engine: Dynamics): number {
  const inner = partsOf(engine)!.engines as readonly Dynamics[];
  return inner.length === 0 ? 1 : inner.reduce((sum, one) => sum + countOf(one), 0);
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}-${n}`;
  taken.add(free);
  return free;
}
