/**
 * When systems were as they are.
 *
 * @module
 */

import type { Batch } from "./batch.ts";

/** When, one entry per system. */
export interface Stamps {
  /** The steps done before. */
  readonly step: number | ArrayLike<number>;
  /** fs; NaN where steps take none. */
  readonly time: ArrayLike<number>;
}

/**
 * Notes of each system of a frame when it was so, in the fields `step` and `time`, and in `sourceId` the `systemId` that
 * it has in the run. Answers with the frame.
 */
export function stamped(frame: Batch, { step, time }: Stamps): Batch {
  // A batch that has run before has a time already: whatever it has, a frame has its fields in one order.
  for (const name of ["step", "time", "sourceId"]) if (frame.has(name)) frame.remove(name);
  const steps = typeof step === "number" ? step : Array.from(step);
  frame.set("step", steps, { level: "system", dtype: "i32", fill: -1 });
  frame.set("time", Array.from(time), { level: "system", dtype: "f64", unit: "fs", fill: NaN });
  frame.set("sourceId", frame.get("systemId"), { level: "system", dtype: "i32", fill: -1 });
  return frame;
}
