import { checkNumber } from "../base/check_number.ts";
import { checkOptions } from "../base/check_options.ts";
import type { Batch } from "../batch/batch.ts";
import { batchOfData } from "../batch/batch_of_data.ts";
import { checkLength, fullError } from "./check_length.ts";
import type { Sink, SystemMask } from "./sink.ts";
import { copySystems, FieldPattern } from "./copied_systems.ts";

/** Options of {@linkcode MemorySink}. */
export interface MemorySinkOptions {
  /**
   * Largest number of systems.
   *
   * @default Infinity
   */
  readonly capacity?: number;
}

const WRITE = "write to a memory sink";

/**
 * Keeps copies of systems in memory, in the order in which they are written.
 *
 * A batch is stored entirely or not at all. In the batch that `read` returns, each system has a unique `systemId`, as
 * in every batch: only the first system with an id keeps it, and the others get new ids. The hooks that write frames
 * store the id of a system in the run in the field `sourceId`.
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
  /** Largest number of systems. */
  readonly capacity: number;
  #batches: Batch[] = [];
  #length = 0;
  readonly #pattern = new FieldPattern();
  #isClosed = false;

  /**
   * Creates the sink. Throws a TypeError if the options are not valid, and a RangeError if the capacity is not a
   * positive integer or Infinity.
   */
  constructor(options: MemorySinkOptions = {}) {
    this.capacity = readCapacity(options);
  }

  /** Number of systems. */
  get length(): number {
    return this.#length;
  }

  /** True if the sink has reached its capacity. */
  get isFull(): boolean {
    return this.#length >= this.capacity;
  }

  /**
   * Copies the systems of a batch, or those that the mask selects. If an engine holds the batch, write `await
   * batch.snapshot()` instead.
   *
   * @throws {TypeError} if the batch or the mask is of the wrong kind, or fields differ from those of earlier
   * systems
   * @throws {RangeError} if the systems exceed the capacity or the mask has another length; no system is
   * stored then
   * @throws {Error} if an engine holds the batch, or the sink is closed
   */
  write(batch: Batch, mask?: SystemMask): void {
    if (this.#isClosed) throw new Error(`Cannot ${WRITE}: the sink is closed`);
    const copy = copySystems(batch, mask, WRITE);
    if (copy === undefined) return;
    const count = copy.size;
    if (this.#length + count > this.capacity) {
      throw fullError(WRITE, count, this);
    }
    this.#pattern.join(copy);
    this.#batches.push(copy);
    this.#length += count;
  }

  /**
   * Returns all systems in the order in which they were written, in a new batch. Throws a RangeError if the
   * sink is empty.
   */
  read(): Batch {
    if (this.#length === 0) {
      throw new RangeError(
        "Cannot read a memory sink: it is empty",
      );
    }
    return batchOfData(this.#batches.flatMap((batch) => batch.systems()));
  }

  /** Returns all systems and empties the sink. Throws a RangeError if the sink is empty. */
  drain(): Batch {
    const all = this.read();
    this.clear();
    return all;
  }

  /** Removes all systems. */
  clear(): void {
    this.#batches = [];
    this.#length = 0;
    this.#pattern.clear();
  }

  /** Removes all systems except the first `length`. Throws a RangeError if `length` is not a non-negative integer. */
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

  /** Closes the sink. It accepts no more systems; it can still be read. */
  close(): void {
    this.#isClosed = true;
  }

  /** Closes the sink, as `close` does. */
  [Symbol.dispose](): void {
    this.close();
  }
}

function readCapacity(options: MemorySinkOptions): number {
  const action = "make a memory sink";
  checkOptions(action, options, ["capacity"]);
  const { capacity = Infinity } = options;
  checkNumber(action, "capacity", capacity, {
    requirement: "a positive integer, or Infinity",
    holds: (x) => x === Infinity || Number.isSafeInteger(x) && x > 0,
  });
  return capacity;
}
