/**
 * Batches of systems that come and go, as full as they may be.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { type Bin, binned } from "./sample_bins.ts";
import {
  listOf,
  type SampleList,
  type SampleSource,
  type SizedList,
  sizeOf,
  sizesOf,
} from "./sample_source.ts";
import { checkSamplerOptions, NAME, type SamplerOptions } from "./sampler_options.ts";

/** The free room of a batch. */
export interface Room {
  /** Systems. */
  readonly systems: number;
  /** Atoms. */
  readonly atoms: number;
  /** Edges. */
  readonly edges: number;
}

/** A system of a source. */
export interface Sample {
  /** Index of the system in the source. */
  readonly index: number;
  /** The system. */
  readonly system: System;
}

/** The progress of a sampler: plain data. */
export interface SavedSampler {
  /** 1 for each sample that was taken. */
  readonly taken: Uint8Array;
}

/**
 * Hands out the systems of a source, each once, so that a batch is as full as its limits allow and never fuller: the
 * largest that fits comes first, and smaller ones fill the rest. `engine.stream` takes them from it.
 *
 * Throws a TypeError for an invalid source or option, and a RangeError for a limit that is not a positive integer, if
 * there is no limit, and for a sample that is larger than the limits, which it names.
 *
 * @example
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { SizeAwareSampler } from "@hooke/hooke/dynamics";
 * import { assertEquals } from "@std/assert";
 *
 * const [small, large] = [fcc({ element: "Ar", a: 5.26 }), fcc({ element: "Ar", a: 5.26, cells: 2 })];
 * const sampler = new SizeAwareSampler([small, large, small, small], { maxAtoms: 40 });
 * const first = await sampler.take();
 * assertEquals(first.map(({ index }) => index), [1, 0, 2]); // 32, 4 and 4 atoms
 * assertEquals([sampler.left, sampler.isDry], [1, false]);
 * ```
 */
export class SizeAwareSampler {
  /** Atoms that a batch may have at most. */
  readonly maxAtoms: number;
  /** Edges that it may have at most. */
  readonly maxEdges: number;
  /** Systems that it may have at most. */
  readonly maxSystems: number;
  /** The number of samples of the source. */
  readonly length: number;
  readonly #source: SampleList;
  readonly #atoms: Int32Array;
  readonly #edges: Int32Array;
  readonly #bins: readonly Bin[];
  readonly #taken: Uint8Array;
  #left: number;

