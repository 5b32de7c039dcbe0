/**
 * A step as an engine does it: kernels between stages, and all of it as one program where nobody looks.
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

/** A step, planned. Its parts are always the same in number and order, so that a new plan can take over in mid-step. */
export interface StepPlan {
  /** The step: what to run, and what is then to be visited. */
  readonly parts: readonly { readonly program: Program | undefined; readonly stop: Stop }[];
  /** What makes converged systems rest, at the end of a step that was visited. */
  readonly decide: Program | undefined;
  /** A step that nobody looks at; `undefined` where each must be visited. */
  readonly whole: Program | undefined;
  /** Pairs, forces and energies of the systems as they are, out of turn; the model is visited after it. */
  readonly forces: Program;
  /** What comes after that visit: what the model adds, and what hooks do to all of it. */
  readonly modify: Program | undefined;
  /** What brings the batch to its constraints before the first forces. */
  readonly settle: Program | undefined;
  /** What makes the energies those of the step before, after the first forces. */
  readonly begin: Program | undefined;
  /** What brings all that hooks look at up to date, after the last step. */
  readonly end: Program | undefined;
  /** Measure → what takes it again, after a visit that may have changed something. */
  readonly measures: ReadonlyMap<string, Program>;
  /** What is to be run before ON_CONVERGE. */
  readonly converged: Program | undefined;
  /** What is to be run before ON_ADMIT. */
  readonly admitted: Program | undefined;
  /** Criteria of one's own. */
  readonly customs: readonly Custom[];
  /** Where it is noted which systems have converged. */
  readonly marks: readonly Mark[];
  /** Whether the model adds by kernels what a visit has given. */
  readonly isAdded: boolean;
  /** Whether hooks of stages hold atoms: a system that changes stage then changes the plan. */
  readonly holdsStages: boolean;
  /** Whether hooks of stages modify the results of the model: a system that changes stage has them modified anew. */
  readonly modifiesStages: boolean;
  /** Whether systems can converge. */
  readonly canConverge: boolean;
  /** Whether a visited step leaves energies (and stresses) up to date. */
  readonly givesEnergy: boolean;
  /** Whether one of `whole` does. */
  readonly wholeGivesEnergy: boolean;
  /** All programs, to be given back. */
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

/** What brings all that hooks look at up to date when systems have converged, or joined. */
function atEvents(
  hooks: HookCalls,
  prepare: (calls: readonly Call[]) => Program | undefined,
): Pick<StepPlan, "converged" | "admitted"> {
  return {
    converged: prepare(hooks.reading(S.ON_CONVERGE)),
    admitted: prepare(hooks.reading(S.ON_ADMIT)),
  };
}

/** What must be up to date in a step besides forces, and what it takes. */
interface Needs {
  /** In a step that nobody looks at. */
  readonly lean: Wanted;
  /** In one that is visited. */
  readonly full: Wanted;
  /** Whether stresses are wanted whenever forces are evaluated. */
  readonly stress: boolean;
  /** What makes the stresses those of the step, wherever the energies are. */
  readonly kept: readonly Call[];
  /** What keeps to constraints what hooks have done to forces, and what measures the change of the energy. */
  readonly change: readonly Call[];
}

function needsOf(parts: StepParts, hooks: HookCalls): Needs {
  const { convergence: { keys, decide }, modifiesForces } = hooks;
  const all = parts.reads();
  const changes = all.has(CHANGE) || keys.has(CHANGE);
  // What a visit added to forces and energies cannot be found again later: energies must come with the forces. And
  // where it is learned later that systems rest, those of their last step must be there by then.
  const written = parts.writes();
  const always = changes || parts.needsEnergy || keys.has("energy") || written.has("energy") ||
    written.has("forces") || parts.modifiesStages || (parts.isLate && decide.length > 0);
  // What is visited computes all it gives anyway: to ask for energies later would be to compute all of it again.
  const reads = all.has("energy") || all.has(CONSERVED);
  const looks = always || reads || parts.model.compute !== undefined;
  const judged = keys.has("stress") || parts.needsStress;
  const stress = parts.wantsStress || all.has("stress") || judged;
  return {
    lean: { energy: always, stress: judged || (always && stress) },
    full: { energy: looks, stress },
    stress,
    // Whoever has the energies has the stresses, too, if the batch keeps some, or does from now on.
    kept: looks ? stressOf(parts, stress) : [],
    change: [
      ...modifiesForces ? parts.constrained.forces : [],
      ...changes ? measureChange(parts.state).calls : [],
    ],
  };
}

/** What brings all pairs up to date. */
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
