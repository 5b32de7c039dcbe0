/**
 * Sources of frames that can be read at any time.
 *
 * @module
 */

import type { FrameSource, ViewerFrame } from "../../protocol.ts";

/** Returns frames as a source. */
export function sourceOfFrames(name: string, frames: readonly ViewerFrame[]): FrameSource {
  return frameSource(name, frames.length, (index) => frames[index]!);
}

/** Returns a source whose frames are read by a function. */
export function frameSource(
  name: string,
  length: number,
  read: (index: number) => ViewerFrame,
): FrameSource {
  return {
    length,
    // deno-lint-ignore require-await -- an error rejects
    async frame(index) {
      if (Number.isInteger(index) && index >= 0 && index < length) return read(index);
      throw new RangeError(`Cannot read frame ${index} of ${name}: there are ${length} frames`);
    },
  };
}
