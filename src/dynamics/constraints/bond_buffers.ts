import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { BondList } from "./bond_list.ts";

/**
 * Default relative tolerance of bond lengths, by the precision of the backend. In float32 it is the smallest
 * tolerance that is reached safely. A tolerance below `LEAST` is raised to `LEAST`.
 */
const TOLERANCE = { f32: 1e-6, f64: 1e-10 } as const;
const LEAST = { f32: 5e-7, f64: 1e-15 } as const;

/**
 * Arguments of the bond kernels on a backend: `common` for all of these kernels, and `rows` for those that read the
 * lengths of the bonds.
 */
export interface BondBuffers {
  readonly common: {
    readonly starts: Buffer<"i32">;
    readonly clusters: Buffer<"i32">;
    readonly bonds: Buffer<"i32">;
    readonly held: Buffer<"i32"> | undefined;
    readonly cell: Buffer<"real">;
    readonly pbc: Buffer<"i32">;
    readonly tolerance: number;
    readonly most: number;
  };
  readonly rows: { readonly lengths: Buffer<"f64">; readonly width: number };
}

/** Uploads a list of bonds to the backend of a batch. `held` has the fixed directions of each atom. */
export function bondBuffers(
  state: ResidentBatch,
  { starts, clusters, bonds, lengths, width, tolerance, maxIterations }: BondList,
  held: Buffer<"i32"> | undefined,
): BondBuffers {
  const { real } = state.backend;
  return {
    common: {
      starts: state.constants("i32", starts, "starts"),
      clusters: state.constants("i32", clusters, "all"),
      bonds: state.constants("i32", bonds, "all"),
      held,
      cell: state.field("cell"),
      pbc: state.field<"i32">("pbc"),
      tolerance: Math.max(LEAST[real], tolerance ?? TOLERANCE[real]),
      most: maxIterations,
    },
    rows: {
      lengths: state.state("bondLengths", {
        dtype: "f64",
        level: "system",
        width,
        initial: lengths,
      }),
      width,
    },
  };
}
