import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { type Model, type Outputs, outputsOf } from "../model.ts";
import { wantOf } from "../pair/pair_options.ts";

/** Arguments that the kernels of all bonded potentials share. */
export interface BondedArgs extends Outputs {
  /** Positions, Å. */
  readonly positions: Buffer<"real">;
  /** Cells, Å. */
  readonly cell: Buffer<"real">;
  /** Lattice vectors that atoms have crossed; `undefined` if they are not counted. */
  readonly images: Buffer<"i32"> | undefined;
  /** The bits of `Want`. */
  readonly want: number;
}

/**
 * Returns a model of one kernel. `open` uploads its parameters to the backend and returns a function that
 * makes the call of the kernel. `isInvariant` is true if a translation does not change the results.
 */
export function bondedModel(
  name: string,
  open: (state: ResidentBatch) => (args: BondedArgs) => KernelCall,
  isInvariant: boolean = false,
): Model {
  return {
    name,
    isInvariant,
    gives: ["energy", "forces", "stress"],
    open(state) {
      const callOf = open(state);
      const fields = {
        positions: state.field("positions"),
        cell: state.field("cell"),
        ...outputsOf(state),
      };
      return {
        calls: (wanted) => [callOf({ ...fields, images: state.images, want: wantOf(wanted) })],
      };
    },
  };
}
