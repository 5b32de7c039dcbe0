/**
 * The calls that hooks add to a step: kernels, criteria, and measures.
 *
 * @module
 */

import type { KernelCall, Program } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { StageWork } from "../../hooks/run/device_work.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import type { KernelDevice } from "../context.ts";
import type { ConvergenceParts, KeySource } from "../convergence/convergence_hook.ts";
import { isConvergenceHook } from "../convergence/known_hooks.ts";
import { decidersOf, targetsOf } from "./deciders.ts";
import {
  CHANGE,
  CONSERVED,
  countFreedom,
  isMeasured,
  measuredIn,
  measureOf,
} from "../engine/measures.ts";
import type { OpenStages, StageRange } from "../stages/open_stages.ts";
import { DynamicsStage } from "../stages.ts";
import type { Custom, Mark, StepParts, WithKernels } from "./step_parts.ts";

const S = DynamicsStage;

/** The calls that hooks add to a step. */
export class HookCalls {
  readonly convergence: {
    readonly tests: KernelCall[];
    readonly decide: KernelCall[];
    readonly customs: Custom[];
    readonly marks: Mark[];
    readonly targets: readonly number[];
    readonly keys: ReadonlySet<string>;
  };
  readonly #parts: StepParts;
  readonly #work: ReadonlyMap<DynamicsStage, readonly StageWork[]>;
  readonly #calls: ReadonlyMap<DynamicsStage, readonly KernelCall[]>;

  constructor(parts: StepParts) {
    this.#parts = parts;
    prepareState(parts);
    countFreedom(parts.state);
    this.#work = new Map(
      (Object.values(S).filter((stage) => typeof stage === "string") as DynamicsStage[])
        .filter((stage) => stage.includes("/"))
        .map((stage) => [stage, parts.work(stage)]),
    );
    // Now and once: the state that they need, such as pairs and image counters, is there for all that follows.
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
      // Systems that have done all steps of a stage come last: no system leaves two stages in one step.
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
      targets: stages === undefined ? targetsOf(deciders) : [],
      keys: new Set(found.flatMap(({ hook }) => hook.criteria.map(({ key }) => key))),
    };
  }

  /** True if hooks modify forces after the model. */
  get modifiesForces(): boolean {
    const { devices, writes } = this.#parts;
    const isForces = (key: unknown) => fieldName(key as string) === "forces";
    return writes().has("forces") || devices().some((hook) => hook.writes.some(isForces));
  }

  /** Returns the kernels of hooks at a stage. */
  work(stage: DynamicsStage): readonly KernelCall[] {
    return this.#calls.get(stage)!;
  }

  /** Convergence is decided after everything else, so its hooks are left out here. */
  #ask(stage: DynamicsStage): readonly KernelCall[] {
    const device: KernelDevice = { state: this.#parts.state };
    return this.#work.get(stage)!.filter(({ hook }) => !isConvergenceHook(hook))
      .flatMap(({ hook, frequency, phase, part }) => {
        const calls = (hook as WithKernels).kernels(device, stage);
        return timed(withinPart(this.#parts.integrator.stages, part, calls), {
          every: frequency,
          phase,
        });
      });
  }

  /** True if hooks of stages hold atoms. */
  get holdsStages(): boolean {
    const { devices, partOf } = this.#parts;
    return devices().some((hook) => hook.holds !== undefined && partOf(hook) !== undefined);
  }

  /** Returns a program for each measure that hooks read; `[]` if no visit changes anything. */
  measures(prepare: (calls: readonly KernelCall[]) => Program | undefined): Map<string, Program> {
    const { state, keepsMomentum } = this.#parts;
    const fields = this.#parts.writes().size === 0 ? [] : [...this.#parts.reads()];
    const measures = fields.map((field) => {
      const calls = measureOf(state, field, keepsMomentum)?.calls ?? [];
      return [field, prepare(calls)] as const;
    });
    return new Map(measures.filter((entry): entry is [string, Program] => entry[1] !== undefined));
  }

  /** Returns the calls that take the measures that hooks read at a stage, or at any stage. */
  reading(stage?: DynamicsStage): KernelCall[] {
    const { state, keepsMomentum } = this.#parts;
    return [...this.#parts.reads(stage)].flatMap((field) =>
      measureOf(state, field, keepsMomentum)?.calls ?? []
    );
  }
}

/** Brings the fields that hooks write to the backend before planning, and counts held degrees of freedom. */
function prepareState({ state, constrained, devices, partOf }: StepParts): void {
  const hooks = devices();
  for (const key of hooks.flatMap(({ writes }) => writes)) state.field(fieldName(key)!);
  constrained.count(
    hooks.flatMap((hook) =>
      hook.holds === undefined ? [] : [hook.holds(deviceOf(state, partOf(hook)))]
    ),
  );
}

/** Returns the device that a hook receives, for the systems of some stages only. */
function deviceOf(state: ResidentBatch, part: unknown): KernelDevice {
  if (part === undefined) return { state };
  const { first, end } = part as StageRange;
  const status = state.mirroredField("status");
  return { state, has: (system) => first <= status[system]! && status[system]! < end };
}

/** Returns calls that apply to the systems of some stages only. */
export function withinPart(
  stages: OpenStages | undefined,
  part: unknown,
  calls: readonly KernelCall[],
  isAfter = false,
): readonly KernelCall[] {
  if (stages === undefined || part === undefined || calls.length === 0) return calls;
  return [stages.enter(part as StageRange, true, isAfter), ...calls, stages.leave()];
}

function timed(
  calls: readonly KernelCall[],
  times: { every: number; phase: number },
): KernelCall[] {
  return calls.map((one) => ({ ...one, ...times }));
}

/** Finds the key of a criterion among the measures and fields of the batch. Throws a TypeError that names all keys. */
function keySource(state: ResidentBatch, key: string, keepsMomentum: boolean): KeySource {
  if (isMeasured(key) && key !== CONSERVED) {
    // The change of the energy is measured once in each step, where the energy is new.
    const calls = key === CHANGE ? [] : measureOf(state, key, keepsMomentum)!.calls;
    return { buffer: measuredIn(state, key), calls, level: "system" };
  }
  if (key === "energy") state.field(key); // the first evaluation, which is still to come, would make it
  const info = state.batch.fields().find(({ name }) => name === key);
  if (info === undefined || info.level === "edge") {
    const there = state.batch.fields().filter(({ level }) => level !== "edge").map(({ name }) =>
      name
    );
    throw new TypeError(
      `Cannot judge convergence: the key of a criterion must be a measure or a field of the batch ` +
        `(fmax, energyChange, temperature, kineticEnergy, stress, ${there.join(", ")}); ` +
        `got ${JSON.stringify(key)}`,
    );
  }
  return { buffer: state.field(key), calls: [], level: info.level };
}
