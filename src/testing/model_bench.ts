/**
 * Common setup of test cases for models.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import { ReferenceBackend } from "../backend/reference/reference_backend.ts";
import type { System } from "../batch/system.ts";
import type { Model, ModelOutput } from "../models/model.ts";
import { assertNear, assertSameBits } from "./assert_near.ts";
import { evaluate, type Evaluation, type EvaluationRequest } from "./evaluation.ts";
import type { MakeBackend } from "./cases/kernel_cases.ts";
import { type Structure, structureOf } from "./structure.ts";
import type { TestCase } from "./cases/test_case.ts";

/** Creates the model under test. */
export type MakeModel = () => Model | Promise<Model>;

/** Settings of a model suite, as described by `ModelSuiteOptions`. */
export interface ModelSetting {
  readonly open: MakeModel;
  readonly systems: readonly System[];
  readonly gives: readonly ModelOutput[];
  readonly backend?: MakeBackend;
  readonly precision?: "f32" | "f64";
  readonly tolerance?: number;
  readonly slopeTolerance?: number;
  readonly step?: number;
  readonly far?: number;
  readonly breaks?: readonly string[];
  readonly isExact?: boolean;
}

const PRECISION = {
  f32: { tolerance: 3e-5, slopeTolerance: 2e-3, step: 2 ** -6, round: Math.fround },
  f64: { tolerance: 1e-10, slopeTolerance: 1e-6, step: 2 ** -12, round: (x: number) => x },
} as const;

/** A model on a backend for one case, with the settings of the suite. */
export interface Bench {
  /** Outputs that the model must have. */
  readonly gives: readonly ModelOutput[];
  /** Outputs that the model declares. */
  readonly says: readonly ModelOutput[];
  /** Structures on which the model is tested, in the precision of its computations. */
  readonly structures: readonly Structure[];
  /** Largest accepted difference, relative to the largest absolute value of the output. */
  readonly tolerance: number;
  /** Same as `tolerance`, for derivatives. */
  readonly slopeTolerance: number;
  /** Displacement for finite differences, Å. */
  readonly step: number;
  /** Distance at which atoms do not interact, Å. */
  readonly far: number;
  /** Symmetries that the model breaks. */
  readonly breaks: readonly string[];
  /** True if results must be bitwise identical when repeated, and for a system alone and in a batch. */
  readonly isExact: boolean;
  /** Evaluates structures as one batch. */
  ask(structures: readonly Structure[], asked?: EvaluationRequest): Promise<Evaluation[]>;
}

/** Returns a case that runs `test` with a new model and backend, which are released in any event. */
export function onBench(
  setting: ModelSetting,
  name: string,
  test: (bench: Bench) => Promise<void>,
): TestCase {
  return {
    name,
    run: async () => {
      const backend = await (setting.backend?.() ?? new ReferenceBackend());
      try {
        const model = await setting.open();
        try {
          await test(benchOf(setting, model, backend));
        } finally {
          await giveBack(model);
        }
      } finally {
        backend.dispose();
      }
    },
  };
}

function benchOf(setting: ModelSetting, model: Model, backend: Backend): Bench {
  const { precision = backend.real, gives, systems, far = 16, breaks = [], isExact = false } =
    setting;
  const usual = PRECISION[precision];
  return {
    gives,
    says: model.gives,
    far,
    breaks,
    isExact,
    structures: systems.map((system) => structureOf(system, usual.round)),
    tolerance: setting.tolerance ?? usual.tolerance,
    slopeTolerance: setting.slopeTolerance ?? usual.slopeTolerance,
    step: setting.step ?? usual.step,
    ask: (structures, asked) => evaluate(model, structures, backend, asked),
  };
}

async function giveBack(model: Model & Partial<AsyncDisposable & Disposable>): Promise<void> {
  await model[Symbol.asyncDispose]?.();
  if (model[Symbol.asyncDispose] === undefined) model[Symbol.dispose]?.();
}

/**
 * Returns the scale of each output. For numbers that are smaller than the scale, the tolerance is relative to the
 * scale.
 */
export function scalesOf(said: readonly Evaluation[]): Record<keyof Evaluation, number> {
  const forces = largest(said.flatMap(({ forces }) => forces));
  return {
    forces,
    // Energies may be zero although forces are not. Their scale is then the energy of the largest force over 1 Å.
    energy: Math.max(largest(said.map(({ energy }) => energy)), forces),
    virial: largest(said.flatMap(({ virial }) => virial)),
  };
}

/** Returns the largest absolute value. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

/** Settings of a comparison. */
export interface Comparison {
  /** Description of the first result for error messages, such as "in another order". */
  readonly what: string;
  /** Outputs to compare. */
  readonly outputs: readonly (keyof Evaluation)[];
  /** Largest accepted difference; if it is omitted, results must be bitwise identical. */
  readonly tolerance?: number;
}

/** Throws if results differ from the expected ones. The message names output, system, index and difference. */
export function compareEvaluations(
  actual: readonly Evaluation[],
  expected: readonly Evaluation[],
  { what, outputs, tolerance }: Comparison,
): void {
  const scales = scalesOf(expected);
  for (const [s, one] of expected.entries()) {
    for (const output of outputs) {
      const [is, must] = [[actual[s]![output]].flat(), [one[output]].flat()];
      withSubject(`${what}: ${output} of system ${s}`, () => {
        if (tolerance === undefined) assertSameBits(is, must);
        else assertNear(is, must, tolerance, scales[output]);
      });
    }
  }
}

/** Returns the names, as in `Evaluation`, of the outputs that a model must have. */
export function given({ gives }: Bench): (keyof Evaluation)[] {
  const names = { energy: "energy", forces: "forces", stress: "virial" } as const;
  return gives.map((output) => names[output]);
}

/** Runs a check. If it throws, puts `what`, the subject of the check, before the message of its error. */
export function withSubject(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
