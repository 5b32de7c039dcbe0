import { call } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { centerBias as kernel } from "../../kernels/bonded/center_bias.ts";
import { checkOptions } from "../../base/check_options.ts";
import { type Model, valuesOf } from "../model.ts";
import { checkNumber, POSITIVE } from "../../base/check_number.ts";
import { bondedModel } from "./bonded_model.ts";

/** What {@linkcode centerBias} pulls at, and where to. */
export interface CenterBiasOptions {
  /** k, eV/Å². */
  readonly stiffness: number;
  /** Where the center of mass should be: three numbers for all systems, or three for each, Å. */
  readonly center: ArrayLike<number>;
  /**
   * The atoms of the group, counted within each system.
   *
   * @default all
   */
  readonly atoms?: readonly number[];
}

const NAME = "a bias on the center of mass";

/**
 * A spring between the center of mass of a group of atoms and a point, E = ½ k |d|²: a kernel, with energies, forces
 * and stresses. By itself it is a bias to be added to another model, as `sum` or a `BiasedPotentialHook` do.
 *
 * Throws a RangeError for parameters that cannot be, or do not fit the batch.
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

/** Brings the bias of a batch to its backend. Throws a RangeError for a center that does not fit the batch. */
function biasOn(state: ResidentBatch, { stiffness, center, atoms }: CenterBiasOptions) {
  const { size, nodeOffsets, systemOfNode } = state.batch;
  if (center.length !== 3 && center.length !== 3 * size) {
    throw new RangeError(
      `Cannot use ${NAME}: center must have 3 numbers, or 3 for each of ${size} systems: current length is ${center.length}`,
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
