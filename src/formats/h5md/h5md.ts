/**
 * The format H5MD of trajectories: HDF5 files with positions, boxes, velocities and forces (version 1.1).
 *
 * @module
 */

import type { StructureFormat } from "../format.ts";
import type { Hdf } from "./library.ts";
import { readH5md } from "./read.ts";
import { h5mdWriter } from "./write.ts";

/** Returns the format H5MD, which reads and writes by a loaded library. */
export function h5md(hdf: Hdf): StructureFormat {
  return {
    name: "H5MD",
    frames: "many",
    read: (source, options) => readH5md(hdf, source, options),
    writesInPlace: true,
    write: (options, target) => h5mdWriter(hdf, options, target),
  };
}
