/**
 * Elements for formats that do not store them.
 *
 * @module
 */

import type { System } from "../batch/system.ts";
import type { FormatOptions } from "./format.ts";

/**
 * Returns the structure that provides the elements of a file.
 *
 * @throws {TypeError} if there is none
 * @throws {RangeError} if it has another number of atoms than the file
 */
export function topologyFor(
  { topology }: FormatOptions,
  { format, name, atoms }: {
    readonly format: string;
    readonly name: string;
    readonly atoms: number;
  },
): System {
  if (topology === undefined) {
    throw new TypeError(
      `Cannot read ${name}: ${format} files do not contain the elements of the atoms. ` +
        "Pass a structure with the same atoms as `topology`",
    );
  }
  if (topology.nodeCount === atoms) return topology;
  throw new RangeError(
    `Cannot read ${name}: its frames have ${atoms} atoms, but the topology has ${topology.nodeCount}`,
  );
}
