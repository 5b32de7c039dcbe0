/** Buffers to which potentials add. */
import type { Buffer } from "../../backend/backend.ts";
import { normals } from "../lab.ts";
import { seed, type World } from "../world.ts";

/** Forces, energies and virials before a potential adds its own. */
export interface Sums {
  readonly forces: Buffer<"real">;
  readonly energy: Buffer<"f64">;
  readonly virial: Buffer<"f64">;
}

/** Creates buffers of forces, energies and virials with numbers that depend on the system. */
export function sumsOf(world: World): Sums {
  return {
    forces: world.atom("forces"),
    energy: world.systems("f64", 1, ({ id }) => normals(1, seed(20, id))),
    virial: world.systems("f64", 9, ({ id }) => normals(9, seed(21, id))),
  };
}
