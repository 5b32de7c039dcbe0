/**
 * Writer of a trajectory for a run that may be resumed. Frames that exist already are not written again.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { expectFrames } from "../../observe/atoms/earlier_run.ts";
import { isSameMark, markIn } from "../../observe/atoms/system_mark.ts";
import type { Slice, SystemMask, SystemWriter } from "../../sinks/mod.ts";

/** A sink whose systems can be read. */
interface KnownSink extends SystemWriter {
  readonly length: number;
  slice(slice: Slice): Promise<Batch>;
}

/** Contents of a sink before the first frame of this run. */
interface Before {
  /** The step of the last frame; -1 if the sink has no frames, its frames have no step, or it cannot be read. */
  readonly last: number;
  /** Ids of the systems that the last frame contains; empty if all frames of this run are newer. */
  readonly ids: ReadonlySet<number>;
}

/**
 * Writes only frames that are newer than those in the sink. A resumed run repeats some steps, with bitwise identical
 * results.
 */
export class TrajectoryWriter implements SystemWriter {
  /** Path of the sink; undefined if the sink has no path. */
  readonly path: string | undefined;
  /** Truncates the sink to a number of systems. Undefined if the sink cannot be truncated. */
  readonly truncate?: (length: number) => Promise<void>;
  /** Returns a range of systems of the sink. Undefined if the sink cannot be read. */
  readonly slice?: (slice: Slice) => Promise<Batch>;
  readonly #sink: SystemWriter;
  #before: Before | undefined;
  /**
   * True if the sink already contained the frame that was written last. The length of the sink is then not the number
   * of systems that this run has written.
   */
  #isRepeating = false;

  constructor(sink: SystemWriter) {
    const { path, slice } = sink as Partial<KnownSink> & { readonly path?: string };
    this.#sink = sink;
    expectFrames(this); // existing frames are compared with those of this run
    this.path = path;
    if (slice !== undefined) this.slice = (range) => slice.call(sink, range);
    if (sink.truncate !== undefined) {
      this.truncate = async (length) => {
        await sink.truncate!(length);
        this.#before = undefined;
        this.#isRepeating = false;
      };
    }
  }

  /** Number of systems in the sink; `undefined` while the run repeats existing frames. */
  get length(): number | undefined {
    return this.#isRepeating ? undefined : this.#sink.length;
  }

  /**
   * Opens the sink. Existing frames are read only at the first `write`, because a resumed run may truncate the sink
   * before it.
   */
  async open(): Promise<void> {
    await this.#sink.open?.();
    this.#before = undefined;
  }

  /**
   * Writes the systems of a frame that the sink does not contain yet. Throws a RangeError if the sink contains a
   * different frame of the same step.
   */
  async write(batch: Batch, mask?: SystemMask): Promise<void> {
    const step = batch.has("step") ? batch.get("step")[0]! : Infinity;
    const { last, ids: known } = this.#before ??= await this.#readSink(batch, step);
    this.#isRepeating = step <= last;
    if (step < last) return;
    if (step > last) return await this.#sink.write(batch, mask);
    const ids = idsOf(batch);
    const isNew = Array.from(
      ids,
      (id, i) => !known.has(id) && (mask === undefined || Boolean(mask[i])),
    );
    await this.#sink.write(batch, isNew);
  }

  /** Waits until all systems are written. */
  flush(): void | PromiseLike<void> {
    return this.#sink.flush?.();
  }

  async #readSink(first: Batch, step: number): Promise<Before> {
    const nothing = { last: -1, ids: new Set<number>() };
    const { slice } = this, length = this.#sink.length ?? 0;
    if (slice === undefined || length === 0) return nothing;
    const tail = await slice({ from: length - 1 });
    if (!tail.has("step")) return nothing;
    const last = tail.get("step")[0]!;
    if (step > last) return { last, ids: nothing.ids };
    await this.#assertRepeated(first, step, last);
    return { last, ids: new Set(idsOf(await slice({ steps: [last, last] }))) };
  }

  /**
   * Throws a RangeError unless the sink contains the frame `first` of this run, or a part of it. A run that was
   * killed before its first checkpoint writes the same frames again; another run writes different ones.
   */
  async #assertRepeated(first: Batch, step: number, last: number): Promise<void> {
    const there = await this.slice!({ steps: [step, step] }).catch((error) => {
      if (error instanceof RangeError) return undefined; // the sink has no frame of that step
      throw error;
    });
    const ids = idsOf(first), index = there && idsOf(there).indexOf(ids[ids.length - 1]!);
    if (index === -1) return; // the process may have been killed before writing it
    const now = there && markIn(there.select(Array.from(idsOf(there), (_, i) => i === index)));
    if (now !== undefined && isSameMark(now, markIn(first)!)) return;
    throw new RangeError(
      `Cannot write step ${step} to ${
        this.path ?? "the trajectory"
      }: it holds frames of another run up to step ` +
        `${last}. Remove them, or use another file for this run`,
    );
  }
}

function idsOf(batch: Batch): Int32Array {
  return batch.get(batch.has("sourceId") ? "sourceId" : "systemId") as Int32Array;
}
