/**
 * The plan of a step: kernels between its stages, and the whole step as one program. A step is visited if it returns
 * to JavaScript between its kernels.
 *
 * @module
 */

import { call, type KernelCall, type Program } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { advance } from "../../kernels/integrate/advance.ts";
import { kick } from "../../kernels/integrate/kick.ts";
import type { Kernel } from "../../kernels/kernel.ts";
import { checkFinite } from "../../kernels/check_finite.ts";
import { clear } from "../../kernels/clear.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import { outputsOf, type Wanted } from "../../models/model.ts";
import { HookCalls } from "./hook_calls.ts";
import { CHANGE, measureChange, measureOf } from "../engine/measures.ts";
import { DynamicsStage } from "../stages.ts";
import { readsEnergy } from "./early_reads.ts";
import type { Custom, Mark, StepParts, Stop } from "./step_parts.ts";

/**
 * The plan of a step. The parts of all plans have the same number and order, so that a new plan can replace another
 * in the middle of a step.
 */
export interface StepPlan {
  /** Parts of the step: a program, and the point at which JavaScript runs after it. */
  readonly parts: readonly { readonly program: Program | undefined; readonly stop: Stop }[];
  /** Stops updating converged systems at the end of a visited step. */
  readonly decide: Program | undefined;
  /** The whole step as one program, for steps in which no hook is due; `undefined` if each step must be visited. */
  readonly whole: Program | undefined;
  /** Computes pairs, forces and energies outside of a step. The `compute` function of the model runs after it. */
  readonly forces: Program;
  /**
   * Runs after `forces` and `compute`: kernels that add the results of the model, and kernels of hooks that modify
   * them.
   */
  readonly modify: Program | undefined;
  /** Applies the constraints to the batch before the first forces. */
  readonly settle: Program | undefined;
  /** Checks the first forces, and records the energies from which the energy change of the first step is measured. */
  readonly begin: Program | undefined;
  /** Computes all measures that hooks read after the last step. */
  readonly end: Program | undefined;
  /** Programs that recompute the measures after hooks may have changed fields, by the name of the measure. */
  readonly measures: ReadonlyMap<string, Program>;
  /** Computes the measures that hooks read at ON_CONVERGE. */
  readonly converged: Program | undefined;
  /** Computes the measures that hooks read at ON_ADMIT. */
  readonly admitted: Program | undefined;
  /** Custom convergence criteria. */
  readonly customs: readonly Custom[];
  /** Masks of the systems that have converged or done all steps of a stage. */
  readonly marks: readonly Mark[];
  /** Values of the status that mark a system as converged. */
  readonly targets: readonly number[];
  /** True if the model keeps the results of `compute` in its own buffers, from which kernels add them. */
  readonly isAdded: boolean;
  /** True if hooks of single stages hold atoms, so that the plan depends on the stages of the systems. */
  readonly holdsStages: boolean;
  /**
   * True if hooks of single stages modify the results of the model. The hooks of a new stage must then be applied
   * when a system changes stage.
   */
  readonly modifiesStages: boolean;
  /** True if systems can converge. */
  readonly canConverge: boolean;
  /** True if a visited step computes energies (and stresses). */
  readonly givesEnergy: boolean;
  /** True if the program `whole` computes energies. */
  readonly wholeGivesEnergy: boolean;
  /** True if hooks before the model read energies or stresses, which are those of the step before. */
  readonly readsEarly: boolean;
  /** All programs that must be freed. */
  readonly programs: readonly Program[];
}

const S = DynamicsStage;

/** Creates a program from kernel calls. Returns `undefined` if there are no calls. */
type Prepare = (calls: readonly KernelCall[]) => Program | undefined;

/** Creates the plan of a step. Its `programs` must be freed when the plan is discarded. */
export function planStep(parts: StepParts): StepPlan {
  const programs: Program[] = [];
  const prepare = (calls: readonly KernelCall[]) => {
    if (calls.length === 0) return undefined;
    const program = parts.state.prepare(calls);
    programs.push(program);
    return program;
  };
  const hooks = new HookCalls(parts);
  const { customs, marks, targets, decide } = hooks.convergence;
  const needs = needsOf(parts, hooks);
  return {
    ...stepPrograms(parts, hooks, needs, prepare),
    ...evaluationPrograms(parts, hooks, needs, prepare),
    ...readPrograms(hooks, prepare),
    customs,
    marks,
    targets,
    isAdded: (parts.model.add?.(needs.full) ?? []).length > 0,
    holdsStages: hooks.holdsStages,
    modifiesStages: parts.modifiesStages,
    canConverge: decide.length > 0,
    givesEnergy: needs.full.energy,
    wholeGivesEnergy: needs.lean.energy,
    readsEarly: parts.readsEarly,
    programs,
  };
}