  /** Nothing is got yet; a list must say its `sizes`. */
  constructor(source: SampleSource, options: SamplerOptions) {
    const action = `make ${NAME}`;
    checkSamplerOptions(action, options);
    const list = listOf(action, source);
    if (list.sizes === undefined) {
      throw new TypeError(
        `Cannot ${action}: the source must have sizes(i); got only length and get(i). ` +
          "Use SizeAwareSampler.open, which reads each system once to get its size",
      );
    }
    const { maxAtoms = Infinity, maxEdges = Infinity, maxSystems = Infinity } = options;
    [this.maxAtoms, this.maxEdges, this.maxSystems] = [maxAtoms, maxEdges, maxSystems];
    const { atoms, edges } = sizesOf(action, list as SizedList, maxEdges < Infinity);
    this.#source = list;
    this.length = this.#left = list.length;
    [this.#atoms, this.#edges] = [atoms, edges];
    this.#assertFit(action);
    this.#bins = binned(atoms, options);
    this.#taken = new Uint8Array(list.length);
  }

  /** The same for a list without `sizes`, such as `openSystems` gives: each system is got once to see how large it is. */
  static async open(source: SampleSource, options: SamplerOptions): Promise<SizeAwareSampler> {
    const list = listOf(`make ${NAME}`, source);
    if (list.sizes !== undefined) return new SizeAwareSampler(source, options);
    const sizes: { readonly atoms: number; readonly edges?: number }[] = [];
    for (let i = 0; i < list.length; i++) sizes.push(sizeOf(await list.get(i)));
    const sized = {
      length: list.length,
      get: (i: number) => list.get(i),
      sizes: (i: number) => sizes[i]!,
    };
    return new SizeAwareSampler(sized, options);
  }

  /** The number of samples that have not been taken. */
  get left(): number {
    return this.#left;
  }

  /** True if all have been taken. */
  get isDry(): boolean {
    return this.#left === 0;
  }

  /** A whole batch of room. */
  get room(): Room {
    return { systems: this.maxSystems, atoms: this.maxAtoms, edges: this.maxEdges };
  }

  /** Returns the edges of a sample, as its source has said. */
  edgesOf(index: number): number {
    return this.#edges[index]!;
  }

  /** Takes samples that fit together into a room, as many as it finds. Systems that cannot be read are not taken. */
  async take(room: Room = this.room): Promise<Sample[]> {
    const places = this.#pick(room);
    try {
      return await Promise.all(
        places.map(async (index) => ({ index, system: await this.#source.get(index) })),
      );
    } catch (error) {
      this.giveBack(places);
      throw error;
    }
  }

  /** Makes samples that were taken and not used available again. */
  giveBack(indices: Iterable<number>): void {
    for (const index of indices) {
      if (this.#taken[index] !== 1) continue;
      this.#taken[index] = 0;
      this.#left++;
    }
    for (const bin of this.#bins) bin.head = 0;
  }

  /** Returns its progress for a checkpoint: plain data. */
  save(): SavedSampler {
    return { taken: this.#taken.slice() };
  }

  /**
   * Continues from a saved state. Throws a TypeError if it is not a result of `save`, or belongs to a source of
   * another length.
   */
  load(saved: SavedSampler): void {
    const taken: unknown = (saved as Partial<SavedSampler> | undefined)?.taken;
    if (!(taken instanceof Uint8Array) || taken.length !== this.length) {
      const of = taken instanceof Uint8Array ? `one for ${taken.length} samples` : String(taken);
      throw new TypeError(
        `Cannot load ${NAME}: the state must be a result of save() for ${this.length} samples; got ${of}`,
      );
    }
    this.#taken.set(taken);
    this.#left = taken.reduce((left, one) => left - one, this.length);
    for (const bin of this.#bins) bin.head = 0;
  }

  /** Picks the largest sample that fits; of similar sizes the first one. */
  #pick(room: Room): number[] {
    const taken = this.#taken;
    const places: number[] = [];
    let { systems, atoms, edges } = room;
    for (const bin of this.#bins) {
      const { order } = bin;
      while (bin.head < order.length && taken[order[bin.head]!] === 1) bin.head++;
      for (let i = bin.head; i < order.length && bin.fewest <= atoms && systems > 0; i++) {
        const index = order[i]!;
        if (taken[index] === 1) continue;
        if (this.#atoms[index]! > atoms || this.#edges[index]! > edges) continue;
        taken[index] = 1;
        places.push(index);
        systems--;
        atoms -= this.#atoms[index]!;
        edges -= this.#edges[index]!;
      }
    }
    this.#left -= places.length;
    return places;
  }

  #assertFit(action: string): void {
    for (
      const [name, sizes, what] of [
        ["maxAtoms", this.#atoms, "atoms"],
        ["maxEdges", this.#edges, "edges"],
      ] as const
    ) {
      const large = sizes.findIndex((size) => size > this[name]);
      if (large === -1) continue;
      throw new RangeError(
        `Cannot ${action}: each sample must have at most ${this[name]} ${what} (${name}); got ${
          sizes[large]
        } in sample ${large}`,
      );
    }
    const empty = this.#atoms.indexOf(0);
    if (empty === -1) return;
    throw new RangeError(
      `Cannot ${action}: each sample must have at least one atom; got 0 in sample ${empty}`,
    );
  }
}
