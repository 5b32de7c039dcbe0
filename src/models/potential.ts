import { show } from "../base/show.ts";
import { checkOptions } from "../base/check_options.ts";
import type { ArraysOf } from "../batch/resident/with_arrays.ts";
import type { ResidentBatch } from "../batch/resident/resident_batch.ts";
import { systemName } from "../batch/store.ts";
import { type Model, type OpenModel, outputsOf } from "./model.ts";

/**
 * One system, as a potential written in TypeScript receives it. Positions, cell and forces have the precision of the
 * backend.
 */
export interface PotentialView {
  /** Index of the system in the batch. */
  readonly system: number;
  /** Atomic number of each atom. */
  readonly numbers: Int32Array;
  /** Positions in Å, three per atom. */
  readonly positions: Float32Array | Float64Array;
  /** Lattice vectors in Å, nine numbers in row-major order. */
  readonly cell: Float32Array | Float64Array;
  /** Forces in eV/Å, three per atom. The potential adds its forces here. */
  readonly forces: Float32Array | Float64Array;
  /** Virial Σ f ⊗ r in eV, nine numbers. If `givesStress` is true, the potential adds its virial here. */
  readonly virial: Float64Array;
}

/** Options of {@linkcode potential}. */
export interface PotentialOptions {
  /**
   * Name of the potential in error messages.
   *
   * @default "a potential"
   */
  readonly name?: string;
  /**
   * True if the function adds to the virial, so that the model has stresses.
   *
   * @default false
   */
  readonly givesStress?: boolean;
}

/**
 * Returns a model of a potential written in TypeScript. `energyOf` is called for each active system at each step. It
 * adds its forces to the view, and returns the energy in eV. Each step waits for this function on the host, so use it
 * for prototypes and small systems.
 *
 * @example
 * ```ts
 * import { potential } from "@hooke/hooke/models";
 *
 * // One spring for each atom to the origin: E = ½ k r².
 * const k = 0.1;
 * const springs = potential(({ positions, forces }) => {
 *   let energy = 0;
 *   for (const [i, x] of positions.entries()) {
 *     energy += k * x * x / 2;
 *     forces[i]! -= k * x;
 *   }
 *   return energy;
 * });
 * console.log(springs.name);
 * ```
 */
export function potential(
  energyOf: (view: PotentialView) => number,
  options: PotentialOptions = {},
): Model {
  if (typeof energyOf !== "function") {
    throw new TypeError(
      `Cannot make a potential: its argument must be a function that returns the energy; got ${
        show(energyOf)
      }`,
    );
  }
  checkOptions("make a potential", options, ["name", "givesStress"]);
  const { name = "a potential", givesStress = false } = options;
  return {
    name,
    gives: givesStress ? ["energy", "forces", "stress"] : ["energy", "forces"],
    open: (state) => opened(state, name, energyOf),
  };
}

/** Prepares a potential for a batch. */
function opened(
  state: ResidentBatch,
  name: string,
  energyOf: (view: PotentialView) => number,
): OpenModel {
  const { batch: { size, nodeOffsets, infos } } = state;
  const buffers = {
    ...outputsOf(state),
    active: state.frame.active,
    numbers: state.field<"i32">("numbers"),
    positions: state.field("positions"),
    cell: state.field("cell"),
  };
  const evaluate = (arrays: ArraysOf<typeof buffers>) => {
    for (let system = 0; system < size; system++) {
      if (arrays.active[system] === 0) continue;
      const answer: unknown = energyOf(viewOf(arrays, system, nodeOffsets));
      if (typeof answer !== "number") throw answerError(name, systemName(infos, system), answer);
      arrays.energy[system]! += answer;
    }
  };
  return { compute: () => state.withArrays(buffers, ["forces", "virial", "energy"], evaluate) };
}

/** Returns the view of one system. Its arrays share memory with those of the batch. */
function viewOf(
  { numbers, positions, cell, forces, virial }: Omit<PotentialView, "system">,
  system: number,
  nodeOffsets: Int32Array,
): PotentialView {
  const [from, to] = [nodeOffsets[system]!, nodeOffsets[system + 1]!];
  return {
    system,
    numbers: numbers.subarray(from, to),
    positions: positions.subarray(3 * from, 3 * to),
    cell: cell.subarray(9 * system, 9 * system + 9),
    forces: forces.subarray(3 * from, 3 * to),
    virial: virial.subarray(9 * system, 9 * system + 9),
  };
}

function answerError(name: string, system: string, answer: unknown): TypeError {
  const what = typeof (answer as { then?: unknown } | undefined)?.then === "function"
    ? "a promise"
    : show(answer);
  return new TypeError(
    `Cannot evaluate ${name} for system ${system}: its function must return the energy, a number; ` +
      `got ${what}`,
  );
}
