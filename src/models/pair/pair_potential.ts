import { call } from "../../backend/backend.ts";
import {
  type PairEnergy,
  type TracedPair,
  tracePair,
} from "../../kernels/pairs/expression/trace_pair.ts";
import { type PairKernel, pairKernel } from "../../kernels/pairs/pair_potential.ts";
import type { Model } from "../model.ts";
import { AtomTypes, checkPairOptions, pairArguments, type PairOptions } from "./pair_options.ts";
import { type PairParameterRules, type PairParameters, typesOf } from "./pair_parameters.ts";

/** Definition of a pair potential for {@linkcode pairPotential}. */
export interface PairDefinition<V extends object, M extends string>
  extends PairParameterRules<V, M> {
  /** The name of the potential, such as `"Buckingham"`. */
  readonly name: string;
  /**
   * Returns the energy of a pair in eV. The function is called once, with expressions instead of numbers: the
   * distance in Å, and an object with the parameters by name.
   */
  readonly energy: PairEnergy<keyof V & string>;
}

/**
 * Options of a pair potential: those that all pair potentials share, and its parameters for all atoms, by element, or
 * by pair of elements.
 */
export type PairPotentialOptions<V extends object, M extends string = never> =
  & PairOptions
  & PairParameters<V, M>;

/** A function that creates models of one pair potential, with members for its kernel. */
export interface PairPotentialMaker<V extends object, M extends string = never> {
  /**
   * Returns a model of the potential, with energies, forces and stresses.
   *
   * @throws {TypeError | RangeError} if an option is wrong; the message names it
   */
  (options: PairPotentialOptions<V, M>): Model;
  /** The kernel that computes and sums the energies of pairs. */
  readonly kernel: PairKernel;
  /**
   * Returns the row of the kernel's parameter table for one pair of types. If `isShifted` is true, the row also has
   * the energy at the cutoff, which is subtracted from each pair.
   */
  readonly row: (values: V, cutoff: number, isShifted?: boolean) => number[];
}

/**
 * Defines a pair potential by its energy. Forces and stresses are derived by differentiation. The potential runs on
 * every backend, for single systems and batches, with cutoffs, mixtures and exclusions.
 *
 * The energy function is called once and recorded; it is not called for each pair. It must therefore be composed of
 * the methods of {@linkcode PairExpression}, and cannot branch on distances. Units are eV and Å.
 *
 * @throws {TypeError} if the energy is not an expression of its arguments
 * @throws {RangeError} if a number in the energy or in its derivative is not finite in float32
 *
 * @example
 * ```ts
 * import { pairPotential } from "@hooke/hooke/models";
 *
 * // E = A exp(−κr)/r
 * const yukawa = pairPotential({
 *   name: "Yukawa",
 *   parameters: { strength: "any", kappa: "positive" },
 *   energy: (r, { strength, kappa }) => strength.mul(kappa.mul(r).neg().exp()).div(r),
 * });
 * const model = yukawa({ strength: 2.5, kappa: 0.8, cutoff: 10 });
 * console.log(model.name); // a Yukawa potential
 * ```
 */
export function pairPotential<
  const V extends object = Record<string, number>,
  M extends string = never,
>(definition: PairDefinition<V, M>): PairPotentialMaker<V, M> {
  const potential = pairPotentialOf(undefined, definition);
  potential.kernel; // records the energy, so that a wrong one is reported here
  return potential;
}

/**
 * Defines a pair potential as {@linkcode pairPotential} does, but records its energy when it is first used: a program
 * that imports the potentials of the package uses few of them. Backends that have their own kernel for this potential
 * find it by `kernelName`.
 */
export function pairPotentialOf<V extends object, M extends string>(
  kernelName: string | undefined,
  { energy, ...rules }: PairDefinition<V, M>,
): PairPotentialMaker<V, M> {
  const names = Object.keys(rules.parameters) as (keyof V & string)[];
  const name = `a ${rules.name} potential`;
  let recorded: { readonly traced: TracedPair; readonly kernel: PairKernel } | undefined;
  const record = () => {
    if (recorded === undefined) {
      const traced = tracePair(names, energy);
      recorded = { traced, kernel: pairKernel(traced.program, kernelName) };
    }
    return recorded;
  };
  const row = (values: V, cutoff: number, isShifted = false) =>
    record().traced.row(names.map((one) => values[one] as number), cutoff, isShifted);
  const make = (options: PairPotentialOptions<V, M>): Model => {
    const checked = checkPairOptions(name, options, [...names, "species", "mixing", "pairs"]);
    const { symbols, rows } = typesOf(name, rules, options);
    const types = new AtomTypes(name, symbols);
    const isShifted = checked.truncation === "shift";
    const table = rows.flatMap((values) => row(values, checked.cutoff, isShifted));
    return {
      name,
      gives: ["energy", "forces", "stress"],
      isInvariant: true,
      open(state) {
        const args = pairArguments(state, checked, types, table);
        const { kernel } = record();
        return { calls: (wanted) => [call(kernel, args(wanted))] };
      },
    };
  };
  Object.defineProperty(make, "kernel", { get: () => record().kernel, enumerable: true });
  return Object.freeze(Object.assign(make, { row })) as PairPotentialMaker<V, M>;
}
