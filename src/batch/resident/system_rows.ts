import type { Batch } from "../batch.ts";
import type { Level } from "../fields/fields.ts";

/**
 * The rows of each system in the columns of each level.
 *
 * The offsets are the ones that the batch had when it was uploaded. A batch that adds or removes systems gets new
 * offset arrays, but buffers that were created before keep their rows.
 */
export class SystemRows {
  /** Number of systems. */
  readonly size: number;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly nodeOffsets: Int32Array;
  readonly #edgeOffsets: Int32Array;

  /** Keeps references to the current offset arrays of a batch. */
  constructor({ size, nodeOffsets, edgeOffsets }: Batch) {
    this.size = size;
    this.nodeOffsets = nodeOffsets;
    this.#edgeOffsets = edgeOffsets;
  }

  /** Returns the number of rows of all systems. */
  count(level: Level): number {
    return this.of(level, this.size)[0];
  }

  /** Returns the first row of a system, and the row after its last one. */
  of(level: Level, system: number): readonly [first: number, end: number] {
    if (level === "system") return [system, system + 1];
    const offsets = level === "node" ? this.nodeOffsets : this.#edgeOffsets;
    return [offsets[system]!, offsets[system + 1]!];
  }

  /** Returns the rows of some systems as the fewest possible ranges, from `first` up to, but not including, `end`. */
  runsOf(level: Level, systems: Iterable<number>): (readonly [first: number, end: number])[] {
    return consecutive(systems).map(([from, to]) => {
      return [this.of(level, from)[0], this.of(level, to - 1)[1]] as const;
    });
  }
}

/**
 * Groups numbers in any order into ranges of consecutive numbers, from `from` up to, but not including, `to`. Each
 * range can then be written at once.
 */
export function consecutive(numbers: Iterable<number>): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === number) last[1]++;
    else runs.push([number, number + 1]);
  }
  return runs;
}
