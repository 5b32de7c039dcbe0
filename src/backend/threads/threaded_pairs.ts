import type { Pairs, PairsOptions } from "../backend.ts";
import type { ThreadedFrame } from "./threaded_frame.ts";

/** A list of pairs of a batch: each thread has the list of its part. */
export class ThreadedPairs implements Pairs {
  readonly cutoff: number;
  readonly skin: number;
  /** Id of the list in requests to threads. */
  readonly id: number;
  /** The frame of the batch. */
  readonly frame: ThreadedFrame;

  constructor(id: number, frame: ThreadedFrame, options: PairsOptions) {
    const { cutoff, skin } = options;
    this.cutoff = cutoff;
    this.skin = skin;
    this.id = id;
    this.frame = frame;
    frame.send(() => ({ kind: "pairs", id, frame: frame.id, options: { cutoff, skin } }));
  }
}
