/**
 * A sink that goes on with a run: what was written after a checkpoint is taken off when the run goes on from that.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { SystemWriter } from "../../sinks/sink.ts";

/** How far a sink had come. */
export interface SavedSink {
  /** Systems that it held. */
  readonly length: number;
}

/** A sink as a hook has it. */
export class KeptSink {
  readonly #hook: string;
  readonly #sink: SystemWriter;
  #isKnown = false;
  /** So many are to be left before anything is written. */
  #cut: number | undefined;
  /** What went wrong while somebody else made it safe. */
  #failure: { readonly error: unknown } | undefined;

  constructor(hook: string, sink: SystemWriter) {
    this.#hook = hook;
    this.#sink = sink;
  }

  /** Opens it, and cuts it back to what the checkpoint knows of. */
  async open(): Promise<void> {
    if (this.#sink.length === undefined) return; // who cannot say how much it holds need not look
    await this.#sink.open?.();
    await this.#cutBack();
    this.#isKnown = true;
  }

  /** Writes a frame. Throws what went wrong with those before. */
  async write(frame: Batch): Promise<void> {
    this.#check();
    await this.#cutBack();
    await this.#sink.write(frame);
  }

  /** Waits until all of it is safe, for a checkpoint. What goes wrong is told to whoever writes next, too. */
  async flush(): Promise<void> {
    try {
      await this.#sink.flush?.();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /** Waits until all of it is safe. */
  async close(): Promise<void> {
    await this.#sink.flush?.();
    this.#check();
  }

  /** How much it holds; nothing where that is not known, and where it could not be cut back to that. */
  save(): SavedSink | undefined {
    if (this.#cut !== undefined) return { length: this.#cut };
    const { length } = this.#sink;
    const canGoBack = this.#isKnown && length !== undefined && this.#sink.truncate !== undefined;
    return canGoBack ? { length } : undefined;
  }

  /** Has it cut back to that before anything else is written. Throws a TypeError for what `save` did not give. */
  load(state: unknown): void {
    const length: unknown = isObject(state) ? state.length : undefined;
    if (!Number.isSafeInteger(length) || (length as number) < 0) {
      throw new TypeError(
        complaint(`load ${this.#hook}`, "its state must be what save() gave", state),
      );
    }
    this.#cut = length as number;
  }

  async #cutBack(): Promise<void> {
    const cut = this.#cut;
    if (cut === undefined) return;
    await this.#sink.truncate?.(cut);
    this.#cut = undefined;
  }

  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
