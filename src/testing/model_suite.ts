import { System } from "../batch/system.ts";
import type { SystemInput } from "../batch/system_input.ts";
import type { ModelOutput } from "../models/model.ts";
import type { OpenBackend } from "./cases/kernel_cases.ts";
import type { MakeModel, ModelSetting } from "./model_bench.ts";
import { outputCases } from "./cases/output_cases.ts";
import { slopeCase, strainCase } from "./cases/slope_cases.ts";
import { type Symmetry, symmetryCases } from "./cases/symmetry_cases.ts";
import type { TestCase } from "./cases/test_case.ts";

/** What a suite has to know of a model. */
export interface ModelSuiteOptions {
  /**
   * What it is tried on: a few small structures of elements that it knows, some in the open, some periodic, all with
   * forces; no two atoms so far apart that rounding decides whether they feel each other.
   */
  readonly systems: readonly (System | SystemInput)[];
  /**
   * What it is to give: another answer is an error.
   *
   * @default energy and forces
   */
  readonly gives?: readonly ModelOutput[];
  /**
   * Makes the backend, for each case.
   *
   * @default the reference backend
   */
  readonly backend?: OpenBackend;
  /**
   * What it computes in.
   *
   * @default what `real` is on the backend
   */
  readonly precision?: "f32" | "f64";
  /**
   * What numbers may be off by, as a part of the largest of all.
   *
   * @default 3e-5 in float32, 1e-10 in float64
   */
  readonly tolerance?: number;
  /**
   * The same of slopes of energies.
   *
   * @default 2e-3 in float32, 1e-6 in float64
   */
  readonly slopeTolerance?: number;
  /**
   * How far atoms are moved to find a slope, Å. A power of two, so that they are moved by just that.
   *
   * @default 2⁻⁶ in float32, 2⁻¹² in float64
   */
  readonly step?: number;
  /**
   * How far apart atoms are that do not feel each other, Å.
   *
   * @default 16
   */
  readonly far?: number;
  /**
   * What does matter to it, as places do to one that pulls there. `"permutation"`: it is one of certain atoms by their
   * numbers; `"strain"`: what it holds to does not go with a strain.
   *
   * @default nothing
   */
  readonly breaks?: readonly (Symmetry | "strain")[];
  /**
   * Whether it gives the same to the bit again, and alone as in a batch.
   *
   * @default false
   */
  readonly isExact?: boolean;
}

/**
 * What every model must do, as cases for any test runner: forces are slopes of energies, and stresses those by strain;
 * what it gives is added, and nothing else is touched; systems at rest stay; batches, places, directions, orders of atoms
 * and images of them do not matter, unless it says so; and nothing is NaN.
 *
 * `open` makes the model; each case opens its own, and disposes of it where it can be disposed of.
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
 * @throws {RangeError} where there is nothing to try it on
 */
export function modelSuite(open: MakeModel, options: ModelSuiteOptions): TestCase[] {
  const { systems, gives = ["energy", "forces"], breaks = [] } = options;
  if (systems.length === 0) {
    throw new RangeError(
      "Cannot try a model as systems must hold a structure or more: current count is 0",
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
