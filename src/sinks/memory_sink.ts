import { checkNumber } from "../base/check_number.ts";
import { checkOptions } from "../base/check_options.ts";
import type { Batch } from "../batch/batch.ts";
import { batchOfData } from "../batch/batch_of_data.ts";
import { checkLength } from "./check_length.ts";
import type { Sink, SystemMask } from "./sink.ts";
import { FieldPattern, taken } from "./copied_systems.ts";

/** What a {@linkcode MemorySink} can be told. */
export interface MemorySinkOptions {
  /**
   * How many systems it can hold.
   *
   * @default Infinity
   */
  readonly capacity?: number;
}

const WRITE = "write to a memory sink";

/**
 * Keeps copies of systems in memory, in the order in which they come.
 *
 * A batch is taken whole or not at all. Within what `read` gives each system has a `systemId` of its own, as in every
 * batch: the first that comes with an id keeps it. The hooks that write frames put the id that a system had in the
 * run into the field `sourceId`.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([
 *   { symbols: ["Ar"], positions: [0, 0, 0] },
 *   { symbols: ["Ne"], positions: [1, 0, 0] },
 * ]);
 * const sink = new MemorySink({ capacity: 3 });
 * sink.write(batch);
 * batch.get("positions")[3] = 2;
 * sink.write(batch, [false, true]);
 * assertEquals([sink.length, sink.isFull], [3, true]);
 * assertEquals([...sink.read().get("positions")], [0, 0, 0, 1, 0, 0, 2, 0, 0]);
 * ```
 */
export class MemorySink implements Sink, Disposable {
  /** How many systems it can hold. */
  readonly capacity: number;
  #batches: Batch[] = [];
  #length = 0;
  readonly #pattern = new FieldPattern();
  #isClosed = false;

  /** Throws a TypeError for options that are none, a RangeError for a capacity that is no count. */
  constructor(options: MemorySinkOptions = {}) {
    this.capacity = readCapacity(options);
  }

  /** How many systems it holds. */
  get length(): number {
    return this.#length;
  }

  /** Whether it can take no more. */
  get isFull(): boolean {
    return this.#length >= this.capacity;
  }

  /**
   * Takes a copy of the systems of a batch, or of those that the mask marks; of a batch under an engine, write
   * `await batch.snapshot()` instead.
   *
   * @throws {TypeError} for what is no batch or no mask, and for fields that differ from those of earlier systems
   * @throws {RangeError} when they do not all fit, and for a mask of another length; nothing is taken then
   * @throws {Error} while an engine holds the batch, and when the sink is closed
   */
  write(batch: Batch, mask?: SystemMask): void {
    if (this.#isClosed) throw new Error(`Cannot ${WRITE}: it must be open: it was closed`);
    const copy = taken(batch, mask, WRITE);
    if (copy === undefined) return;
    const count = copy.size;
    if (this.#length + count > this.capacity) {
      throw new RangeError(
        `Cannot ${WRITE}: ${count} systems more must fit into its capacity of ${this.capacity}: ` +
          `current length is ${this.#length}`,
      );
    }
    this.#pattern.join(copy);
    this.#batches.push(copy);
    this.#length += count;
  }

  /** All systems in the order in which they came, in a new batch. Throws a RangeError when there are none. */
  read(): Batch {
    if (this.#length === 0) {
      throw new RangeError(
        "Cannot read a memory sink: it must hold a system or more: current length is 0",
      );
    }
    return batchOfData(this.#batches.flatMap((batch) => batch.systems()));
  }

  /** The same, and the sink is empty afterwards. Throws a RangeError when it is empty before. */
  drain(): Batch {
    const all = this.read();
    this.clear();
    return all;
  }

  /** Forgets all systems. */
  clear(): void {
    this.#batches = [];
    this.#length = 0;
    this.#pattern.clear();
  }

  /** Forgets all systems but the first so many. Throws a RangeError for what is no count. */
  truncate(length: number): void {
    checkLength(length, "truncate a memory sink");
    if (length >= this.#length) return;
    const kept: Batch[] = [];
    for (let left = length, i = 0; left > 0; i++) {
      const batch = this.#batches[i]!, flags = new Uint8Array(batch.size).fill(1, 0, left);
      kept.push(left < batch.size ? batch.select(flags) : batch);
      left -= batch.size;
    }
    this.#batches = kept;
    this.#length = Math.min(length, this.#length);
    this.#pattern.clear();
    for (const batch of kept) this.#pattern.join(batch);
  }

  /** From now on it takes no more; what it holds can still be read. */
  close(): void {
    this.#isClosed = true;
  }

  /** The same as `close`. */
  [Symbol.dispose](): void {
    this.close();
  }
}

function readCapacity(options: MemorySinkOptions): number {
  const action = "make a memory sink";
  checkOptions(action, options, ["capacity"]);
  const { capacity = Infinity } = options;
  checkNumber(action, "capacity", capacity, {
    requirement: "a whole number from 1 on, or Infinity",
    holds: (x) => x === Infinity || Number.isSafeInteger(x) && x > 0,
  });
  return capacity;
}
