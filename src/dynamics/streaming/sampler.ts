/**
 * Selection of systems that fill a batch up to its limits.
 *
 * @module
 */

import { show } from "../../base/show.ts";
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

/** Free room of a batch. */
export interface Room {
  /** Number of systems that still fit. */
  readonly systems: number;
  /** Number of atoms that still fit. */
  readonly atoms: number;
  /** Number of edges that still fit. */
  readonly edges: number;
  /**
   * Numbers of atoms of the systems that have left. Systems of the same sizes take their slots without a new batch,
   * which is faster.
   */
  readonly freed?: readonly number[];
}

/** A system of a source, and its index there. */
export interface Sample {
  /** Index of the system in the source. */
  readonly index: number;
  /** The system. */
  readonly system: System;
}

/** Progress of a sampler, as plain data. */
export interface SavedSampler {
  /** One number per sample: 1 if it was taken, otherwise 0. */
  readonly taken: Uint8Array;
}

/**
 * Source of the systems of a stream: `engine.stream` takes systems for its batch from it. {@linkcode SizeAwareSampler}
 * is one; another class is needed only for sources whose length is unknown.
 */
export interface StreamSampler {
  /** Largest number of atoms in a batch. */
  readonly maxAtoms: number;
  /** Largest number of edges in a batch. */
  readonly maxEdges: number;
  /** Largest number of systems in a batch. */
  readonly maxSystems: number;
  /** Number of samples in the source, as far as it is known. */
  readonly length: number;
  /** True if all samples have been taken. */
  readonly isDry: boolean;
  /** Room of an empty batch: the limits. */
  readonly room: Room;
  /** Returns the number of edges of a sample; 0 if there is no limit for edges. */
  edgesOf(index: number): number;
  /** Returns the id that a sample has in the batch. */
  idOf(index: number): number;
  /** Takes samples that fit together into `room`. If it rejects, no sample is taken. */
  take(room?: Room): Promise<Sample[]>;
  /** Makes samples available again that were taken but not used. */
  giveBack(indices: Iterable<number>): void;
  /** Returns the progress for a checkpoint, as plain data. */
  save(): SavedSampler;
  /** Continues from a saved progress. Throws a TypeError if it belongs to another source. */
  load(saved: SavedSampler): void;
}

/**
 * Selects systems of a source, each once, so that a batch is as full as its limits allow. The largest system that
 * fits comes first, and smaller ones fill the rest. `engine.stream` takes the systems of its batch from a sampler.
 *
 * The constructor throws a TypeError if the source or an option is invalid. It throws a RangeError if a limit is not
 * a positive integer, if no limit is given, or if a sample exceeds the limits; the message names the sample.
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
export class SizeAwareSampler implements StreamSampler {
  /** Largest number of atoms in a batch. */
  readonly maxAtoms: number;
  /** Largest number of edges in a batch. */
  readonly maxEdges: number;
  /** Largest number of systems in a batch. */
  readonly maxSystems: number;
  /** Number of samples in the source. */
  readonly length: number;
  readonly #source: SampleList;
  readonly #atoms: Int32Array;
  readonly #edges: Int32Array;
  readonly #bins: readonly Bin[];
  readonly #taken: Uint8Array;
  #left: number;

  /** Creates a sampler without loading any system. If the source is a list, it must have `sizes`. */
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

  /**
   * Creates a sampler for any source. If the source is a list without `sizes`, such as the result of `openSystems`,
   * loads each system once to get its size.
   */
  static async open(source: SampleSource, options: SamplerOptions): Promise<SizeAwareSampler> {
    const list = listOf(`make ${NAME}`, source);
    if (list.sizes !== undefined) return new SizeAwareSampler(source, options);
    const sizes: { readonly atoms: number; readonly edges?: number }[] = [];
    for (let i = 0; i < list.length; i++) sizes.push(sizeOf(await list.get(i)));
    const sized = {
      length: list.length,
      get: (i: number) => list.get(i),
      sizes: (i: number) => sizes[i]!,
      id: (i: number) => list.id?.(i) ?? i,
    };
    return new SizeAwareSampler(sized, options);
  }

  /** Number of samples that have not been taken. */
  get left(): number {
    return this.#left;
  }

  /** True if all samples have been taken. */
  get isDry(): boolean {
    return this.#left === 0;
  }

  /** Room of an empty batch: the limits. */
  get room(): Room {
    return { systems: this.maxSystems, atoms: this.maxAtoms, edges: this.maxEdges };
  }

  /**
   * Returns the number of edges of a sample, according to its source; 0 if there is no limit for edges and the source
   * does not provide the number.
   */
  edgesOf(index: number): number {
    return this.#edges[index]!;
  }

  /** Returns the id that a sample has in the batch: the one that its source gives, otherwise its index. */
  idOf(index: number): number {
    return this.#source.id?.(index) ?? index;
  }

  /**
   * Takes samples that fit together into `room`, as many as it finds, and loads their systems. If a system cannot be
   * loaded, no sample is taken, and the promise rejects.
   */
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

  /** Makes samples available again that were taken but not used. */
  giveBack(indices: Iterable<number>): void {
    for (const index of indices) {
      if (this.#taken[index] !== 1) continue;
      this.#taken[index] = 0;
      this.#left++;
    }
    for (const bin of this.#bins) bin.head = 0;
  }

  /** Returns the progress for a checkpoint, as plain data. */
  save(): SavedSampler {
    return { taken: this.#taken.slice() };
  }

  /**
   * Continues from a saved progress. Throws a TypeError if `saved` is not a result of `save`, or belongs to a source
   * of another length.
   */
  load(saved: SavedSampler): void {
    const taken: unknown = (saved as Partial<SavedSampler> | undefined)?.taken;
    if (!(taken instanceof Uint8Array) || taken.length !== this.length) {
      const of = taken instanceof Uint8Array ? `one for ${taken.length} samples` : show(saved);
      throw new TypeError(
        `Cannot load ${NAME}: the state must be a result of save() for ${this.length} samples; got ${of}`,
      );
    }
    this.#taken.set(taken);
    this.#left = taken.reduce((left, one) => left - one, this.length);
    for (const bin of this.#bins) bin.head = 0;
  }

  /**
   * Picks the samples for `room`, and returns their indices. It picks the largest sample that fits, and among similar
   * sizes the first one.
   */
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
