/**
 * The plan of a step: the kernels between its stages, and the whole step as one program.
 *
 * @module
 */

import { type Call, call, type Program } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { advance } from "../../kernels/integrate/advance.ts";
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
  /** Notes the energies as those of the step before, after the first forces. */
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
  /** Whether the model adds the results of a visit by kernels. */
  readonly isAdded: boolean;
  /** Whether hooks of stages hold atoms: a system that changes stage then changes the plan. */
  readonly holdsStages: boolean;
  /** Whether hooks of stages modify the results of the model: a system that changes stage has them modified anew. */
  readonly modifiesStages: boolean;
  /** Whether systems can converge. */
  readonly canConverge: boolean;
  /** Whether a visited step leaves energies (and stresses) up to date. */
  readonly givesEnergy: boolean;
  /** Whether a step by `whole` does. */
  readonly wholeGivesEnergy: boolean;
  /** All programs, to be freed. */
  readonly programs: readonly Program[];
}

const S = DynamicsStage;

/** Plans a step. */
export function planStep(parts: StepParts): StepPlan {
  const { state, integrator, constrained, model } = parts, programs: Program[] = [];
  const prepare = (calls: readonly Call[]) => {
    if (calls.length === 0) return undefined;
    const program = state.prepare(calls);
    programs.push(program);
    return program;
  };
  const hooks = new HookCalls(parts);
  const { convergence } = hooks;
  const { change, kept, lean, full, stress } = needsOf(parts, hooks);
  const evaluation = (
    wanted: Wanted,
  ) => [...pairsOf(state), ...clearing(state), ...(model.calls?.(wanted) ?? [])];
  const adding = (wanted: Wanted) => [...model.add?.(wanted) ?? [], ...constrained.forces];
  const aged = [...integrator.post, call(advance, {})];
  const visits = model.compute !== undefined || convergence.customs.length > 0;
  const sequence: readonly (readonly [Stop, readonly Call[], boolean])[] = [
    [S.BEFORE_STEP, [], true],
    [S.BEFORE_PRE_UPDATE, [], true],
    [S.AFTER_PRE_UPDATE, integrator.pre, true],
    [S.BEFORE_COMPUTE, [], true],
    ["model", evaluation(full), false],
    [S.AFTER_COMPUTE, adding(full), true],
    [S.BEFORE_POST_UPDATE, change, true],
    [S.AFTER_POST_UPDATE, aged, true],
    [S.AFTER_STEP, kept, true],
    ["criteria", convergence.tests, false],
  ];
  const work = (stage: DynamicsStage) => hooks.work(stage);
  return {
    parts: sequence.map(([stop, calls, isStage]) => ({
      stop,
      program: prepare(
        isStage
          ? [...calls, ...work(stop as DynamicsStage), ...hooks.reading(stop as DynamicsStage)]
          : calls,
      ),
    })),
    decide: prepare(convergence.decide),
    whole: visits ? undefined : prepare(wholeStep(work, {
      pre: integrator.pre,
      model: evaluation(lean),
      added: adding(lean),
      change,
      aged,
      kept: lean.energy ? kept : [],
      criteria: [...convergence.tests, ...convergence.decide],
    })),
    forces: prepare(evaluation({ energy: true, stress }))!,
    modify: prepare([
      ...adding({ energy: true, stress }),
      ...work(S.AFTER_COMPUTE),
      ...stressOf(parts, stress),
    ]),
    begin: prepare(change),
    settle: prepare(constrained.settle),
    end: prepare(hooks.reading()),
    measures: hooks.measures(prepare),
    ...atEvents(hooks, prepare),
    customs: convergence.customs,
    marks: convergence.marks,
    isAdded: (model.add?.(full) ?? []).length > 0,
    holdsStages: hooks.holdsStages,
    modifiesStages: parts.modifiesStages,
    canConverge: convergence.decide.length > 0,
    givesEnergy: full.energy,
    wholeGivesEnergy: lean.energy,
    programs,
  };
}

/** The calls of one step, by the stage after which they run. */
interface StepCalls {
  readonly pre: readonly Call[];
  readonly model: readonly Call[];
  readonly added: readonly Call[];
  readonly change: readonly Call[];
  readonly aged: readonly Call[];
  readonly kept: readonly Call[];
  readonly criteria: readonly Call[];
}

/** Returns a step as one sequence of calls, for steps in which no hook is due. */
function wholeStep(
  work: (stage: DynamicsStage) => readonly Call[],
  { pre, model, added, change, aged, kept, criteria }: StepCalls,
): Call[] {
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
    ...work(S.AFTER_STEP),
    ...kept,
    ...criteria,
  ];
}

/** Returns programs that take the measures that hooks read when systems have converged, or were admitted. */
function atEvents(
  hooks: HookCalls,
  prepare: (calls: readonly Call[]) => Program | undefined,
): Pick<StepPlan, "converged" | "admitted"> {
  return {
    converged: prepare(hooks.reading(S.ON_CONVERGE)),
    admitted: prepare(hooks.reading(S.ON_ADMIT)),
  };
}

/** The results that a step needs besides forces, and the calls that compute them. */
interface Needs {
  /** Needed in a step that is not visited. */
  readonly lean: Wanted;
  /** Needed in a visited step. */
  readonly full: Wanted;
  /** Whether each evaluation of forces gives stresses. */
  readonly stress: boolean;
  /** Compute the stresses, if the step has energies. */
  readonly kept: readonly Call[];
  /** Apply constraints to forces that hooks have modified, and measure the change of the energy. */
  readonly change: readonly Call[];
}

function needsOf(parts: StepParts, hooks: HookCalls): Needs {
  const { convergence: { keys, decide }, modifiesForces } = hooks;
  const all = parts.reads();
  const changes = all.has(CHANGE) || keys.has(CHANGE);
  // What hooks added to forces and energies in a visit cannot be repeated later, so energies must come with the forces.
  // And if convergence is reported late, the energies of the last step must exist by then.
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
export function pairsOf(state: ResidentBatch): Call[] {
  const args = {
    positions: state.field("positions"),
    cell: state.field("cell"),
    pbc: state.field<"i32">("pbc"),
    images: state.images,
  };
  return Array.from(state.allPairs, (pairs) => call(neighbors, { pairs, ...args }));
}

function clearing(state: ResidentBatch): Call[] {
  return [call(clear, { ...outputsOf(state) })];
}

function stressOf({ state, keepsMomentum }: StepParts, isWanted: boolean): readonly Call[] {
  return isWanted ? measureOf(state, "stress", keepsMomentum)!.calls : [];
}
