/**
 * The ways in which systems of a stream finish.
 *
 * @module
 */

import { isConvergenceHook } from "../convergence/known_hooks.ts";
import type { DynamicsEngine } from "../engine/dynamics_engine.ts";
import { type EngineParts, partsOf } from "../engine/engine_parts.ts";
import { decidersOf } from "../step/deciders.ts";
import { DynamicsStage } from "../stages.ts";

/**
 * Returns the end of an error message that says why systems would never finish, and what to add; `undefined` if an
 * enabled hook or a number of steps ends them. Of the hooks, only a `ConvergenceHook` counts, because no other hook
 * declares when it ends a system.
 */
export function missingExit({ workflow, integrator, loop }: DynamicsEngine): string | undefined {
  if (integrator.stages === undefined) {
    if (loop.hooks.enabled().some(isConvergenceHook)) return undefined;
    return "systems would never finish. Add a ConvergenceHook, or pass maxSteps";
  }
  const stages = partsOf(workflow)?.engines ?? [];
  if (stages.length === 0) return undefined; // a custom integrator with stages ends systems in its own way
  const { length: count } = integrator.stages;
  const ends = decidersOf(loop.registry.work(DynamicsStage.AFTER_STEP), count)
    .some(({ ways }) => ways!.stops && (ways!.from ?? count - 1) === count - 1);
  if (ends || hasLimit(stages)) return undefined;
  const { name } = innermost(stages) as { readonly name: string };
  return `systems would never leave the last stage, ${name}. Give ${name} nSteps or a ConvergenceHook, or pass maxSteps`;
}

/** Returns whether the last of these stages, or a group of stages at whose end it is, has a limit of steps. */
function hasLimit(stages: readonly object[]): boolean {
  const last = stages.at(-1);
  if (last === undefined) return false;
  const { options, engines }: EngineParts = partsOf(last)!;
  return (options.nSteps ?? Infinity) < Infinity || hasLimit(engines);
}

/** Returns the engine of the last stage. */
function innermost(stages: readonly object[]): object {
  const last = stages.at(-1)!, { engines } = partsOf(last)!;
  return engines.length === 0 ? last : innermost(engines);
}
