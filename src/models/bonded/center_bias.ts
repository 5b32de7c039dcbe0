import { call } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { centerBias as kernel } from "../../kernels/bonded/center_bias.ts";
import { checkOptions } from "../../base/check_options.ts";
import { type Model, valuesOf } from "../model.ts";
import { checkNumber, POSITIVE } from "../../base/check_number.ts";
import { bondedModel } from "./bonded_model.ts";

/** Options of {@linkcode centerBias}. */
export interface CenterBiasOptions {
  /** Force constant k in eV/Å². */
  readonly stiffness: number;
  /** Target of the center of mass in Å: three numbers for all systems, or three numbers per system. */
  readonly center: ArrayLike<number>;
  /**
   * Indices of the atoms of the group within each system, from 0.
   *
   * @default all atoms
   */
  readonly atoms?: readonly number[];
}

const NAME = "a bias on the center of mass";

/**
 * Returns a model of a spring between the center of mass of a group of atoms and a point, E = ½ k |d|². The model
 * computes energies, forces and stresses. Add it to another model with `sum` or a `BiasedPotentialHook`.
 *
 * @throws {RangeError} if a parameter is out of range. When the model is opened, also if `center` does not fit the
 * batch
 *
 * @example
 * ```ts
 * import { centerBias } from "@hooke/hooke/models";
 *
 * const hold = centerBias({ stiffness: 0.5, center: [5, 5, 5] });
 * console.log(hold.name);
 * ```
 */
export function centerBias(options: CenterBiasOptions): Model {
  checkOptions(`make ${NAME}`, options, ["stiffness", "center", "atoms"]);
  const { stiffness, center } = options;
  checkNumber(`make ${NAME}`, "stiffness", stiffness, POSITIVE);
  if (!Array.from(center).every(Number.isFinite)) {
    throw new RangeError(
      `Cannot make ${NAME}: center must have finite numbers; got ${Array.from(center).join(", ")}`,
    );
  }
  return bondedModel(NAME, (state) => {
    const bias = biasOn(state, options);
    return (args) => call(kernel, { ...bias, ...args });
  });
}

/**
 * Uploads the parameters of the bias to the backend, and returns them as arguments of the kernel. Throws a RangeError
 * if `center` does not fit the batch.
 */
function biasOn(state: ResidentBatch, { stiffness, center, atoms }: CenterBiasOptions) {
  const { size, nodeOffsets, systemOfNode } = state.batch;
  if (center.length !== 3 && center.length !== 3 * size) {
    throw new RangeError(
      `Cannot use ${NAME}: center must have 3 numbers, or 3 for each of ${size} systems; got ${center.length} numbers`,
    );
  }
  const group = new Set(atoms);
  const masses = valuesOf(state, "masses").map((mass, node) =>
    atoms === undefined || group.has(node - nodeOffsets[systemOfNode[node]!]!) ? mass : 0
  );
  const centers = Array.from({ length: 3 * size }, (_, i) => center[i % center.length]!);
  return {
    masses: state.constants("real", masses, "node"),
    center: state.constants("real", centers, "system"),
    stiffness: state.constants("real", new Float64Array(size).fill(stiffness), "system"),
  };
}
