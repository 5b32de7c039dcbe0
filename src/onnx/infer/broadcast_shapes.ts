/**
 * Shapes of elementwise results.
 *
 * @module
 */

import type { Inferring, KnownShape } from "./fact.ts";
import { broadcastLengths, type KnownLength } from "./length.ts";

/**
 * Returns the shape to which all shapes broadcast; `undefined` if one of them is unknown. A length that cannot be
 * determined gets a fresh name.
 */
export function broadcastShapes(
  shapes: readonly (KnownShape | undefined)[],
  inferring: Inferring,
): KnownShape | undefined {
  let result: KnownShape | undefined = [];
  for (const shape of shapes) {
    if (shape === undefined || result === undefined) return undefined;
    result = broadcastTwo(result, shape, inferring);
  }
  return result;
}

function broadcastTwo(a: KnownShape, b: KnownShape, inferring: Inferring): KnownShape {
  if (a.length < b.length) return broadcastTwo(b, a, inferring);
  const missing = a.length - b.length;
  return a.map((length, i) =>
    i < missing ? length : broadcastAxis(length, b[i - missing] ?? 1, inferring)
  );
}

function broadcastAxis(a: KnownLength, b: KnownLength, inferring: Inferring): KnownLength {
  const length = broadcastLengths(a, b);
  if (length !== undefined) return length;
  if (typeof a === "string" || typeof b === "string") return inferring.fresh();
  return inferring.contradiction("lengths that are broadcast must be equal, or 1", `${a} and ${b}`);
}

/** Axes along which a tensor was broadcast. */
export interface BroadcastAxes {
  /**
   * Axes along which the tensor was certainly broadcast, including leading axes that its shape lacks. A gradient must
   * be summed over them.
   */
  readonly summed: readonly number[];
  /**
   * Axes along which the tensor may have been broadcast, depending on variable lengths. It was not broadcast along
   * axes in neither list.
   */
  readonly unsure: readonly number[];
}

/**
 * Returns the axes along which a tensor of shape `from` was broadcast to `shape`. A gradient must be summed over
 * these axes. An axis of length 1 in both shapes was not broadcast.
 *
 * @example
 * ```ts ignore
 * broadcastAxes(["E", 3], [3]); // { summed: [0], unsure: [] }
 * broadcastAxes(["E", 3], ["M", 1]); // { summed: [1], unsure: [0] }
 * ```
 */
export function broadcastAxes(shape: KnownShape, from: KnownShape): BroadcastAxes {
  const summed: number[] = [], unsure: number[] = [];
  const missing = shape.length - from.length;
  for (let axis = 0; axis < shape.length; axis++) {
    const length = shape[axis];
    const own = from[axis - missing];
    if (own === length) continue;
    if (own === undefined || own === 1) summed.push(axis);
    // A length other than 1 is never repeated.
    else if (typeof own === "string") unsure.push(axis);
  }
  return { summed, unsure };
}
