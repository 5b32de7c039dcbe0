/**
 * A trajectory that a run goes on with: frames that are there already are not written again.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { expectFrames } from "../../observe/atoms/earlier_run.ts";
import { isSameMark, markIn } from "../../observe/atoms/system_mark.ts";
import type { Slice, SystemMask, SystemWriter } from "../../sinks/mod.ts";

/** A sink that can tell what it holds. */
interface KnownSink extends SystemWriter {
  readonly length: number;
  slice(slice: Slice): Promise<Batch>;
}

/** Contents of a sink before the first frame of this run. */
interface Before {
  /** The step of the last frame, -1 if the sink has no frame. */
  readonly last: number;
  /** The systems of which the last step is there. */
  readonly ids: ReadonlySet<number>;
}

/** Hands frames on that are newer than what the sink held at first: a resumed run does some steps again, to the bit. */
export class TrajectoryWriter implements SystemWriter {
  /** Path of the sink, if it has one. */
  readonly path: string | undefined;
  /** Removes all systems except the first so many, if the sink can. */
  readonly truncate?: (length: number) => Promise<void>;
  /** Systems that are at some places, if the sink can be read. */
  readonly slice?: (slice: Slice) => Promise<Batch>;
  readonly #sink: SystemWriter;
  #before: Before | undefined;
  /** True if the sink had the last frame already: then the length of the sink says nothing about this run. */
  #isBehind = false;

  constructor(sink: SystemWriter) {
    const { path, slice } = sink as Partial<KnownSink> & { readonly path?: string };
    this.#sink = sink;
    expectFrames(this); // frames that are there are compared with those of this run
    this.path = path;
    if (slice !== undefined) this.slice = (places) => slice.call(sink, places);
    if (sink.truncate !== undefined) {
      this.truncate = async (length) => {
        await sink.truncate!(length);
        this.#before = undefined;
        this.#isBehind = false;
      };
    }
  }

  /** Number of systems, `undefined` while the run repeats frames that are there. */
  get length(): number | undefined {
    return this.#isBehind ? undefined : this.#sink.length;
  }

  /** Opens the sink. What it holds is looked at with the first frame, once a resumed run has cut it back. */
  async open(): Promise<void> {
    await this.#sink.open?.();
    this.#before = undefined;
  }

  /** Writes the systems of a frame that are not there. Throws a RangeError if others of its step are. */
  async write(batch: Batch, mask?: SystemMask): Promise<void> {
    const step = batch.has("step") ? batch.get("step")[0]! : Infinity;
    const { last, ids: known } = this.#before ??= await this.#look(batch, step);
    this.#isBehind = step <= last;
    if (step < last) return;
    if (step > last) return await this.#sink.write(batch, mask);
    const ids = idsOf(batch);
    const isNew = Array.from(
      ids,
      (id, i) => !known.has(id) && (mask === undefined || Boolean(mask[i])),
    );
    await this.#sink.write(batch, isNew);
  }

  /** Waits until all of it is where it is to be. */
  flush(): void | PromiseLike<void> {
    return this.#sink.flush?.();
  }

  async #look(first: Batch, step: number): Promise<Before> {
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

  /** A run that was killed before its first checkpoint writes the same frames again; another run does not. */
  async #assertRepeated(first: Batch, step: number, last: number): Promise<void> {
    const there = await this.slice!({ steps: [step, step] }).catch((error) => {
      if (error instanceof RangeError) return undefined; // the sink has no frame of that step
      throw error;
    });
    const ids = idsOf(first), place = there && idsOf(there).indexOf(ids[ids.length - 1]!);
    if (place === -1) return; // a kill may have kept it from being written
    const now = there && markIn(there.select(Array.from(idsOf(there), (_, i) => i === place)));
    if (now !== undefined && isSameMark(now, markIn(first)!)) return;
    throw new RangeError(
      `Cannot write step ${step} to ${
        this.path ?? "the trajectory"
      }: it holds frames of another run up to step ` +
        `${last}. Remove them, or give this run a trajectory of its own`,
    );
  }
}

function idsOf(batch: Batch): Int32Array {
  return batch.get(batch.has("sourceId") ? "sourceId" : "systemId") as Int32Array;
}
