/**
 * The sinks of a stream.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** A sink for systems that leave a stream. */
export interface GraduateSink {
  /** Takes a copy of the systems of a batch, or of those that the mask marks. If it throws, it has taken no system. */
  write(batch: Batch, mask?: ArrayLike<number | boolean>): void | PromiseLike<void>;
  /** Waits until all that was taken is where it is to be. */
  flush?(): void | PromiseLike<void>;
  /** Opens an existing store, so that `length` is known. */
  open?(): void | PromiseLike<void>;
  /** Number of systems it holds. */
  readonly length?: number;
  /** Number of systems it can hold. @default no limit */
  readonly capacity?: number;
  /** Removes all systems after the first `length`. */
  truncate?(length: number): void | PromiseLike<void>;
  /** Returns all systems that it holds. Needed only without `truncate`. */
  read?(): Batch | PromiseLike<Batch>;
}

/** Several sinks in a row: the first that is not full takes the systems. */
export class Graduates {
  readonly #engine: string;
  readonly #sinks: readonly GraduateSink[];
  /** Systems that a sink holds from before, which come again. */
  #known: ReadonlySet<number> = new Set();
  /** The lengths to which sinks are cut back before anything is written: a run that is refused leaves them as they are. */
  readonly #cuts = new Map<GraduateSink, number>();

  /** Throws a TypeError if a value is not a list of sinks. */
  constructor(engine: string, sinks: unknown) {
    const action = `stream through ${engine}`;
    if (!Array.isArray(sinks) || sinks.length === 0) {
      throw new TypeError(complaint(action, "sinks must be an array of at least one sink", sinks));
    }
    for (const [i, sink] of sinks.entries()) {
      if (isSink(sink)) continue;
      throw new TypeError(complaint(action, `sink ${i} must have a method write`, sink));
    }
    this.#engine = engine;
    this.#sinks = sinks;
  }

  /** Opens the sinks, so that their lengths are known. */
  async open(): Promise<void> {
    for (const sink of this.#sinks) await sink.open?.();
  }

  /**
   * Writes all systems of a frame, and calls back for those that are there. Throws a RangeError where there is not
   * room for all: nothing is written then.
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
        `Cannot stream through ${this.#engine}: its sinks must have room for ${left.length} finished systems; ` +
          `got room for ${room} in ${this.#sinks.length} sinks. The systems are still in the batch: ` +
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

  /** Waits until all is where it is to be. */
  async flush(): Promise<void> {
    await this.#cutBack();
    for (const sink of this.#sinks) await sink.flush?.();
  }

  /** Returns the number of systems in each, -1 if it is unknown. */
  lengths(): number[] {
    return this.#sinks.map((sink) => this.#cuts.get(sink) ?? sink.length ?? -1);
  }

  /**
   * Goes on from a checkpoint at which the sinks held `lengths` systems: later ones are removed before the next write,
   * or are not written again. Throws a RangeError for one that holds fewer.
   */
  async goBack(lengths: readonly number[]): Promise<void> {
    const known = new Set<number>(), cuts = new Map<GraduateSink, number>();
    for (const [i, sink] of this.#sinks.entries()) {
      const [then, now] = [lengths[i] ?? 0, sink.length ?? -1];
      if (then < 0 || now < 0 || now === then) continue;
      if (now < then) {
        throw new RangeError(
          `Cannot go on with the stream of ${this.#engine}: sink ${i} must still hold its ${then} systems; ` +
            `got ${now}`,
        );
      }
      if (sink.truncate !== undefined) cuts.set(sink, then);
      else for (const id of await idsFrom(this.#engine, sink, then, i)) known.add(id);
    }
    this.#known = known;
    for (const [sink, length] of cuts) this.#cuts.set(sink, length);
  }

  /** Goes on as the sinks of an earlier call would have, as far as they are the same. */
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

/** Returns the ids of the systems that a sink holds after the first `from`. */
async function idsFrom(
  engine: string,
  sink: GraduateSink,
  from: number,
  i: number,
): Promise<ArrayLike<number> & Iterable<number>> {
  const all = await sink.read?.();
  if (all?.has("sourceId")) return all.get("sourceId").slice(from) as Int32Array;
  throw new TypeError(
    `Cannot go on with the stream of ${engine}: sink ${i} holds systems that were written after the checkpoint, ` +
      "and has neither truncate(length) nor a field sourceId in read() to recognize them",
  );
}
