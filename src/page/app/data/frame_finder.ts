/**
 * Search for the frame of a step.
 *
 * @module
 */

import type { FrameSource } from "../../protocol.ts";

/** Reads of one search. Trajectories are nearly always evenly spaced, so that one or two are enough. */
const MOST_READS = 8;

/** Finds the frames of steps by interpolation between those that it has read. */
export class FrameFinder {
  readonly #source: FrameSource;
  readonly #steps = new Map<number, number>();
  #count = 0;
  #lastStep = 0;

  constructor(source: FrameSource) {
    this.#source = source;
  }

  /** Tells the number of frames, and the number of steps done. */
  expect(count: number, lastStep: number): void {
    if (count < this.#count) this.#steps.clear();
    this.#count = count;
    this.#lastStep = lastStep;
  }

  /** Returns the index of the frame nearest to a step; undefined if there are no frames. */
  async indexOf(step: number): Promise<number | undefined> {
    if (this.#count === 0) return undefined;
    let low = { index: 0, step: await this.#stepOf(0) };
    if (low.step === undefined || step <= low.step) return 0;
    let high = { index: this.#count - 1, step: Math.max(this.#lastStep, low.step + 1) };
    let isHighRead = false;
    for (let reads = 0; reads < MOST_READS && high.index - low.index > 1; reads++) {
      const part = (step - low.step!) / (high.step - low.step!);
      const guess = low.index + Math.round(part * (high.index - low.index));
      const index = Math.max(low.index + 1, Math.min(high.index - (isHighRead ? 1 : 0), guess));
      const found = await this.#stepOf(index);
      if (found === undefined || found === step) return index;
      if (found < step) {
        if (index === high.index) return index;
        low = { index, step: found };
      } else {
        high = { index, step: found };
        isHighRead = true;
      }
    }
    if (!isHighRead) high.step = await this.#stepOf(high.index) ?? high.step;
    return step - low.step! <= high.step - step ? low.index : high.index;
  }

  async #stepOf(index: number): Promise<number | undefined> {
    const known = this.#steps.get(index);
    if (known !== undefined) return known;
    const { step } = await this.#source.frame(index);
    if (step !== undefined) this.#steps.set(index, step);
    return step;
  }
}
