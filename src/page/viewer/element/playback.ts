/**
 * Playing of frames.
 *
 * @module
 */

/** Frames that playback moves through. */
export interface PlayedFrames {
  /** Number of frames, which may grow. */
  readonly length: number;
  /** Index of the frame on view. */
  readonly index: number;
  /** Shows a frame. Resolves once it is on view. */
  go(index: number): Promise<void>;
}

/** Shows frames one after the other at a steady pace. Slow frames slow it down, and none is skipped. */
export class Playback {
  /** Frames per second. */
  speed = 12;
  /** True if the first frame follows the last one. */
  loops = true;
  readonly #frames: () => PlayedFrames;
  readonly #onChange: () => void;
  /** Timer of the next frame; undefined while nothing plays. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts plays, so that a frame that arrives after a pause does not go on. */
  #plays = 0;

  /** `onChange` is called when playing begins or ends. */
  constructor(frames: () => PlayedFrames, onChange: () => void) {
    this.#frames = frames;
    this.#onChange = onChange;
  }

  /** True while frames are playing. */
  get isPlaying(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins to play, from the first frame if the last one is on view. */
  play(): void {
    const frames = this.#frames();
    if (this.isPlaying || frames.length < 2) return;
    const play = ++this.#plays;
    this.#wait(play, frames.index >= frames.length - 1 ? 0 : frames.index + 1);
    this.#onChange();
  }

  /** Stops at the frame on view. */
  pause(): void {
    if (!this.isPlaying) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#plays++;
    this.#onChange();
  }

  #wait(play: number, index: number, since: number = performance.now()): void {
    const wait = Math.max(0, since + 1000 / this.speed - performance.now());
    this.#timer = setTimeout(() => void this.#step(play, index), wait);
  }

  async #step(play: number, index: number): Promise<void> {
    const since = performance.now();
    await this.#frames().go(index);
    if (play !== this.#plays) return;
    const { length } = this.#frames();
    if (index + 1 < length) this.#wait(play, index + 1, since);
    else if (this.loops) this.#wait(play, 0, since);
    else this.pause();
  }
}
