import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { type Model, type Outputs, outputsOf } from "../model.ts";
import { wantOf } from "../pair/pair_options.ts";

/** Arguments that the kernels of all bonded potentials share. */
export interface BondedArgs extends Outputs {
  /** Positions in Å, three per atom. */
  readonly positions: Buffer<"real">;
  /** Lattice vectors in Å, nine numbers per system. */
  readonly cell: Buffer<"real">;
  /**
   * Image counters, three per atom: the number of lattice vectors that wrapping has subtracted. `undefined` if images
   * are not counted.
   */
  readonly images: Buffer<"i32"> | undefined;
  /** Bits of `Want`, which select the outputs. */
  readonly want: number;
}

/**
 * Returns a model that consists of one kernel. `open` uploads the parameters to the backend, and returns a function
 * that creates the call of the kernel from its arguments. `isInvariant` is true if translations do not change the
 * results.
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
