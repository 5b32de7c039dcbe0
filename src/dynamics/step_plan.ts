/**
 * A step as an engine does it: kernels between stages, and all of it as one program where nobody looks.
 *
 * @module
 */

import { type Buffer, type Call, call, type Program } from "../backend/backend.ts";
import type { ResidentBatch } from "../batch/resident.ts";
import { fieldName } from "../hooks/protocol.ts";
import type { StageWork } from "../hooks/device_work.ts";
import { advance } from "../kernels/advance.ts";
import { clear } from "../kernels/clear.ts";
import { neighbours } from "../kernels/neighbours.ts";
import { type OpenModel, outputsOf, type Wanted } from "../models/model.ts";
import type { Constrained } from "./constrained.ts";
import type { KernelDevice } from "./context.ts";
import { ConvergenceHook, type ConvergenceParts, type CustomCriterion } from "./convergence.ts";
import type { OpenIntegrator } from "./integrator.ts";
import { decidersOf } from "./deciders.ts";
import type { OpenStages, StageRange } from "./open_stages.ts";
import { keySource } from "./key_source.ts";
import { CHANGE, CONSERVED, countFreedom, measureChange, measureOf } from "./measures.ts";
import { DynamicsStage } from "./stages.ts";

/** What a step is made of. */
export interface StepParts {
  /** The batch. */
  readonly state: ResidentBatch;
  /** What moves the atoms. */
  readonly integrator: OpenIntegrator;
  /** What stays as it is. */
  readonly constrained: Constrained;
  /** What the forces come from. */
  readonly model: OpenModel;
  /** Whether the integrator leaves the total momentum as it is. */
  readonly keepsMomentum: boolean;
  /** Whether it is learned only later which systems have converged: their energies must be there by then. */
  readonly isLate: boolean;
  /** Whether stresses are wanted at each step. */
  readonly wantsStress: boolean;
  /** Whether the integrator looks at virials. */
  readonly needsStress: boolean;
  /** Whether it looks at energies. */
  readonly needsEnergy: boolean;
  /** What hooks have the engine do at a stage. */
  work(stage: DynamicsStage): readonly StageWork[];
  /** The hooks that give kernels, visited or not. */
  devices(): readonly WithKernels[];
  /** The stages that a hook is for, where those are not all. */
  partOf(hook: object): unknown;
  /** Whether hooks of stages change what the model gives. */
  readonly amendsParts: boolean;
  /** The fields that hooks look at, at a stage; at any, without one. */
  reads(stage?: DynamicsStage): ReadonlySet<string>;
  /** The fields that hooks change on a visit. */
  writes(): ReadonlySet<string>;
}

/** What follows a part of a step: a stage, or a visit to the model or to criteria of one's own. */
export type Stop = DynamicsStage | "model" | "criteria";

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
  readonly amend: Program | undefined;
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
  /** Whether hooks of stages hold atoms: who comes or goes changes the plan. */
  readonly holdsParts: boolean;
  /** Whether hooks of stages change what the model gives: who comes has it changed as in the new stage. */
  readonly amendsParts: boolean;
  /** Whether systems can converge. */
  readonly canConverge: boolean;
  /** Whether a visited step leaves energies (and stresses) up to date. */
  readonly givesEnergy: boolean;
  /** Whether one of `whole` does. */
  readonly wholeGivesEnergy: boolean;
  /** All programs, to be given back. */
  readonly programs: readonly Program[];
}

/** Where it is noted which systems have converged in a step, by one of the hooks that decide. */
export interface Mark {
  /** 1 for each. */
  readonly converged: Buffer<"i32">;
  /** Asked when step % every === phase. */
  readonly every: number;
  /** The remainder. */
  readonly phase: number;
  /** Whether it is by its steps that a system leaves a stage: it has not converged. */
  readonly isSpent?: boolean;
}