/** Creates the programs of the parts of a step, and of the whole step. */
function stepPrograms(
  parts: StepParts,
  hooks: HookCalls,
  { change, kept, lean, full }: Needs,
  prepare: Prepare,
): Pick<StepPlan, "parts" | "decide" | "whole"> {
  const { integrator, model } = parts, { convergence } = hooks;
  const { pre } = integrator, aged = [...integrator.post, call(advance, {})];
  const work = (stage: DynamicsStage) => hooks.work(stage);
  const atStage = (stop: DynamicsStage, calls: readonly KernelCall[] = []) => {
    return { stop, program: prepare([...calls, ...work(stop), ...hooks.reading(stop)]) };
  };
  const visited = model.compute !== undefined || convergence.customs.length > 0;
  return {
    parts: [
      atStage(S.BEFORE_STEP),
      atStage(S.BEFORE_PRE_UPDATE),
      atStage(S.AFTER_PRE_UPDATE, pre),
      atStage(S.BEFORE_COMPUTE),
      { stop: "model", program: prepare(evaluation(parts, full)) },
      atStage(S.AFTER_COMPUTE, adding(parts, full)),
      atStage(S.BEFORE_POST_UPDATE, [...change, ...checkForces(parts, full)]),
      atStage(S.AFTER_POST_UPDATE, [...aged, ...checkVelocities(parts)]),
      atStage(S.AFTER_STEP, kept),
      { stop: "criteria", program: prepare(convergence.tests) },
    ],
    decide: prepare(convergence.decide),
    whole: visited ? undefined : prepare(wholeStep(work, {
      pre,
      model: evaluation(parts, lean),
      added: adding(parts, lean),
      change: [...change, ...checkForces(parts, lean)],
      aged: [...aged, ...checkUnvisited(parts)],
      kept: lean.energy ? kept : [],
      criteria: [...convergence.tests, ...convergence.decide],
    })),
  };
}

/** Creates the programs of an evaluation outside of a step. */
function evaluationPrograms(
  parts: StepParts,
  hooks: HookCalls,
  { change, stress }: Needs,
  prepare: Prepare,
): Pick<StepPlan, "forces" | "modify" | "begin" | "settle"> {
  const all = { energy: true, stress };
  return {
    forces: prepare(evaluation(parts, all))!,
    modify: prepare([
      ...adding(parts, all),
      ...hooks.work(S.AFTER_COMPUTE),
      ...stressOf(parts, stress),
      // If hooks change forces in JavaScript, `begin` checks the forces after that.
      ...parts.writes().has("forces") ? [] : checkForces(parts, all),
    ]),
    begin: prepare([...change, ...checkForces(parts, all)]),
    settle: prepare(parts.constrained.settle),
  };
}

/**
 * Creates the programs that compute the measures which hooks read: after the last step, after changes, and at events.
 */
function readPrograms(
  hooks: HookCalls,
  prepare: Prepare,
): Pick<StepPlan, "end" | "measures" | "converged" | "admitted"> {
  return {
    end: prepare(hooks.reading()),
    measures: hooks.measures(prepare),
    converged: prepare(hooks.reading(S.ON_CONVERGE)),
    admitted: prepare(hooks.reading(S.ON_ADMIT)),
  };
}

/** Returns the calls that update pairs and compute the results of the model. */
function evaluation({ state, model }: StepParts, wanted: Wanted): KernelCall[] {
  return [...pairsOf(state), ...clearing(state), ...(model.calls?.(wanted) ?? [])];
}

/**
 * Returns the calls that add results which `compute` has left in buffers of the model, and apply constraints to
 * forces.
 */
function adding({ model, constrained }: StepParts, wanted: Wanted): KernelCall[] {
  return [...model.add?.(wanted) ?? [], ...constrained.forces];
}

/** The calls of one step, by the stages between which they run. */
interface StepCalls {
  readonly pre: readonly KernelCall[];
  readonly model: readonly KernelCall[];
  readonly added: readonly KernelCall[];
  readonly change: readonly KernelCall[];
  readonly aged: readonly KernelCall[];
  readonly kept: readonly KernelCall[];
  readonly criteria: readonly KernelCall[];
}

/** Returns a step as one sequence of calls, for steps in which no hook is due. */
function wholeStep(
  work: (stage: DynamicsStage) => readonly KernelCall[],
  { pre, model, added, change, aged, kept, criteria }: StepCalls,
): KernelCall[] {
  return [
    ...work(S.BEFORE_STEP),
    ...work(S.BEFORE_PRE_UPDATE),
    ...pre,
    ...work(S.AFTER_PRE_UPDATE),
    ...work(S.BEFORE_COMPUTE),
    ...model,
    ...added,
    ...work(S.AFTER_COMPUTE),
    ...change,
    ...work(S.BEFORE_POST_UPDATE),
    ...aged,
    ...work(S.AFTER_POST_UPDATE),
    ...kept,
    ...work(S.AFTER_STEP),
    ...criteria,
  ];
}

