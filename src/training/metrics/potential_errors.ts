import { checkKeys } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import {
  differenceOf,
  type EnergyForcesNames,
  meanOfDifferences,
  namesOf,
  type Quantity,
  targetsIn,
} from "../losses/potential_terms.ts";
import type { TrainablePotential } from "../potential/potential.ts";
import type { Metric } from "./metric.ts";

/** Options of {@linkcode potentialErrors}. */
export interface PotentialErrorsOptions {
  /**
   * False to leave out errors of energies.
   *
   * @default true
   */
  readonly energy?: boolean;
  /**
   * False to leave out errors of forces. Otherwise the loss must have a weight for forces, or the model an output of
   * forces.
   *
   * @default true
   */
  readonly forces?: boolean;
  /**
   * Unit of the errors of stresses; false to leave them out. Otherwise the loss must have a weight for stresses, or
   * the model an output of stresses.
   *
   * @default false
   */
  readonly stress?: "meV/Å³" | "GPa" | false;
  /**
   * True if batches have the weights of their systems. The errors are not weighted: every target that exists counts
   * as 1.
   *
   * @default false
   */
  readonly weighted?: boolean;
  /**
   * The potential to train. The loss must be `energyForces` with the same potential.
   *
   * @default undefined: outputs are in eV and Å, and are called as `names` says
   */
  readonly potential?: TrainablePotential;
  /**
   * Names of tensors, as in the options of `energyForces`.
   *
   * @default those of `energyForces`
   */
  readonly names?: EnergyForcesNames;
}

/** One eV/Å³ in GPa by CODATA 2018. The value is exact: 1.602176634e-19 J divided by 1e-30 m³. */
const GPA = 160.2176634;

/**
 * Returns the mean absolute error (MAE) and the root mean squared error (RMSE) of a potential. `energyMAE` and
 * `energyRMSE` are in meV per atom, `forcesMAE` and `forcesRMSE` in meV/Å over components, `stressMAE` and
 * `stressRMSE` in meV/Å³ or GPa over the nine components. Batches must have the tensor `atoms`, as those of
 * `atomsData` do.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if the unit of stresses is unknown
 *
 * @example
 * ```ts
 * import { potentialErrors } from "@hooke/hooke/training";
 *
 * const metrics = potentialErrors({ stress: "GPa" });
 * console.log(Object.keys(metrics).join(" "));
 * ```
 */
export function potentialErrors(
  options: PotentialErrorsOptions = {},
): Readonly<Record<string, Metric>> {
  const action = "measure errors of a potential";
  const known = ["energy", "forces", "stress", "weighted", "names", "potential"];
  checkKeys(action, "its options", options, known);
  const { energy = true, forces = true, stress = false, weighted = false } = options;
  if (stress !== false && stress !== "meV/Å³" && stress !== "GPa") {
    throw new RangeError(complaint(action, 'stress must be "meV/Å³", "GPa" or false', stress));
  }
  const names = namesOf(action, options);
  const units: readonly (readonly [Quantity, number | false])[] = [
    ["energy", energy && 1000],
    ["forces", forces && 1000],
    ["stress", stress && { "meV/Å³": 1000, GPa: GPA }[stress]],
  ];
  return Object.fromEntries(units.flatMap(([quantity, unit]) => {
    if (unit === false) return [];
    const metric = (isSquare: boolean): Metric => ({
      mean(builder) {
        const { graph } = builder;
        const difference = differenceOf(builder, quantity, { names, perAtom: true, weighted });
        const of = isSquare
          ? (value: typeof difference.value) => graph.mul(value, value)
          : (value: typeof difference.value) => graph.op("Abs", [value], "f32");
        return meanOfDifferences(graph, difference, of, false);
      },
      count: targetsIn(quantity, { names, weighted }),
      finish: (mean) => unit * (isSquare ? Math.sqrt(mean) : mean),
    });
    return [[`${quantity}MAE`, metric(false)], [`${quantity}RMSE`, metric(true)]];
  }));
}
