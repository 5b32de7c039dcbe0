/**
 * Steps and times of samples.
 *
 * @module
 */

import type { Batch } from "./batch.ts";

/** Step and time of the systems of a sample. */
export interface Stamps {
  /** Number of steps done before the sample: one number for all systems, or one for each. */
  readonly step: number | ArrayLike<number>;
  /** Time of each system, fs; NaN for engines without time. */
  readonly time: ArrayLike<number>;
}

/**
 * Adds three fields to a frame and returns it: the `step` and the `time` of each system, and its `systemId` in the
 * run as `sourceId`.
 */
export function stamped(frame: Batch, { step, time }: Stamps): Batch {
  // A batch from an earlier run already has these fields. They are removed first, so that all frames have their
  // fields in the same order.
  for (const name of ["step", "time", "sourceId"]) if (frame.has(name)) frame.remove(name);
  const steps = typeof step === "number" ? step : Array.from(step);
  frame.set("step", steps, { level: "system", dtype: "i32", fill: -1 });
  frame.set("time", Array.from(time), { level: "system", dtype: "f64", unit: "fs", fill: NaN });
  frame.set("sourceId", frame.get("systemId"), { level: "system", dtype: "i32", fill: -1 });
  return frame;
}
