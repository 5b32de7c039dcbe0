/**
 * Inputs of a model for several structures, as one batch.
 *
 * @module
 */

import type { Feeds } from "../../../onnx/session/session_tensor.ts";
import { COMPANION_ATOMS, CompanionFeeds, mayHaveCompanion } from "../parts/companion.ts";
import { PartFeeds } from "../feeds.ts";
import type { OnnxConstants } from "../fills.ts";
import { type OnnxArrays, type OnnxLists, OnnxPart } from "../onnx_part.ts";
import type { Structure, StructureModel } from "./structure.ts";

/** Inputs of a model for a batch of structures. */
export interface StructureFeeds {
  /** Tensors by name of the input. */
  readonly feeds: Feeds;
  /**
   * Number of atoms of the companion system at the end of the batch, which was added because a list was empty; 0 if
   * no system was added.
   */
  readonly added: number;
}

/**
 * Returns the inputs of a model for several structures as one batch. Lists are not padded.
 *
 * @param mayAdd true if a system may be added to fill empty lists, on which some graphs fail
 */
export function structureFeeds(
  model: StructureModel,
  structures: readonly Structure[],
  mayAdd: boolean,
): StructureFeeds {
  const constants = joinedConstants(structures), arrays = joinedArrays(structures, constants);
  const part = new OnnxPart(constants.nodeOffsets, 0, structures.length);
  const own = new PartFeeds(model, part, constants);
  if (!mayAdd || !mayHaveCompanion(model) || !own.hasEmptyList(arrays)) {
    return { feeds: own.fill(arrays), added: 0 };
  }
  const companion = new CompanionFeeds(model, part, constants);
  return { feeds: companion.fill(arrays), added: COMPANION_ATOMS };
}

function joinedConstants(structures: readonly Structure[]): OnnxConstants {
  const all = structures.map(({ constants }) => constants);
  const join = (name: "numbers" | "atomicNumbers" | "masses" | "pbc") =>
    all.flatMap((constants) => Array.from(constants[name]));
  const nodeOffsets = offsets(all.map(({ atomicNumbers }) => atomicNumbers.length));
  const systemOfNode = new Int32Array(nodeOffsets.at(-1)!);
  for (let s = 0; s < all.length; s++) {
    systemOfNode.fill(s, nodeOffsets[s]!, nodeOffsets[s + 1]!);
  }
  return {
    numbers: join("numbers"),
    atomicNumbers: join("atomicNumbers"),
    masses: join("masses"),
    pbc: join("pbc"),
    systemOfNode,
    nodeOffsets,
    infos: all.flatMap(({ infos }) => infos),
  };
}

/** Returns the prefix sums of `counts`: for each entry the sum of all earlier entries, followed by the total. */
function offsets(counts: readonly number[]): Int32Array {
  const at = new Int32Array(counts.length + 1);
  for (const [i, count] of counts.entries()) at[i + 1] = at[i]! + count;
  return at;
}

function joinedArrays(
  structures: readonly Structure[],
  { nodeOffsets }: OnnxConstants,
): OnnxArrays {
  const all = structures.map(({ arrays }) => arrays);
  const lists = all.flatMap(({ lists }) => lists ?? []);
  const charges = all.flatMap(({ charges }) => charges ?? []);
  return {
    active: joined(Int32Array, all.map(({ active }) => active)),
    positions: joined(Float32Array, all.map(({ positions }) => positions)),
    cell: joined(Float32Array, all.map(({ cell }) => cell)),
    charges: charges.length === 0 ? undefined : joined(Float32Array, charges),
    lists: lists.length === 0 ? undefined : joinedLists(lists, nodeOffsets),
  };
}

function joinedLists(all: readonly OnnxLists[], nodeOffsets: Int32Array): OnnxLists {
  const edges = offsets(all.map(({ counts }) => counts[0]!));
  const triplets = offsets(all.map(({ counts }) => counts[1]!));
  const list: OnnxLists = {
    counts: Int32Array.of(edges.at(-1)!, triplets.at(-1)!),
    index: new Int32Array(2 * edges.at(-1)!),
    shifts: joined(Float32Array, all.map(({ shifts }) => shifts)),
    systems: new Int32Array(edges.at(-1)!),
    centers: new Int32Array(triplets.at(-1)!),
    triplets: new Int32Array(2 * triplets.at(-1)!),
  };
  for (const [s, own] of all.entries()) {
    const [E, T] = [edges[s]!, triplets[s]!], first = nodeOffsets[s]!;
    list.systems.fill(s, E, edges[s + 1]);
    putRows(list.index, E, own.index, first);
    putRows(list.triplets, T, own.triplets, E);
    put(list.centers, T, own.centers, first);
  }
  return list;
}

/**
 * Copies the two rows of an array into a longer array of two rows, beginning at index `at` of each row, and adds
 * `plus` to each number.
 */
function putRows(to: Int32Array, at: number, values: Int32Array, plus: number): void {
  const half = values.length / 2;
  put(to, at, values.subarray(0, half), plus);
  put(to, to.length / 2 + at, values.subarray(half), plus);
}

function put(to: Int32Array, at: number, values: Int32Array, plus: number): void {
  // hot
  for (let i = 0; i < values.length; i++) to[at + i] = values[i]! + plus;
}

/** Returns the concatenation of arrays. */
function joined<T extends Int32Array | Float32Array>(
  Type: { new (length: number): T },
  arrays: readonly ArrayLike<number>[],
): T {
  const all = new Type(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}