/** A criterion of one's own: a function to be called on the host. */
export interface Custom extends CustomCriterion {
  /** Where it says no. */
  readonly met: Buffer<"i32">;
  /** Asked when step % every === phase. */
  readonly every: number;
  /** The remainder. */
  readonly phase: number;
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
    whole: visits ? undefined : prepare([
      ...[...work(S.BEFORE_STEP), ...work(S.BEFORE_PRE_UPDATE)],
      ...[...integrator.pre, ...work(S.AFTER_PRE_UPDATE)],
      ...[
        ...work(S.BEFORE_COMPUTE),
        ...evaluation(lean),
        ...adding(lean),
        ...work(S.AFTER_COMPUTE),
      ],
      ...[...change, ...work(S.BEFORE_POST_UPDATE)],
      ...[...aged, ...work(S.AFTER_POST_UPDATE), ...work(S.AFTER_STEP)],
      ...(lean.energy ? kept : []),
      ...[...convergence.tests, ...convergence.decide],
    ]),
    forces: prepare(evaluation({ energy: true, stress }))!,
    amend: prepare([
      ...adding({ energy: true, stress }),
      ...work(S.AFTER_COMPUTE),
      ...stressOf(parts, stress),
    ]),
    begin: prepare(change),
    settle: prepare(constrained.settle),
    end: prepare(hooks.reading()),
    measures: hooks.measures(prepare),
    ...atEvents(hooks, prepare),
    ...{ customs: convergence.customs, marks: convergence.marks },
    isAdded: (model.add?.(full) ?? []).length > 0,
    holdsParts: hooks.holdsParts,
    amendsParts: parts.amendsParts,
    canConverge: convergence.decide.length > 0,
    givesEnergy: full.energy,
    wholeGivesEnergy: lean.energy,
    programs,
  };
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
  const { convergence: { keys, decide }, isAmending } = hooks;
  const all = parts.reads();
  const changes = all.has(CHANGE) || keys.has(CHANGE);
  // What a visit added to forces and energies cannot be found again later: energies must come with the forces. And
  // where it is learned later that systems rest, those of their last step must be there by then.
  const written = parts.writes();
  const always = changes || parts.needsEnergy || keys.has("energy") || written.has("energy") ||
    written.has("forces") || parts.amendsParts || (parts.isLate && decide.length > 0);
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
      ...isAmending ? parts.constrained.forces : [],
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
  return Array.from(state.allPairs, (pairs) => call(neighbours, { pairs, ...args }));
}

function clearing(state: ResidentBatch): Call[] {
  return [call(clear, { ...outputsOf(state) })];
}

function stressOf({ state, keepsMomentum }: StepParts, isWanted: boolean): readonly Call[] {
  return isWanted ? measureOf(state, "stress", keepsMomentum)!.calls : [];
}

/** What hooks add to a step. */
class HookCalls {
  readonly convergence: {
    readonly tests: Call[];
    readonly decide: Call[];
    readonly customs: Custom[];
    readonly marks: Mark[];
    readonly keys: ReadonlySet<string>;
  };
  readonly #parts: StepParts;
  readonly #work: ReadonlyMap<DynamicsStage, readonly StageWork[]>;
  readonly #calls: ReadonlyMap<DynamicsStage, readonly Call[]>;

