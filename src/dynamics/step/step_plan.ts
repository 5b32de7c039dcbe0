/**
 * The plan of a step: the kernels between its stages, and the whole step as one program.
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
import { CHANGE, CONSERVED, measureChange, measureOf } from "../engine/measures.ts";
import { DynamicsStage } from "../stages.ts";
import type { Custom, Mark, StepParts, Stop } from "./step_parts.ts";

/** The plan of a step. Its parts are always the same in number and order, so that a new plan can take over in mid-step. */
export interface StepPlan {
  /** The parts of the step: a program, and the visit after it. */
  readonly parts: readonly { readonly program: Program | undefined; readonly stop: Stop }[];
  /** Stops updating systems that have converged, at the end of a visited step. */
  readonly decide: Program | undefined;
  /** The whole step, for steps in which no hook is due; `undefined` if each step must be visited. */
  readonly whole: Program | undefined;
  /** Computes pairs, forces and energies out of turn; the model is visited after it. */
  readonly forces: Program;
  /** Runs after that visit: the kernels that the model adds, and those of hooks that modify the results. */
  readonly modify: Program | undefined;
  /** Brings the batch to its constraints before the first forces. */
  readonly settle: Program | undefined;
  /** Checks the first forces, and notes the energies as those of the step before. */
  readonly begin: Program | undefined;
  /** Takes all measures that hooks read, after the last step. */
  readonly end: Program | undefined;
  /** Measure → program that takes it again, after a visit that may have changed something. */
  readonly measures: ReadonlyMap<string, Program>;
  /** Runs before ON_CONVERGE. */
  readonly converged: Program | undefined;
  /** Runs before ON_ADMIT. */
  readonly admitted: Program | undefined;
  /** Custom criteria. */
  readonly customs: readonly Custom[];
  /** The masks of systems that have converged. */
  readonly marks: readonly Mark[];
  /** The statuses that say that a system has converged. */
  readonly targets: readonly number[];
  /** True if the model adds the results of a visit by kernels. */
  readonly isAdded: boolean;
  /** True if hooks of stages hold atoms: a system that changes stage then changes the plan. */
  readonly holdsStages: boolean;
  /**
   * True if hooks of stages modify the results of the model: they are applied again to a system that changes stage.
   */
  readonly modifiesStages: boolean;
  /** True if systems can converge. */
  readonly canConverge: boolean;
  /** True if a visited step leaves energies (and stresses) up to date. */
  readonly givesEnergy: boolean;
  /** True if a step by `whole` leaves energies up to date. */
  readonly wholeGivesEnergy: boolean;
  /** All programs that must be freed. */
  readonly programs: readonly Program[];
}

const S = DynamicsStage;

/** Makes a program of calls; `undefined` without calls. */
type Prepare = (calls: readonly KernelCall[]) => Program | undefined;

/** Plans a step. */
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
    programs,
  };
}

/** Returns the programs of a step: its parts one by one, and the whole step. */
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

/** Returns the programs of an evaluation out of turn. */
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
      // Changes that hooks make on a visit are checked after it.
      ...parts.writes().has("forces") ? [] : checkForces(parts, all),
    ]),
    begin: prepare([...change, ...checkForces(parts, all)]),
    settle: prepare(parts.constrained.settle),
  };
}

/** Returns the programs that take the measures that hooks read after the last step, on visits and at events. */
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

/** Returns the calls that compute pairs, and the results of the model. */
function evaluation({ state, model }: StepParts, wanted: Wanted): KernelCall[] {
  return [...pairsOf(state), ...clearing(state), ...(model.calls?.(wanted) ?? [])];
}

/** Returns the calls that add the outputs of a visit to the model, and apply constraints to the forces. */
function adding({ model, constrained }: StepParts, wanted: Wanted): KernelCall[] {
  return [...model.add?.(wanted) ?? [], ...constrained.forces];
}

/** The calls of one step, by the stage after which they run. */
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

/** The results that a step needs besides forces, and the calls that compute them. */
interface Needs {
  /** Needed in a step that is not visited. */
  readonly lean: Wanted;
  /** Needed in a visited step. */
  readonly full: Wanted;
  /** True if each evaluation of forces gives stresses. */
  readonly stress: boolean;
  /** Compute the stresses, if the step has energies. */
  readonly kept: readonly KernelCall[];
  /** Apply constraints to forces that hooks have modified, and measure the change of the energy. */
  readonly change: readonly KernelCall[];
}

function needsOf(parts: StepParts, hooks: HookCalls): Needs {
  const { convergence: { keys, decide }, modifiesForces } = hooks;
  const all = parts.reads();
  const changes = all.has(CHANGE) || keys.has(CHANGE);
  // Contributions of hooks to forces and energies in a visit cannot be repeated later, so energies must come with the
  // forces. And if convergence is reported late, the energies of the last step must exist by then.
  const written = parts.writes();
  const always = changes || parts.needsEnergy || keys.has("energy") || written.has("energy") ||
    written.has("forces") || parts.modifiesStages || (parts.isLate && decide.length > 0);
  // A visited model computes all its outputs anyway: asking for energies later would compute all of them again.
  const reads = all.has("energy") || all.has(CONSERVED);
  const looks = always || reads || parts.model.compute !== undefined;
  const judged = keys.has("stress") || parts.needsStress;
  const stress = parts.wantsStress || all.has("stress") || judged;
  return {
    lean: { energy: always, stress: judged || (always && stress) },
    full: { energy: looks, stress },
    stress,
    // Energies come with stresses if the batch has a field for them.
    kept: looks ? stressOf(parts, stress) : [],
    change: [
      ...modifiesForces ? parts.constrained.forces : [],
      ...changes ? measureChange(parts.state).calls : [],
    ],
  };
}

/** Returns the calls that bring all pairs up to date. */
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
 * Returns the check of a step between forces and the second half of the integrator: hooks have modified the forces by
 * then, and nothing has moved by them. Lists of pairs check positions and cells, so these are checked only without them.
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

/** Returns the check of the velocities at the end of a step; no calls if the integrator does not change them. */
function checkVelocities({ state, integrator: { pre, post } }: StepParts): KernelCall[] {
  if (![...pre, ...post].some(({ args }) => "velocities" in args)) return [];
  return [call(checkFinite, { velocities: state.field("velocities") })];
}

/** Returns the checks of steps that are not visited: a kick by finite forces leaves velocities finite. */
function checkUnvisited(parts: StepParts): KernelCall[] {
  const { integrator: { post } } = parts;
  const isKick = post.length === 1 && (post[0]!.kernel as Kernel) === (kick as unknown as Kernel);
  return isKick ? [] : checkVelocities(parts);
}

/** Returns whether hooks replace energies, or forces that may not be finite: the energy then says nothing about them. */
function limitsForces({ devices, writes }: StepParts): boolean {
  const isForces = (key: unknown) => fieldName(key as string) === "forces";
  return writes().has("forces") || writes().has("energy") ||
    devices().some((hook) => hook.holds === undefined && hook.writes.some(isForces));
}
