/**
 * A loss that a hook has computed: its check, and its derivatives for the backward pass.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import type { ComputedLoss, ComputeLossContext } from "../stages.ts";

/** Throws a TypeError or RangeError if the result of a hook is not a loss with derivatives of the right lengths. */
export function checkComputed(
  computed: ComputedLoss,
  outputs: ComputeLossContext["outputs"],
): void {
  const action = "differentiate a custom loss";
  if (typeof computed.loss !== "number" || !(computed.slopes instanceof Map)) {
    throw new TypeError(
      complaint(action, "its result must be { loss: number, slopes: Map }", computed),
    );
  }
  for (const [name, slope] of computed.slopes) {
    const wanted = outputs.get(name)?.data.length;
    if (slope?.length === wanted && wanted !== undefined) continue;
    throw new RangeError(
      `Cannot ${action}: slopes must have an array for each of the outputs (${
        [...outputs].map(([name, { data }]) => `${name}: ${data.length}`).join(", ")
      }); got ${name}: ${slope?.length}`,
    );
  }
}

/**
 * Returns the derivatives of the loss with respect to each output, multiplied by `part`, the fraction of the step's
 * samples. Missing derivatives are 0.
 */
export function slopesOf(
  { slopes }: ComputedLoss,
  outputs: ComputeLossContext["outputs"],
  part: number,
): Map<string, HostFeed> {
  return new Map([...outputs].map(([name, { dims, data }]) => [
    name,
    {
      data: Float32Array.from(slopes.get(name) ?? new Float32Array(data.length), (x) => part * x),
      dims,
    },
  ]));
}
