import type { Batch } from "../batch.ts";
import type { Level } from "../fields/fields.ts";

/**
 * Rows of each system in columns of each level.
 *
 * The offsets are those of the time when the batch was uploaded. A batch that admits or drops
 * systems gets new offsets, so buffers created before still find their rows here.
 */
export class SystemRows {
  /** Number of systems. */
  readonly size: number;
  /** First atom of each system; one entry more than systems. */
  readonly nodeOffsets: Int32Array;
  readonly #edgeOffsets: Int32Array;

  /** Copies the offsets of a batch. */
  constructor({ size, nodeOffsets, edgeOffsets }: Batch) {
    this.size = size;
    this.nodeOffsets = nodeOffsets;
    this.#edgeOffsets = edgeOffsets;
  }

  /** Returns the number of rows of a whole column. */
  count(level: Level): number {
    return this.of(level, this.size)[0];
  }

  /** Returns the first row of a system, and the row after its last. */
  of(level: Level, system: number): readonly [first: number, end: number] {
    if (level === "system") return [system, system + 1];
    const offsets = level === "node" ? this.nodeOffsets : this.#edgeOffsets;
    return [offsets[system]!, offsets[system + 1]!];
  }

  /** Returns the rows of some systems as ranges [first, end), as few as possible. */
  runsOf(level: Level, systems: Iterable<number>): (readonly [first: number, end: number])[] {
    return consecutive(systems).map(([from, to]) => {
      return [this.of(level, from)[0], this.of(level, to - 1)[1]] as const;
    });
  }
}

/**
 * Groups numbers in any order into ranges [from, to) of consecutive numbers, so that each range
 * takes one write.
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
