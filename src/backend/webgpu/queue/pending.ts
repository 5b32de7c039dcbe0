import type { GpuFrame } from "../gpu_frame.ts";
import type { CopyRequest } from "./copy_request.ts";
import { GpuRun } from "../program/gpu_run.ts";
import { ExternalWork } from "./external_work.ts";
import { FrameWord } from "../wgsl/module.ts";

/** Work that can be repeated: a run, a copy, or work of other code. */
export type Repeatable = GpuRun | CopyRequest | ExternalWork;

/** The work on one batch since the last run whose result is known, in order. */
export class Pending {
  readonly #all: Repeatable[] = [];

  /** True if no work is pending. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** True if some work may have to be repeated, because a run fills a list that may be too short. */
  get isUnsure(): boolean {
    return this.#all.some((one) => one instanceof GpuRun && one.program.hasLists);
  }

  /** Adds work at the end. */
  add(one: Repeatable): void {
    this.#all.push(one);
  }

  /** Removes a copy that has arrived. */
  remove(request: CopyRequest): void {
    const at = this.#all.indexOf(request);
    if (at >= 0) this.#all.splice(at, 1);
  }

  /**
   * Removes the runs that have ended according to the words of the frame, and sets `done` of each to its number of
   * steps.
   */
  update(words: Uint32Array): void {
    const last = words[FrameWord.RUN]!;
    const isFrozen = words[FrameWord.OVERFLOW] !== 0; // if so, the last run has not ended
    const hasEnded = (run: GpuRun) => run.number < last || (run.number === last && !isFrozen);
    const kept = this.#all.filter((one) => {
      if (!(one instanceof GpuRun) || !hasEnded(one)) return true;
      one.done = words[FrameWord.DONE + one.number % FrameWord.RING]!;
      return false;
    });
    // Work of other code need not be repeated if all runs before it have ended.
    while (kept[0] instanceof ExternalWork) kept.shift();
    this.#all.splice(0, this.#all.length, ...kept);
  }

  /**
   * Returns the work to repeat after a list was too short: the run that found it too short, and all work after that
   * run.
   */
  toRepeat(): readonly [run: GpuRun, later: readonly Repeatable[]] {
    const at = this.#all.findIndex((one) => one instanceof GpuRun);
    return [this.#all[at] as GpuRun, this.#all.slice(at + 1)];
  }
}

/** The pending work of every batch on a device. */
export class PendingWork {
  readonly #byFrame = new Map<GpuFrame, Pending>();

  /** True if some work of a batch may have to be repeated. */
  get isUnsure(): boolean {
    for (const pending of this.#byFrame.values()) if (pending.isUnsure) return true;
    return false;
  }

  /** The frames of batches with pending work. */
  get frames(): GpuFrame[] {
    return [...this.#byFrame].filter(([, pending]) => !pending.isEmpty).map(([frame]) => frame);
  }

  /** Adds the frame of a batch. */
  enter(frame: GpuFrame): void {
    this.#byFrame.set(frame, new Pending());
  }

  /** Removes the frame of a batch, with its pending work. */
  leave(frame: GpuFrame): void {
    this.#byFrame.delete(frame);
  }

  /** Returns the pending work of a batch, or `undefined` if the batch was removed. */
  of(frame: GpuFrame): Pending | undefined {
    return this.#byFrame.get(frame);
  }

  /** Removes all batches. */
  clear(): void {
    this.#byFrame.clear();
  }
}
