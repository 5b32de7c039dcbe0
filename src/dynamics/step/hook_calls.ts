/**
 * Kernel calls that hooks add to a step: their own kernels, convergence criteria, and measures.
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

/** Kernel calls that hooks add to a step. */
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
    // All hooks are asked once, now, so that the states they request (pairs, image counters) exist before anything
    // else is planned.
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
      // Step budgets come after convergence, so that no system leaves two stages in one step.
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

  /** True if hooks modify the forces after the model. */
  get modifiesForces(): boolean {
    const { devices, writes } = this.#parts;
    const isForces = (key: unknown) => fieldName(key as string) === "forces";
    return writes().has("forces") || devices().some((hook) => hook.writes.some(isForces));
  }

  /** Returns the kernel calls of the hooks at a stage, except convergence hooks. */
  work(stage: DynamicsStage): readonly KernelCall[] {
    return this.#calls.get(stage)!;
  }

  /**
   * Collects the kernel calls of the hooks at a stage. Each call is restricted to the stages and the steps of its
   * hook. Convergence hooks are left out, because they run after everything else.
   */
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

  /** True if hooks of single stages hold atoms. */
  get holdsStages(): boolean {
    const { devices, partOf } = this.#parts;
    return devices().some((hook) => hook.holds !== undefined && partOf(hook) !== undefined);
  }

  /**
   * Returns the programs that recompute the measures which hooks read, by the name of the field. Returns an empty map
   * if no hook writes fields, because measures then stay up to date.
   */
  measures(prepare: (calls: readonly KernelCall[]) => Program | undefined): Map<string, Program> {
    const { state, keepsMomentum } = this.#parts;
    const fields = this.#parts.writes().size === 0 ? [] : [...this.#parts.reads()];
    const measures = fields.map((field) => {
      const calls = measureOf(state, field, keepsMomentum)?.calls ?? [];
      return [field, prepare(calls)] as const;
    });
    return new Map(measures.filter((entry): entry is [string, Program] => entry[1] !== undefined));
  }

  /** Returns the calls that compute the measures which hooks read at a stage; without `stage`, at any stage. */
  reading(stage?: DynamicsStage): KernelCall[] {
    const { state, keepsMomentum } = this.#parts;
    return [...this.#parts.reads(stage)].flatMap((field) =>
      measureOf(state, field, keepsMomentum)?.calls ?? []
    );
  }
}

/**
 * Prepares the planning of a step: uploads the fields that hooks write, and counts the degrees of freedom that hooks
 * hold.
 */
function prepareState({ state, constrained, devices, partOf }: StepParts): void {
  const hooks = devices();
  for (const key of hooks.flatMap(({ writes }) => writes)) state.field(fieldName(key)!);
  constrained.count(
    hooks.flatMap((hook) =>
      hook.holds === undefined ? [] : [hook.holds(deviceOf(state, partOf(hook)))]
    ),
  );
}

/**
 * Returns the device that a hook receives. If the hook belongs to some stages, `has` tells which systems are in them.
 */
function deviceOf(state: ResidentBatch, part: unknown): KernelDevice {
  if (part === undefined) return { state };
  const { first, end } = part as StageRange;
  const status = state.mirroredField("status");
  return { state, has: (system) => first <= status[system]! && status[system]! < end };
}

/** Restricts calls to the systems in some stages. If `part` is undefined, returns the calls unchanged. */
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

/**
 * Finds the values of a criterion among the measures and the fields of the batch. Throws a TypeError that lists all
 * keys if there is no such value.
 */
function keySource(state: ResidentBatch, key: string, keepsMomentum: boolean): KeySource {
  if (isMeasured(key) && key !== CONSERVED) {
    // The energy change is measured once in each step, right after the energy is computed.
    const calls = key === CHANGE ? [] : measureOf(state, key, keepsMomentum)!.calls;
    return { buffer: measuredIn(state, key), calls, level: "system" };
  }
  if (key === "energy") state.field(key); // adds the field, which otherwise only the first evaluation would add
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
