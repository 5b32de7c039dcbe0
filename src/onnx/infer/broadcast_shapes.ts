/**
 * Shapes of what is computed element by element from tensors of several shapes.
 *
 * @module
 */

import type { Inferring, KnownShape } from "./fact.ts";
import { broadcastLengths, type KnownLength } from "./length.ts";

/** The shape that all of these broadcast to. Where that cannot be told of a length, it has a fresh name. */
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
  return inferring.contradiction("lengths that are combined must be equal, or 1", `${a} and ${b}`);
}

/** Along which axes of a result something was repeated to fit it, and along which it may have been. */
export interface BroadcastAxes {
  /** Repeated for sure: to be summed on the way back. Axes that the smaller one lacks are among them. */
  readonly summed: readonly number[];
  /** Cannot be told before the graph runs. All others were not repeated. */
  readonly unsure: readonly number[];
}

/**
 * How something of shape `from` was broadcast to `shape`: what undoing it has to sum over. Where a length is 1 on both
 * sides nothing was repeated.
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
    // Other numbers than 1 never repeat.
    else if (typeof own === "string") unsure.push(axis);
  }
  return { summed, unsure };
}
