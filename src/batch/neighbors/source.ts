/**
 * Where lists of neighbors take atoms from.
 *
 * @module
 */

import { Batch } from "../batch.ts";
import { show } from "../../base/show.ts";

/** Atoms in plain arrays, such as a backend's views of them: systems one after the other, as in a batch. */
export interface NeighborSource {
  /** The first atom of each system, and the number of atoms. */
  readonly nodeOffsets: Int32Array;
  /** Å, three per atom, anywhere. */
  readonly positions: Float64Array | Float32Array;
  /** Å, nine per system: the lattice vectors a, b, c. Those along which it does not repeat are not looked at. */
  readonly cell: Float64Array | Float32Array;
  /** Whether the system repeats along a, b, c: three numbers per system, 0 or not. */
  readonly pbc: Uint8Array | Int32Array;
  /** Whole lattice vectors that wrapping took off, three per atom. Without them a wrapped atom has moved. */
  readonly images?: Int32Array | undefined;
  /** A number that is a system's own, by which it is known after systems have come and gone. */
  readonly systemId?: Int32Array | undefined;
}

/**
 * The arrays of a batch, or those given.
 *
 * @throws {TypeError} for what is no such array
 * @throws {RangeError} for arrays of wrong lengths
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
  };
}

const isReal = (x: unknown) => x instanceof Float64Array || x instanceof Float32Array;
const isInt = (x: unknown) => x instanceof Int32Array;

function checkSource(source: NeighborSource): void {
  if (typeof source !== "object" || source === null) {
    throw new TypeError(
      `Cannot list neighbors as there must be a batch, or arrays of its fields: current value is ${
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
      `Cannot list neighbors as ${name} must be ${kind}: current value is ${show(value)}`,
    );
  }
  const current = (value as Int32Array).length;
  if (length === undefined || current === length) return;
  throw new RangeError(
    `Cannot list neighbors as ${name} must have ${length} values: current length is ${current}`,
  );
}

function checkOffsets(offsets: Int32Array): void {
  let isRising = offsets[0] === 0;
  for (let s = 1; s < offsets.length; s++) isRising &&= offsets[s]! >= offsets[s - 1]!;
  if (isRising) return;
  throw new RangeError(
    `Cannot list neighbors as nodeOffsets must begin with 0 and never fall: current value is ${
      show(offsets)
    }`,
  );
}
