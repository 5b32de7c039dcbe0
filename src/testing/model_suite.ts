import { System } from "../batch/system.ts";
import type { SystemInput } from "../batch/system_input.ts";
import type { ModelOutput } from "../models/model.ts";
import type { MakeBackend } from "./cases/kernel_cases.ts";
import type { MakeModel, ModelSetting } from "./model_bench.ts";
import { outputCases } from "./cases/output_cases.ts";
import { slopeCase, strainCase } from "./cases/slope_cases.ts";
import { type Symmetry, symmetryCases } from "./cases/symmetry_cases.ts";
import type { TestCase } from "./cases/test_case.ts";

/** Options of {@linkcode modelSuite}. */
export interface ModelSuiteOptions {
  /**
   * Structures on which the model is tested: a few small ones of supported elements, periodic and non-periodic, all
   * with nonzero forces. No distance may be so close to the cutoff that rounding decides whether two atoms
   * interact.
   */
  readonly systems: readonly (System | SystemInput)[];
  /**
   * Outputs that the model must have. Other outputs are an error.
   *
   * @default energy and forces
   */
  readonly gives?: readonly ModelOutput[];
  /**
   * Creates the backend of each case.
   *
   * @default the reference backend
   */
  readonly backend?: MakeBackend;
  /**
   * Precision of the model's computations.
   *
   * @default that of `real` on the backend
   */
  readonly precision?: "f32" | "f64";
  /**
   * Largest accepted difference, relative to the largest absolute value of the output.
   *
   * @default 3e-5 in float32, 1e-10 in float64
   */
  readonly tolerance?: number;
  /**
   * Same as `tolerance`, for derivatives of the energy.
   *
   * @default 2e-3 in float32, 1e-6 in float64
   */
  readonly slopeTolerance?: number;
  /**
   * Displacement of atoms for finite differences, Å. Use a power of two, so that the displacement is exact.
   *
   * @default 2⁻⁶ in float32, 2⁻¹² in float64
   */
  readonly step?: number;
  /**
   * Distance at which atoms do not interact, Å.
   *
   * @default 16
   */
  readonly far?: number;
  /**
   * Symmetries that the model breaks, such as `"translation"` for an external potential. `"permutation"`: the model
   * depends on the indices of particular atoms. `"strain"`: it depends on positions that a strain does not move.
   *
   * @default undefined
   */
  readonly breaks?: readonly (Symmetry | "strain")[];
  /**
   * True if results must be bitwise identical when repeated, and for a system alone and in a batch.
   *
   * @default false
   */
  readonly isExact?: boolean;
}

/**
 * Returns test cases for any test runner that every model must pass. `open` creates the model. Each case opens a new
 * one, and disposes of it if possible.
 *
 * The cases check
 * - that forces and stresses are derivatives of the energy
 * - that outputs are added to existing values, and nothing else changes
 * - that inactive systems do not change
 * - that results do not depend on the batch
 * - that energies and forces obey each symmetry that is not declared broken: translation, rotation, order of the atoms,
 *   doubling of the system, and periodic images
 * - that no result is NaN
 *
 * @example
 * ```ts
 * import { lennardJones } from "@hooke/hooke/models";
 * import { modelSuite } from "@hooke/hooke/testing";
 *
 * const argon = () =>
 *   lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 7, truncation: "switch", switchWidth: 2 });
 * const trimer = { symbols: ["Ar", "Ar", "Ar"], positions: [0, 0, 0, 3.9, 0, 0, 1, 3.6, 0.5] };
 * const cases = modelSuite(argon, {
 *   systems: [trimer, { ...trimer, cell: [6, 7, 8] }],
 *   gives: ["energy", "forces", "stress"],
 *   isExact: true,
 * });
 * // In a file of tests: for (const { name, run } of cases) Deno.test(name, run);
 * for (const { run } of cases) await run();
 * ```
 *
 * @throws {RangeError} if `systems` is empty
 */
export function modelSuite(open: MakeModel, options: ModelSuiteOptions): TestCase[] {
  const { systems, gives = ["energy", "forces"], breaks = [] } = options;
  if (systems.length === 0) {
    throw new RangeError(
      "Cannot try a model: systems must have at least one structure; got 0",
    );
  }
  const setting: ModelSetting = { ...options, gives, open, systems: systems.map(systemOf) };
  const hasEnergy = gives.includes("energy");
  return [
    ...outputCases(setting),
    ...(hasEnergy ? [slopeCase(setting)] : []),
    ...(hasEnergy && gives.includes("stress") && !breaks.includes("strain")
      ? [strainCase(setting)]
      : []),
    ...symmetryCases(setting, breaks),
  ];
}

function systemOf(input: System | SystemInput): System {
  return input instanceof System ? input : new System(input);
}
