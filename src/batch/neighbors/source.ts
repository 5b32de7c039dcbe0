/**
 * Inputs of neighbor lists.
 *
 * @module
 */

import { Batch } from "../batch.ts";
import { show } from "../../base/show.ts";
import type { Info } from "../store.ts";

/**
 * Atoms in plain arrays, such as views of a backend's buffers. The atoms of each system are consecutive, as in a
 * batch.
 */
export interface NeighborSource {
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly nodeOffsets: Int32Array;
  /** Positions, Å, three per atom. They need not be wrapped into the cell. */
  readonly positions: Float64Array | Float32Array;
  /**
   * Cells, Å, nine per system: the lattice vectors a, b, c. Vectors of directions that are not
   * periodic are ignored.
   */
  readonly cell: Float64Array | Float32Array;
  /** Periodicity along a, b, c: three numbers per system, nonzero if periodic. */
  readonly pbc: Uint8Array | Int32Array;
  /** Lattice translations removed by wrapping, three per atom. If they are missing, wrapping counts as a movement. */
  readonly images?: Int32Array | undefined;
  /** Id of each system, which identifies it after systems were added, removed or reordered. @default the slots */
  readonly systemId?: Int32Array | undefined;
  /** The `info` of each system. Errors name the system by its `label`, `name` or `file`. */
  readonly infos?: readonly Info[] | undefined;
}

/**
 * Returns the arrays of a batch. Checks and returns the arrays of any other source.
 *
 * @throws {TypeError} if an array is missing or of the wrong type
 * @throws {RangeError} if an array has a wrong length
 */
export function sourceOf(atoms: Batch | NeighborSource): NeighborSource {
  if (!(atoms instanceof Batch)) {
    checkSource(atoms);
    return atoms;
  }
  return {
    nodeOffsets: atoms.nodeOffsets,
    positions: atoms.get("positions"),
    cell: atoms.get("cell"),
    pbc: atoms.get("pbc"),
    images: atoms.has("images") ? atoms.get("images") : undefined,
    systemId: atoms.get("systemId"),
    infos: atoms.infos,
  };
}

const isReal = (x: unknown) => x instanceof Float64Array || x instanceof Float32Array;
const isInt = (x: unknown) => x instanceof Int32Array;

function checkSource(source: NeighborSource): void {
  if (typeof source !== "object" || source === null) {
    throw new TypeError(
      `Cannot list neighbors: the argument must be a batch, or arrays of its fields; got ${
        show(source)
      }`,
    );
  }
  const { nodeOffsets, positions, cell, pbc, images, systemId } = source;
  check("nodeOffsets", nodeOffsets, isInt(nodeOffsets), "an Int32Array");
  checkOffsets(nodeOffsets);
  const systems = nodeOffsets.length - 1;
  const atoms = nodeOffsets[systems]!;
  const real = "a Float64Array or Float32Array";
  check("positions", positions, isReal(positions), real, 3 * atoms);
  check("cell", cell, isReal(cell), real, 9 * systems);
  const isFlags = pbc instanceof Uint8Array || isInt(pbc);
  check("pbc", pbc, isFlags, "a Uint8Array or Int32Array", 3 * systems);
  if (images !== undefined) check("images", images, isInt(images), "an Int32Array", 3 * atoms);
  if (systemId === undefined) return;
  check("systemId", systemId, isInt(systemId), "an Int32Array", systems);
}

function check(name: string, value: unknown, isArray: boolean, kind: string, length?: number) {
  if (!isArray) {
    throw new TypeError(
      `Cannot list neighbors: ${name} must be ${kind}; got ${show(value)}`,
    );
  }
  const current = (value as Int32Array).length;
  if (length === undefined || current === length) return;
  throw new RangeError(
    `Cannot list neighbors: ${name} must have ${length} values; got ${current}`,
  );
}

function checkOffsets(offsets: Int32Array): void {
  let isRising = offsets[0] === 0;
  for (let s = 1; s < offsets.length; s++) isRising &&= offsets[s]! >= offsets[s - 1]!;
  if (isRising) return;
  throw new RangeError(
    `Cannot list neighbors: nodeOffsets must begin with 0 and not decrease; got ${show(offsets)}`,
  );
}
