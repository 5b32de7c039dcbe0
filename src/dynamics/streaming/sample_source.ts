/**
 * Sources of the systems of a stream.
 *
 * @module
 */

import { isCount } from "../../base/check_number.ts";
import { System } from "../../batch/system.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** The size of a sample. */
export interface SampleSize {
  /** Atoms. */
  readonly atoms: number;
  /**
   * Edges: those it comes with, or those that it will have.
   *
   * @default not known
   */
  readonly edges?: number;
}

/** A list of systems that are got one by one, as `openSystems` opens one. */
export interface SampleList {
  /** The number of samples. */
  readonly length: number;
  /** Returns the system at an index. */
  get(index: number): System | PromiseLike<System>;
  /**
   * Returns the size of a sample without getting it.
   *
   * @default sizes are unknown: `SizeAwareSampler.open` gets each sample once
   */
  sizes?(index: number): SampleSize;
}

/** A source of a sampler: an array of systems, or a list. */
export type SampleSource = readonly System[] | SampleList;

/** The same as a list whose sizes are known. */
export interface SizedList extends SampleList {
  sizes(index: number): SampleSize;
}

/** Throws a TypeError if a value is neither an array of systems nor a list. */
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
    complaint(action, "the source must be an array of systems, or have length and get(i)", source),
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

/** Returns the sizes of all samples. Throws a TypeError for an invalid size. */
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
          `the size of sample ${index} must have the numbers of its ${members}`,
          size,
        ),
      );
    }
    atoms[index] = many;
    edges[index] = joined;
  }
  return { atoms, edges };
}
