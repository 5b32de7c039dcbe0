/**
 * Sources of the systems of a stream.
 *
 * @module
 */

import { isCount } from "../../base/check_number.ts";
import { System } from "../../batch/system.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** Size of a sample. */
export interface SampleSize {
  /** Number of atoms. */
  readonly atoms: number;
  /**
   * Number of edges that the sample has, or will have once they are computed.
   *
   * @default not known
   */
  readonly edges?: number;
}

/** A list of systems that are loaded one by one, such as the result of `openSystems`. */
export interface SampleList {
  /** Number of samples. */
  readonly length: number;
  /** Returns the system at an index, from 0. */
  get(index: number): System | PromiseLike<System>;
  /**
   * Returns the size of the sample at an index without loading it.
   *
   * @default sizes are unknown: `SizeAwareSampler.open` loads each sample once
   */
  sizes?(index: number): SampleSize;
  /**
   * Returns the id that the system at an index has in the batch, a whole number 0 … 2³¹ − 1. The id selects the random
   * numbers of the system. Systems that are in the batch at the same time must have different ids.
   *
   * @default the index
   */
  id?(index: number): number;
}

/** Source of a sampler: an array of systems, or a list that loads them one by one. */
export type SampleSource = readonly System[] | SampleList;

/** A list of samples whose sizes are known. */
export interface SizedList extends SampleList {
  sizes(index: number): SampleSize;
}

/** Returns a source as a list. Throws a TypeError if it is neither an array of systems nor a list. */
export function listOf(action: string, source: unknown): SampleList {
  if (Array.isArray(source)) {
    const wrong = source.findIndex((one) => !(one instanceof System));
    if (wrong === -1) return arrayList(source as readonly System[]);
    throw new TypeError(complaint(action, `sample ${wrong} must be a System`, source[wrong]));
  }
  const { length, get, sizes } = (isObject(source) ? source : {}) as Partial<SampleList>;
  const isList = Number.isSafeInteger(length) && length! >= 0 && typeof get === "function" &&
    (sizes === undefined || typeof sizes === "function");
  if (isList) return source as SampleList;
  throw new TypeError(
    complaint(
      action,
      "the source must be an array of systems, or an object with length and get(i)",
      source,
    ),
  );
}

function arrayList(systems: readonly System[]): SizedList {
  return {
    length: systems.length,
    get: (index) => systems[index]!,
    sizes: (index) => sizeOf(systems[index]!),
  };
}

/** Returns the size of a loaded system. */
export function sizeOf({ nodeCount, edgeCount }: System): SampleSize {
  return { atoms: nodeCount, edges: edgeCount };
}

/**
 * Returns the sizes of all samples. If `withEdges` is true, the numbers of edges are required. Throws a TypeError if
 * a size is invalid.
 */
export function sizesOf(action: string, list: SizedList, withEdges: boolean): {
  readonly atoms: Int32Array;
  readonly edges: Int32Array;
} {
  const [atoms, edges] = [new Int32Array(list.length), new Int32Array(list.length)];
  for (let index = 0; index < list.length; index++) {
    const size: unknown = list.sizes(index);
    const { atoms: many, edges: joined = withEdges ? undefined : 0 } =
      (isObject(size) ? size : {}) as Partial<SampleSize>;
    if (!isCount(many) || !isCount(joined)) {
      const members = withEdges ? "atoms and edges" : "atoms";
      throw new TypeError(
        complaint(
          action,
          `sizes(${index}) must return the numbers of ${members} of the sample`,
          size,
        ),
      );
    }
    atoms[index] = many;
    edges[index] = joined;
  }
  return { atoms, edges };
}
