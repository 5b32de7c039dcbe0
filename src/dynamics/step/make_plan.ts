/**
 * Planning of a step for the current hooks of an engine.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import { needsEarly, readsEarly } from "./early_reads.ts";
import { assertConserves, assertGiven, assertGivesNeeded } from "./run_checks.ts";
import type { RunParts } from "./run_engine.ts";
import type { WithKernels } from "./step_parts.ts";
import { planStep, type StepPlan } from "./step_plan.ts";

/** Names of the results of a model that hooks may modify. */
const MODIFIED: ReadonlySet<string> = new Set(["forces", "energy", "stress"]);

/**
 * Creates the plan of a step for the current hooks. Throws a TypeError if integrator, model and hooks do not fit
 * together.
 */
export function makePlan(run: Omit<RunParts, "phase" | "plan">): StepPlan {
  const { state, engine: { name, integrator, model, loop, loop: { hooks } } } = run;
  assertGiven(name, model, hooks.reads());
  assertGivesNeeded(name, integrator, model);
  assertConserves(name, integrator, hooks.reads());
  return planStep({
    state,
    integrator: run.integrator,
    constrained: run.constrained,
    model: run.model,
    isLate: run.isLate,
    keepsMomentum: integrator.keepsMomentum === true,
    needsStress: integrator.needsStress === true,
    needsEnergy: integrator.needsEnergy === true,
    wantsStress: state.batch.has("stress") && model.gives.includes("stress"),
    work: (stage) => hooks.work(stage),
    devices: () => hooks.devices() as unknown as WithKernels[],
    partOf: (hook) => hooks.partOf(hook),
    modifiesStages: modifiesStages(loop),
    reads: (stage) => hooks.reads(stage),
    readsEarly: readsEarly(hooks, { from: 0, to: Infinity }),
    needsEarly: needsEarly(hooks, run.isLate),
    writes: () => hooks.writes(),
  });
}

/**
 * Returns whether hooks of single stages modify the results of the model, which then depend on the stage of a system.
 */
export function modifiesStages({ hooks }: Loop<DynamicsKind>): boolean {
  return hooks.enabled().some((hook) => {
    const { writes = [] } = hook as { readonly writes?: readonly unknown[] };
    return hooks.partOf(hook) !== undefined &&
      writes.some((key) => MODIFIED.has(fieldName(key as string)!));
  });
}

/**
 * Returns the names of the hooks that modify the results of the model. If they differ from those of the last run, a
 * run begins with an evaluation.
 */
export function forceHooksOf({ hooks }: Loop<DynamicsKind>): string {
  return hooks.list()
    .filter(({ enabled, writes }) => enabled && writes.some((field) => MODIFIED.has(field)))
    .map(({ name }) => name).join();
}
