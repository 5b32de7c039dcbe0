/**
 * What all cases of a model go by.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import { ReferenceBackend } from "../backend/reference/reference_backend.ts";
import type { System } from "../batch/system.ts";
import type { Model, ModelOutput } from "../models/model.ts";
import { assertNear, assertSameBits } from "./assert_near.ts";
import { type Asked, evaluate, type Said } from "./evaluation.ts";
import type { OpenBackend } from "./cases/kernel_cases.ts";
import { type Structure, structureOf } from "./structure.ts";
import type { TestCase } from "./cases/test_case.ts";

/** Makes the model that is tried. */
export type MakeModel = () => Model | Promise<Model>;

/** What a suite was told. */
export interface ModelSetting {
  readonly open: MakeModel;
  readonly systems: readonly System[];
  readonly gives: readonly ModelOutput[];
  readonly backend?: OpenBackend;
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

/** A model on a backend, in one case. */
export interface Bench {
  /** What it is to give. */
  readonly gives: readonly ModelOutput[];
  /** What it says it gives. */
  readonly says: readonly ModelOutput[];
  /** What it is tried on, in the precision in which it computes. */
  readonly structures: readonly Structure[];
  /** Part of the largest number. */
  readonly tolerance: number;
  /** The same of slopes. */
  readonly slopeTolerance: number;
  /** Å. */
  readonly step: number;
  /** Å. */
  readonly far: number;
  /** What does matter to it. */
  readonly breaks: readonly string[];
  /** Whether results are the same to the bit, again and alone. */
  readonly isExact: boolean;
  /** Asks about structures, as one batch. */
  ask(structures: readonly Structure[], asked?: Asked): Promise<Said[]>;
}

/** A case with a model and a backend of its own, which are given back whatever happens. */
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

/** What an output is compared by: nothing smaller than this part of the largest of all is looked at. */
export function scalesOf(said: readonly Said[]): Record<keyof Said, number> {
  const forces = largest(said.flatMap(({ forces }) => forces));
  return {
    forces,
    // Energies may be nothing where forces are not, as at the foot of a slope of 1 Å.
    energy: Math.max(largest(said.map(({ energy }) => energy)), forces),
    virial: largest(said.flatMap(({ virial }) => virial)),
  };
}

/** The largest size there is. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

/** How two answers are compared. */
export interface Comparison {
  /** What is different about the first. */
  readonly what: string;
  /** Which outputs. */
  readonly outputs: readonly (keyof Said)[];
  /** To the bit where a number is missing. */
  readonly tolerance?: number;
}

/** Throws where what is said of a structure is not what was expected: output, system, place, by how much. */
export function compareSaid(
  actual: readonly Said[],
  expected: readonly Said[],
  { what, outputs, tolerance }: Comparison,
): void {
  const scales = scalesOf(expected);
  for (const [s, one] of expected.entries()) {
    for (const output of outputs) {
      const [is, must] = [[actual[s]![output]].flat(), [one[output]].flat()];
      told(`${what}: ${output} of system ${s}`, () => {
        if (tolerance === undefined) assertSameBits(is, must);
        else assertNear(is, must, tolerance, scales[output]);
      });
    }
  }
}

/** What a model gives, as it is said. */
export function given({ gives }: Bench): (keyof Said)[] {
  const names = { energy: "energy", forces: "forces", stress: "virial" } as const;
  return gives.map((output) => names[output]);
}

/** Says what the check is of. */
export function told(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
