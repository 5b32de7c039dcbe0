/**
 * Sinks for the finished systems of a stream.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** A sink for systems that have finished in a stream. */
export interface GraduateSink {
  /**
   * Stores a copy of the systems of a batch, or of the systems with a nonzero or true entry in `mask`. If it throws,
   * it must have stored no system.
   */
  write(batch: Batch, mask?: ArrayLike<number | boolean>): void | PromiseLike<void>;
  /** Waits until all systems that were passed to `write` are stored safely. */
  flush?(): void | PromiseLike<void>;
  /** Opens an existing store, so that `length` is known before the first write. */
  open?(): void | PromiseLike<void>;
  /** Number of systems in the sink. */
  readonly length?: number;
  /** Largest number of systems that the sink can hold. @default no limit */
  readonly capacity?: number;
  /** Removes all systems after the first `length`. */
  truncate?(length: number): void | PromiseLike<void>;
  /** Returns all systems in the sink. Needed only if there is no `truncate`. */
  read?(): Batch | PromiseLike<Batch>;
}

/** Writes finished systems to several sinks in order. A sink is used when those before it are full. */
export class Graduates {
  readonly #engine: string;
  readonly #sinks: readonly GraduateSink[];
  /** Source ids of systems that a sink without `truncate` already holds. They are not written again. */
  #known: ReadonlySet<number> = new Set();
  /**
   * Lengths to which sinks must be truncated before the next write. They are not truncated earlier, so that a run
   * that is rejected leaves them unchanged.
   */
  readonly #cuts = new Map<GraduateSink, number>();

  /** Throws a TypeError if `sinks` is not a list of one or more sinks. */
  constructor(engine: string, sinks: unknown) {
    const action = `stream through ${engine}`;
    if (!Array.isArray(sinks) || sinks.length === 0) {
      throw new TypeError(complaint(action, "sinks must be an array of at least one sink", sinks));
    }
    for (const [i, sink] of sinks.entries()) {
      if (isSink(sink)) continue;
      throw new TypeError(
        complaint(
          action,
          `sink ${i} must be an object with a method write, such as new MemorySink()`,
          sink,
        ),
      );
    }
    this.#engine = engine;
    this.#sinks = sinks;
  }

  /** Opens all sinks, so that their lengths are known. */
  async open(): Promise<void> {
    for (const sink of this.#sinks) await sink.open?.();
  }

  /**
   * Writes all systems of a frame. Calls `wrote` with the indices (in the frame) of systems that are stored. Throws a
   * RangeError if the sinks do not have room for all of them; then nothing is written.
   */
  async write(frame: Batch, wrote: (places: readonly number[]) => void): Promise<void> {
    await this.#cutBack();
    const ids = frame.get("sourceId");
    const all = Array.from(ids, (_, place) => place);
    wrote(all.filter((place) => this.#known.has(ids[place]!)));
    let left = all.filter((place) => !this.#known.has(ids[place]!));
    const rooms = this.#sinks.map(roomIn);
    const room = rooms.reduce((sum, one) => sum + one, 0);
    if (room < left.length) {
      throw new RangeError(
        `Cannot stream through ${this.#engine}: the sinks must have capacity for ${left.length} finished systems; ` +
          `got capacity for ${room} in ${this.#sinks.length} sinks. The systems are still in the batch: ` +
          `call stream() again with more sinks`,
      );
    }
    for (const [i, sink] of this.#sinks.entries()) {
      const places = left.slice(0, Math.min(rooms[i]!, left.length));
      if (places.length === 0) continue;
      await sink.write(frame, Array.from(all, (place) => places.includes(place)));
      wrote(places);
      left = left.slice(places.length);
    }
  }

  /** Waits until all systems are stored safely in all sinks. */
  async flush(): Promise<void> {
    await this.#cutBack();
    for (const sink of this.#sinks) await sink.flush?.();
  }

  /** Returns the number of systems in each sink, or −1 if it is unknown. */
  lengths(): number[] {
    return this.#sinks.map((sink) => this.#cuts.get(sink) ?? sink.length ?? -1);
  }

  /**
   * Continues from a checkpoint at which the sinks held `lengths` systems. Later systems are removed before the next
   * write if the sink has `truncate`; otherwise they are not written again. Throws a RangeError if a sink holds fewer
   * systems than at the checkpoint.
   */
  async goBack(lengths: readonly number[]): Promise<void> {
    const known = new Set<number>(), cuts = new Map<GraduateSink, number>();
    for (const [i, sink] of this.#sinks.entries()) {
      const [then, now] = [lengths[i] ?? 0, sink.length ?? -1];
      if (then < 0 || now < 0 || now === then) continue;
      if (now < then) {
        throw new RangeError(
          `Cannot continue the stream of ${this.#engine}: sink ${i} must still hold the ${then} systems of the checkpoint; ` +
            `got ${now}`,
        );
      }
      if (sink.truncate !== undefined) cuts.set(sink, then);
      else for (const id of await idsFrom(this.#engine, sink, then, i)) known.add(id);
    }
    this.#known = known;
    for (const [sink, length] of cuts) this.#cuts.set(sink, length);
  }

  /**
   * Takes over the pending truncations and the known systems of the sinks of an earlier call, for the sinks that are
   * the same.
   */
  takeOver(earlier: Graduates): void {
    if (earlier.#sinks.every((sink) => this.#sinks.includes(sink))) this.#known = earlier.#known;
    for (const [sink, length] of earlier.#cuts) {
      if (this.#sinks.includes(sink)) this.#cuts.set(sink, length);
    }
  }

  async #cutBack(): Promise<void> {
    for (const [sink, length] of this.#cuts) {
      await sink.truncate!(length);
      this.#cuts.delete(sink);
    }
  }
}

function isSink(value: unknown): value is GraduateSink {
  return isObject(value) && typeof (value as Partial<GraduateSink>).write === "function";
}

function roomIn({ capacity = Infinity, length = 0 }: GraduateSink): number {
  return Math.max(0, capacity - length);
}

/**
 * Returns the source ids of the systems in a sink, except the first `from`. Throws a TypeError if they cannot be
 * read.
 */
async function idsFrom(
  engine: string,
  sink: GraduateSink,
  from: number,
  i: number,
): Promise<ArrayLike<number> & Iterable<number>> {
  const all = await sink.read?.();
  if (all?.has("sourceId")) return all.get("sourceId").slice(from) as Int32Array;
  throw new TypeError(
    `Cannot continue the stream of ${engine}: systems that were written to sink ${i} after the checkpoint must be ` +
      "removed or recognized, and the sink has neither truncate(length) nor a field sourceId in the batch of read(). " +
      "Use a sink with one of them, or begin a new stream with an empty sink",
  );
}
