/**
 * The stages of fused engines, and the groups around some of them.
 *
 * @module
 */

import { ConvergenceHook } from "../convergence/convergence_hook.ts";
import type { Dynamics } from "../dynamics.ts";
import { partsOf } from "../engine/engine_parts.ts";
import type { StageBudget, StageRange } from "./open_stages.ts";

/** An engine that is a stage, or that has several. */
export interface Group extends StageRange {
  /** The engine. */
  readonly engine: Dynamics;
  /** Unique name. */
  readonly name: string;
  /** The engine that it is a stage of; `undefined` for the whole. */
  readonly outer: Dynamics | undefined;
  /** True if it is a stage. */
  readonly isStage: boolean;
}

/** Returns these engines and those they were fused from; groups come before their stages. */
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
 * Returns the limits of steps in a stage, or in groups of stages: the largest group first, because leaving it ends
 * all stages within.
 */
export function budgetsOf(groups: readonly Group[]): StageBudget[] {
  return groups.flatMap(({ engine, first, end }) => {
    const steps = budgetOf(engine);
    return steps === undefined ? [] : [{ first, end, steps }];
  }).sort((a, b) => (b.end - b.first) - (a.end - a.first));
}

/** Returns whether systems can leave the stage before `end`; `hooks` are those of the whole. */
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

/** Returns the steps that a system may do with an engine, if there is a limit. */
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
