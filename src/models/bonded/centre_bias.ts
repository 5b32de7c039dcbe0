import { call } from "../../backend/backend.ts";
import { centreBias as kernel } from "../../kernels/bonded/centre_bias.ts";
import { checkOptions } from "../../base/check_options.ts";
import { type Model, outputsOf, valuesOf } from "../model.ts";
import { positive, wantOf } from "../pair/pair_options.ts";

/** What {@linkcode centreBias} pulls at, and where to. */
export interface CentreBiasOptions {
  /** k, eV/Å². */
  readonly stiffness: number;
  /** Where the centre of mass should be: three numbers for all systems, or three for each, Å. */
  readonly centre: ArrayLike<number>;
  /**
   * The atoms of the group, counted within each system.
   *
   * @default all
   */
  readonly atoms?: readonly number[];
}

const NAME = "a bias on the centre of mass";

/**
 * A spring between the centre of mass of a group of atoms and a point, E = ½ k |d|²: a kernel, with energies, forces
 * and stresses. By itself it is a bias to be added to another model, as `sum` or a `BiasedPotentialHook` do.
 *
 * Throws a RangeError for parameters that cannot be, or do not fit the batch.
 *
 * @example
 * ```ts
 * import { centreBias } from "@hooke/hooke/models";
 *
 * const hold = centreBias({ stiffness: 0.5, centre: [5, 5, 5] });
 * console.log(hold.name);
 * ```
 */
export function centreBias(options: CentreBiasOptions): Model {
  checkOptions(`make ${NAME}`, options, ["stiffness", "centre", "atoms"]);
  const { stiffness, centre, atoms } = options;
  positive(NAME, "stiffness", stiffness);
  if (!Array.from(centre).every(Number.isFinite)) {
    throw new RangeError(
      `Cannot make ${NAME} as centre must have finite numbers: current value is ${
        Array.from(centre).join(", ")
      }`,
    );
  }
  return {
    name: NAME,
    gives: ["energy", "forces", "stress"],
    open(state) {
      const { size, nodeOffsets, systemOfNode } = state.batch;
      if (centre.length !== 3 && centre.length !== 3 * size) {
        throw new RangeError(
          `Cannot use ${NAME} as centre must have 3 numbers, or 3 for each of ${size} systems: current length is ${centre.length}`,
        );
      }
      const group = new Set(atoms);
      const masses = valuesOf(state, "masses").map((mass, node) =>
        atoms === undefined || group.has(node - nodeOffsets[systemOfNode[node]!]!) ? mass : 0
      );
      const centres = Array.from({ length: 3 * size }, (_, i) => centre[i % centre.length]!);
      const args = {
        positions: state.field("positions"),
        cell: state.field("cell"),
        masses: state.constants("real", masses, "node"),
        centre: state.constants("real", centres, "system"),
        stiffness: state.constants("real", new Float64Array(size).fill(stiffness), "system"),
        ...outputsOf(state),
      };
      return {
        calls: (wanted) => [call(kernel, { ...args, images: state.images, want: wantOf(wanted) })],
      };
    },
  };
}