  constructor(parts: StepParts) {
    this.#parts = parts;
    prepareState(parts);
    countFreedom(parts.state);
    this.#work = new Map(
      (Object.values(S).filter((stage) => typeof stage === "string") as DynamicsStage[])
        .filter((stage) => stage.includes("/"))
        .map((stage) => [stage, parts.work(stage)]),
    );
    // Now and once: what they ask of the state, pairs and image counters among it, is there for all that follows.
    this.#calls = new Map([...this.#work.keys()].map((stage) => [stage, this.#ask(stage)]));
    const { state, keepsMomentum, integrator: { stages } } = parts;
    const deciders = decidersOf([...this.#work.values()].flat(), stages?.count);
    const found = deciders.map(({ hook, frequency, phase, ways }, id) => {
      const source = (key: string) => keySource(state, key, keepsMomentum);
      const opened: ConvergenceParts = hook.parts({ state, source, id, ...ways });
      return { opened, times: { every: frequency, phase }, hook };
    });
    const spent = stages?.spent ?? [];
    this.convergence = {
      tests: found.flatMap(({ opened, times }) => timed(opened.tests, times)),
      // Who has spent the steps of a stage in this step comes last: nobody leaves two stages in one step.
      decide: [
        ...found.flatMap(({ opened, times }) => timed(opened.decide, times)),
        ...stages?.budgets ?? [],
      ],
      customs: found.flatMap(({ opened: { customs, met }, times }) =>
        customs.map((custom) => ({ ...custom, met, ...times }))
      ),
      marks: [
        ...found.map(({ opened: { converged }, times }) => ({ converged, ...times })),
        ...spent.map((converged) => ({ converged, every: 1, phase: 0, isSpent: true })),
      ],
      keys: new Set(found.flatMap(({ hook }) => hook.criteria.map(({ key }) => key))),
    };
  }

  /** Whether hooks change forces after the model. */
  get isAmending(): boolean {
    const { devices, writes } = this.#parts;
    const isForces = (key: unknown) => fieldName(key as string) === "forces";
    return writes().has("forces") || devices().some((hook) => hook.writes.some(isForces));
  }

  /** The kernels of hooks at a stage. */
  work(stage: DynamicsStage): readonly Call[] {
    return this.#calls.get(stage)!;
  }

  /** What decides on convergence comes after everything else. */
  #ask(stage: DynamicsStage): readonly Call[] {
    const device: KernelDevice = { state: this.#parts.state };
    return this.#work.get(stage)!.filter(({ hook }) => !(hook instanceof ConvergenceHook))
      .flatMap(({ hook, frequency, phase, part }) => {
        const calls = (hook as WithKernels).kernels(device, stage);
        return timed(withinPart(this.#parts.integrator.stages, part, calls), {
          every: frequency,
          phase,
        });
      });
  }

  /** Do hooks of stages hold atoms? */
  get holdsParts(): boolean {
    const { devices, partOf } = this.#parts;
    return devices().some((hook) => hook.holds !== undefined && partOf(hook) !== undefined);
  }

  /** The measures that hooks look at, each by itself; none where no visit changes anything. */
  measures(prepare: (calls: readonly Call[]) => Program | undefined): Map<string, Program> {
    const { state, keepsMomentum } = this.#parts;
    const fields = this.#parts.writes().size === 0 ? [] : [...this.#parts.reads()];
    const measures = fields.map((field) => {
      const calls = measureOf(state, field, keepsMomentum)?.calls ?? [];
      return [field, prepare(calls)] as const;
    });
    return new Map(measures.filter((entry): entry is [string, Program] => entry[1] !== undefined));
  }

  /** What brings the fields up to date that hooks look at, at a stage; at any, without one. */
  reading(stage?: DynamicsStage): Call[] {
    const { state, keepsMomentum } = this.#parts;
    return [...this.#parts.reads(stage)].flatMap((field) =>
      measureOf(state, field, keepsMomentum)?.calls ?? []
    );
  }
}

/** A hook that gives kernels, to this engine. */
export interface WithKernels {
  /** The fields it changes. */
  readonly writes: readonly unknown[];
  /** Its kernels at a stage. */
  kernels(device: KernelDevice, stage: DynamicsStage): readonly Call[];
  /** What it does besides, on a visit. */
  compute?(device: KernelDevice, stage: DynamicsStage): void | PromiseLike<void>;
  /** Which atoms it keeps from moving: 1 for each that has no degrees of freedom. */
  holds?(device: KernelDevice): ArrayLike<number>;
}

/** What hooks change is on the backend before anything is planned; and what is held has no temperature. */
function prepareState({ state, constrained, devices, partOf }: StepParts): void {
  const hooks = devices();
  for (const key of hooks.flatMap(({ writes }) => writes)) state.field(fieldName(key)!);
  constrained.count(
    hooks.flatMap((hook) =>
      hook.holds === undefined ? [] : [hook.holds(deviceOf(state, partOf(hook)))]
    ),
  );
}

/** What a hook is told, for the systems of some stages alone. */
function deviceOf(state: ResidentBatch, part: unknown): KernelDevice {
  if (part === undefined) return { state };
  const { first, end } = part as StageRange;
  const status = state.valuesOf("status");
  return { state, has: (system) => first <= status[system]! && status[system]! < end };
}

/** Calls for the systems of some stages alone. */
export function withinPart(
  stages: OpenStages | undefined,
  part: unknown,
  calls: readonly Call[],
  isAfter = false,
): readonly Call[] {
  if (stages === undefined || part === undefined || calls.length === 0) return calls;
  return [stages.enter(part as StageRange, true, isAfter), ...calls, stages.leave()];
}

function timed(calls: readonly Call[], times: { every: number; phase: number }): Call[] {
  return calls.map((one) => ({ ...one, ...times }));
}
