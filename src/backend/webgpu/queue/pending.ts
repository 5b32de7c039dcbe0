import type { CopyRequest } from "./copy_request.ts";
import { GpuRun } from "../program/gpu_run.ts";
import { ExternalWork } from "./external_work.ts";
import { FrameWord } from "../wgsl/module.ts";

/** What may have to be done again. */
export type Repeatable = GpuRun | CopyRequest | ExternalWork;

/** What was asked for on a batch since the last run of which it is known how it ended, in order. */
export class Pending {
  readonly #all: Repeatable[] = [];

  /** Whether there is anything. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Whether something may yet have to be done again, as a list was too short. */
  get isUnsure(): boolean {
    return this.#all.some((one) => one instanceof GpuRun && one.program.hasLists);
  }

  /** One more. */
  add(one: Repeatable): void {
    this.#all.push(one);
  }

  /** Forgets copies that have arrived. */
  forget(request: CopyRequest): void {
    const at = this.#all.indexOf(request);
    if (at >= 0) this.#all.splice(at, 1);
  }

  /** Takes note of what the device says of its runs: those that have ended need not be remembered. */
  note(words: Uint32Array): void {
    const last = words[FrameWord.RUN]!;
    const isHeld = words[FrameWord.OVERFLOW] !== 0; // the last one is not done, then
    const ended = (run: GpuRun) => run.number < last || (run.number === last && !isHeld);
    const kept = this.#all.filter((one) => {
      if (!(one instanceof GpuRun) || !ended(one)) return true;
      one.done = words[FrameWord.DONE + one.number % FrameWord.RING]!;
      return false;
    });
    // Only what follows a run that has not ended is ever done again.
    while (kept[0] instanceof ExternalWork) kept.shift();
    this.#all.splice(0, this.#all.length, ...kept);
  }

  /** What is to be done again after a list was too short: the run that it held up, and all that came after it. */
  held(): readonly [run: GpuRun, later: readonly Repeatable[]] {
    const at = this.#all.findIndex((one) => one instanceof GpuRun);
    return [this.#all[at] as GpuRun, this.#all.slice(at + 1)];
  }
}