/** Results that a step computes besides forces, and calls that compute them. */
interface Needs {
  /** Results that a step computes if it is not visited. */
  readonly lean: Wanted;
  /** Results that a visited step computes. */
  readonly full: Wanted;
  /** True if stresses are computed in each evaluation outside of a step. */
  readonly stress: boolean;
  /** Calls that compute the field `stress` in steps with energies. */
  readonly kept: readonly KernelCall[];
  /** Calls that apply constraints to forces which hooks have modified, and measure the energy change. */
  readonly change: readonly KernelCall[];
}

function needsOf(parts: StepParts, hooks: HookCalls): Needs {
  const { convergence: { keys, decide }, modifiesForces } = hooks;
  const all = parts.reads();
  const changes = all.has(CHANGE) || keys.has(CHANGE);
  // Changes by hooks in JavaScript cannot be repeated later, so energies must be computed with the forces. If
  // convergence is reported late, the energies of the last step must exist by then.
  const written = parts.writes();
  const always = changes || parts.needsEnergy || keys.has("energy") || written.has("energy") ||
    written.has("forces") || parts.modifiesStages || parts.needsEarly ||
    (parts.isLate && decide.length > 0);
  // A `compute` function computes all outputs anyway. Requesting energies later would compute everything again.
  const looks = always || readsEnergy(all) || parts.model.compute !== undefined;
  const judged = keys.has("stress") || parts.needsStress;
  const stress = parts.wantsStress || all.has("stress") || judged;
  return {
    lean: { energy: always, stress: judged || (always && stress) },
    full: { energy: looks, stress },
    stress,
    // Stresses are computed together with energies if the batch has a field for them.
    kept: looks ? stressOf(parts, stress) : [],
    change: [
      ...modifiesForces ? parts.constrained.forces : [],
      ...changes ? measureChange(parts.state).calls : [],
    ],
  };
}

/** Returns the calls that update all pair lists. */
export function pairsOf(state: ResidentBatch): KernelCall[] {
  const args = {
    positions: state.field("positions"),
    cell: state.field("cell"),
    pbc: state.field<"i32">("pbc"),
    images: state.images,
  };
  return Array.from(state.allPairs, (pairs) => call(neighbors, { pairs, ...args }));
}

function clearing(state: ResidentBatch): KernelCall[] {
  return [call(clear, { ...outputsOf(state) })];
}

function stressOf({ state, keepsMomentum }: StepParts, isWanted: boolean): readonly KernelCall[] {
  return isWanted ? measureOf(state, "stress", keepsMomentum)!.calls : [];
}

/**
 * Returns the kernel call that checks the forces before the second half of the integrator. At this point hooks have
 * modified the forces, but nothing has moved by them. Pair lists check positions and cells, so this call checks them
 * only if there is no pair list.
 */
function checkForces(parts: StepParts, { energy }: Wanted): KernelCall[] {
  const { state } = parts, outputs = outputsOf(state);
  const isFound = !state.allPairs[Symbol.iterator]().next().done;
  return [call(checkFinite, {
    ...!isFound && { positions: state.field("positions"), cell: state.field("cell") },
    forces: outputs.forces,
    ...energy && !limitsForces(parts) && { energy: outputs.energy },
  })];
}

/**
 * Returns the kernel call that checks the velocities at the end of a step. Returns an empty list if the integrator
 * has no velocities.
 */
function checkVelocities({ state, integrator: { pre, post } }: StepParts): KernelCall[] {
  if (![...pre, ...post].some(({ args }) => "velocities" in args)) return [];
  return [call(checkFinite, { velocities: state.field("velocities") })];
}

/**
 * Returns the kernel call that checks the velocities in steps that are not visited. Returns an empty list if the step
 * ends with a kick, because checked forces keep velocities finite.
 */
function checkUnvisited(parts: StepParts): KernelCall[] {
  const { integrator: { post } } = parts;
  const isKick = post.length === 1 && (post[0]!.kernel as Kernel) === (kick as unknown as Kernel);
  return isKick ? [] : checkVelocities(parts);
}

/**
 * Returns whether hooks write energies, or replace forces that may be infinite. The energy may then be invalid
 * although the forces are valid.
 */
function limitsForces({ devices, writes }: StepParts): boolean {
  const isForces = (key: unknown) => fieldName(key as string) === "forces";
  return writes().has("forces") || writes().has("energy") ||
    devices().some((hook) => hook.holds === undefined && hook.writes.some(isForces));
}
