/**
 * A trajectory that a run goes on with: frames that are there already are not written again.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { Slice, SystemMask, SystemWriter } from "../../sinks/mod.ts";

/** A sink that can tell what it holds. */
interface KnownSink extends SystemWriter {
  readonly length: number;
  open?(): Promise<void>;
  slice(slice: Slice): Promise<Batch>;
}

/** Hands frames on that are newer than what the sink held at first: a resumed run does some steps again, to the bit. */
export class TrajectoryWriter implements SystemWriter {
  readonly #sink: SystemWriter;
  #last = -1;
  /** The systems of which the last step is there. */
  #ids: ReadonlySet<number> = new Set();

  constructor(sink: SystemWriter) {
    this.#sink = sink;
  }

  /** Looks at what is there. */
  async open(): Promise<void> {
    const sink = this.#sink as Partial<KnownSink>;
    await sink.open?.();
    if (sink.slice === undefined || (sink.length ?? 0) === 0) return;
    const tail = await sink.slice({ from: sink.length! - 1 });
    if (!tail.has("step")) return;
    this.#last = tail.get("step")[0]!;
    const frame = await sink.slice({ steps: [this.#last, this.#last] });
    this.#ids = new Set(frame.get(frame.has("sourceId") ? "sourceId" : "systemId"));
  }

  /** Writes the systems of a frame that are not there. */
  write(batch: Batch, mask?: SystemMask): void | PromiseLike<void> {
    const step = batch.has("step") ? batch.get("step")[0]! : Infinity;
    if (step < this.#last) return;
    if (step > this.#last) return this.#sink.write(batch, mask);
    const ids = batch.get(batch.has("sourceId") ? "sourceId" : "systemId");
    const isNew = Array.from(
      ids,
      (id, i) => !this.#ids.has(id) && (mask === undefined || Boolean(mask[i])),
    );
    return this.#sink.write(batch, isNew);
  }

  /** Waits until all of it is where it is to be. */
  flush(): void | PromiseLike<void> {
    return this.#sink.flush?.();
  }
}
