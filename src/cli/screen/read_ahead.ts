/**
 * Structures of a screening that are read while others run.
 *
 * @module
 */

import type {
  Room,
  Sample,
  SavedSampler,
  StreamSampler,
} from "../../dynamics/streaming/sampler.ts";
import type { Structure } from "../run/structures.ts";

/** Largest number of atoms in a batch whose size the user does not choose. */
export const MOST_ATOMS = 8192;

/** Numbers of structures and atoms that wait for the batch. More would only need memory. */
const WINDOW = { structures: 512, atoms: 200_000 } as const;

/** Options of {@linkcode ReadAhead}. */
export interface ReadAheadOptions {
  /** Number of atoms in the batch; `undefined` if the user does not choose it. */
  readonly batchAtoms: number | undefined;
  /** True if the engine runs on a GPU. */
  readonly isGpu: boolean;
}

/** A structure that waits, with its index in the source. */
interface Waiting {
  readonly index: number;
  readonly structure: Structure;
}

/**
 * A sampler that reads structures from a source of unknown length, some more than the batch needs. Of the structures
 * that wait, the largest that fits is taken first. A structure that is larger than the batch is taken alone.
 */
export class ReadAhead implements StreamSampler {
  readonly maxAtoms: number;
  readonly maxEdges: number = Infinity;
  readonly maxSystems: number = Infinity;
  readonly #source: AsyncIterator<Structure>;
  /** Structures that wait, by their number of atoms, in the order of the source. */
  readonly #bins = new Map<number, Waiting[]>();
  /** Structures in the batch, until they are finished. */
  readonly #taken = new Map<number, Structure>();
  /** Numbers of structures that wait, and of their atoms. */
  #count = 0;
  #atoms = 0;
  /** Number of structures that were read. */
  #read = 0;
  #hasEnded = false;
  #hasFailed = false;

  private constructor(
    source: AsyncIterator<Structure>,
    maxAtoms: number,
    first: readonly Structure[],
  ) {
    this.maxAtoms = maxAtoms;
    this.#source = source;
    for (const structure of first) this.#add(this.#read++, structure);
  }

  /** Reads the first structures, from which the size of the batch follows unless the user chooses it. */
  static async begin(
    source: AsyncIterator<Structure>,
    { batchAtoms, isGpu }: ReadAheadOptions,
  ): Promise<ReadAhead> {
    const first: Structure[] = [];
    let atoms = 0, isAll = false;
    while (first.length < WINDOW.structures && atoms < WINDOW.atoms && !isAll) {
      const { done, value } = await source.next();
      isAll = done === true;
      if (done) break;
      first.push(value);
      atoms += sizeOf(value);
    }
    const most = isAll ? batchAtomsFor(first.map(sizeOf), isGpu) : MOST_ATOMS;
    const sampler = new ReadAhead(source, batchAtoms ?? most, first);
    sampler.#hasEnded = isAll;
    return sampler;
  }

  get isDry(): boolean {
    return this.#hasEnded && this.#count === 0;
  }

  /** True if reading has thrown an error. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Number of structures that were read. */
  get length(): number {
    return this.#read;
  }

  get room(): Room {
    return { systems: Infinity, atoms: this.maxAtoms, edges: Infinity };
  }

  edgesOf(_index: number): number {
    return 0;
  }

  idOf(index: number): number {
    return index;
  }

  /** Takes structures until the batch is full, and reads as many. */
  async take(room: Room = this.room): Promise<Sample[]> {
    const samples: Sample[] = [];
    let { atoms } = room;
    const { freed = [] } = room, isEmpty = atoms === this.maxAtoms;
    await this.#fill();
    for (const size of freed) {
      const sample = this.#next(size);
      if (sample !== undefined) samples.push(sample);
    }
    atoms -= samples.reduce((sum, { system }) => sum + system.nodeCount, 0);
    // Structures of other sizes cost a new batch, so they wait until they are needed.
    if (samples.length > 0 && samples.length === freed.length) {
      await this.#fill();
      return samples;
    }
    while (this.#count > 0) {
      const sizes = [...this.#bins.keys()];
      const fitting = sizes.filter((size) => size <= atoms);
      const largest = fitting.length > 0
        ? Math.max(...fitting)
        : isEmpty && samples.length === 0
        ? Math.min(...sizes) // larger than the batch
        : undefined;
      if (largest === undefined) break;
      samples.push(this.#next(largest)!);
      atoms -= largest;
      if (this.#count === 0) await this.#fill();
    }
    await this.#fill(); // so that it is known whether more follow
    return samples;
  }

  giveBack(indices: Iterable<number>): void {
    for (const index of indices) {
      const structure = this.#taken.get(index);
      if (structure === undefined) continue;
      this.#taken.delete(index);
      this.#add(index, structure);
    }
  }

  /** Returns a structure in the batch, and forgets it; `undefined` if it is already finished. */
  finish(index: number): Structure | undefined {
    const structure = this.#taken.get(index);
    this.#taken.delete(index);
    return structure;
  }

  /** Returns the structures in the batch that are not finished, and forgets them. */
  finishAll(): Structure[] {
    const all = [...this.#taken.values()];
    this.#taken.clear();
    return all;
  }

  save(): SavedSampler {
    return { taken: new Uint8Array(0) };
  }

  load(_saved: SavedSampler): void {
    throw new TypeError("Cannot load the sampler of a screening: its ledger has what is finished");
  }

  #add(index: number, structure: Structure): void {
    const size = sizeOf(structure), sample = { index, structure };
    const bin = this.#bins.get(size);
    if (bin === undefined) this.#bins.set(size, [sample]);
    else bin.push(sample);
    this.#count++;
    this.#atoms += size;
  }

  /** Takes the first waiting structure of a size. */
  #next(size: number): Sample | undefined {
    const bin = this.#bins.get(size), first = bin?.shift();
    if (first === undefined) return undefined;
    if (bin!.length === 0) this.#bins.delete(size);
    this.#count--;
    this.#atoms -= size;
    const { index, structure } = first;
    this.#taken.set(index, structure);
    return { index, system: structure.system };
  }

  async #fill(): Promise<void> {
    while (
      !this.#hasEnded && this.#count < WINDOW.structures && this.#atoms < WINDOW.atoms
    ) {
      this.#hasFailed = true; // unless the next structure can be read
      const { done, value } = await this.#source.next();
      this.#hasFailed = false;
      if (done) this.#hasEnded = true;
      else this.#add(this.#read++, value);
    }
  }
}

function sizeOf({ system }: Structure): number {
  return system.nodeCount;
}

/**
 * Returns the number of atoms in a batch for all structures of a screening: an eighth of all atoms, so that the first
 * structures are finished long before the last ones, within limits. A GPU needs about as long for a small batch as for a
 * large one.
 */
export function batchAtomsFor(sizes: readonly number[], isGpu: boolean): number {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return isGpu ? MOST_ATOMS : Math.min(MOST_ATOMS, Math.max(128, Math.ceil(all / 8)));
}
