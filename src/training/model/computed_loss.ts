/**
 * The loss that a hook has computed: its check, and the derivatives for the backward pass.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import type { ComputedLoss, ComputeLossContext } from "../stages.ts";

/** Throws a TypeError or RangeError if a hook did not return a loss with its slopes. */
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

/** Returns the derivatives by every output, for the part of the step. */
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
