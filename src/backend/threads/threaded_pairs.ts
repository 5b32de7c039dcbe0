import type { Pairs, PairsOptions } from "../backend.ts";
import type { ThreadedFrame } from "./threaded_frame.ts";

/** Lists of pairs, of each thread its own. */
export class ThreadedPairs implements Pairs {
  readonly cutoff: number;
  readonly skin: number;
  /** What threads call it. */
  readonly id: number;
  /** The batch. */
  readonly frame: ThreadedFrame;

  constructor(id: number, frame: ThreadedFrame, options: PairsOptions) {
    const { cutoff, skin } = options;
    this.cutoff = cutoff;
    this.skin = skin;
    this.id = id;
    this.frame = frame;
    frame.tell(() => ({ kind: "pairs", id, frame: frame.id, options: { cutoff, skin } }));
  }
}
