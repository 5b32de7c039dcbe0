import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { type Model, type Outputs, outputsOf } from "../model.ts";
import { wantOf } from "../pair/pair_options.ts";

/** Arguments that the kernels of all bonded potentials have. */
export interface BondedArgs extends Outputs {
  /** Positions, Å. */
  readonly positions: Buffer<"real">;
  /** Cells, Å. */
  readonly cell: Buffer<"real">;
  /** Cells that atoms have crossed, if they are counted. */
  readonly images: Buffer<"i32"> | undefined;
  /** The bits of `Want`. */
  readonly want: number;
}

/**
 * Makes a model of one kernel. `open` brings its parameters to the backend, and returns what calls the kernel.
 * `isInvariant`: a translation changes nothing.
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
