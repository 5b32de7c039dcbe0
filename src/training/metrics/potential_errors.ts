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
   * False to leave out errors of forces. Otherwise the loss must have a weight for forces, or the model a force output.
   *
   * @default true
   */
  readonly forces?: boolean;
  /**
   * Unit of errors of stresses; false leaves them out. Otherwise the loss must have a weight for stresses, or the model a
   * stress output.
   *
   * @default false
   */
  readonly stress?: "meV/Å³" | "GPa" | false;
  /**
   * True if batches have weights of their systems. Every target that exists counts as 1.
   *
   * @default false
   */
  readonly weighted?: boolean;
  /**
   * The potential, as for `energyForces`, which must be the loss then.
   *
   * @default the graph gives eV and Å, under `names`
   */
  readonly potential?: TrainablePotential;
  /**
   * Names of tensors, as for `energyForces`.
   *
   * @default those of `energyForces`
   */
  readonly names?: EnergyForcesNames;
}

/** eV/Å³ in GPa, by CODATA 2018: exact, 1.602176634e-19 J over 1e-30 m³. */
const GPA = 160.2176634;

/**
 * Returns the mean absolute and root mean squared errors of a potential: `energyMAE` and `energyRMSE` in meV per atom,
 * `forcesMAE` and `forcesRMSE` in meV/Å, over components, `stressMAE` and `stressRMSE` in meV/Å³ or GPa, over the nine
 * components. Batches must have `atoms`, as those of `atomsData` do.
 *
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} for an unknown unit
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
