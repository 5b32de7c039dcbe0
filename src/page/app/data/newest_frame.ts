/**
 * The newest structure of a run, as it changes.
 *
 * @module
 */

import type { RunSource, ViewerFrame } from "../../protocol.ts";

/** Shortest time between two frames, ms. */
const INTERVAL = 200;

/** Shows the newest structure again and again, one request at a time, until the user picks another. */
export class NewestFrame {
  /** True while the newest structure is shown. */
  isFollowed = true;
  readonly #source: RunSource;
  readonly #show: (frame: ViewerFrame) => void;
  #frame: ViewerFrame | undefined;
  #key: number | undefined;
  #isBusy = false;

  constructor(source: RunSource, show: (frame: ViewerFrame) => void) {
    this.#source = source;
    this.#show = show;
  }

  /** Frame that was shown last; undefined if there was none. */
  get frame(): ViewerFrame | undefined {
    return this.#frame;
  }

  /** Shows the newest structure, unless the one with this key was shown. A failed request is repeated with the next key. */
  async show(key?: number): Promise<void> {
    if (!this.isFollowed || key !== undefined && key === this.#key) return;
    this.#key = key;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.isFollowed) {
        const now = this.#key, frame = await this.#source.live();
        if (frame !== undefined && this.isFollowed) {
          this.#frame = frame;
          this.#show(frame);
        }
        await new Promise((resolve) => setTimeout(resolve, INTERVAL));
        if (this.#key === now) break;
      }
    } catch {
      // The banner shows that the connection is lost, or the run has no structure yet.
    } finally {
      this.#isBusy = false;
    }
  }
}
