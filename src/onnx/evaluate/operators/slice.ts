import type { NodeProto } from "../../codec/messages.ts";
import { axesOf, listOf, refused, required } from "../operands.ts";
import type { Evaluate } from "../operator.ts";
import type { PlainTensor } from "../plain_tensor.ts";
import { gather, stridesOf } from "../strides.ts";

/** Selected elements along one axis: `length` elements from `start` on, `step` apart. */
interface Cut {
  readonly start: number;
  readonly step: number;
  readonly length: number;
}

/**
 * Returns the elements from `start` up to but not including `end`, `step` apart, of an axis with `length` elements.
 * Negative bounds count from the end. Bounds are clamped to the axis.
 */
function cutOf(length: number, start: number, end: number, step: number): Cut {
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (place: number) =>
    Math.min(Math.max(place < 0 ? place + length : place, low), high);
  // With a negative step, a start before the first element is clamped to the first element.
  const first = step > 0 ? clamp(start) : Math.max(clamp(start), Math.min(0, high));
  return { start: first, step, length: Math.max(0, Math.ceil((clamp(end) - first) / step)) };
}

/** Evaluates Slice: selects every `step`-th element along some axes, forward or backward. */
export const slice: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const strides = stridesOf(x.dims), dims = [...x.dims], apart = [...strides];
  let offset = 0;
  for (const { axis, start, end, step } of partsOf(inputs, x, node)) {
    const cut = cutOf(x.dims[axis]!, start, end, step);
    dims[axis] = cut.length;
    apart[axis] = strides[axis]! * step;
    offset += cut.start * strides[axis]!;
  }
  return [{ type: x.type, dims, data: gather({ data: x.data, strides: apart, offset }, dims) }];
};

/** Returns the axis, start, end and step of each slice, from inputs or, in files of old opsets, from attributes. */
function partsOf(inputs: readonly (PlainTensor | undefined)[], x: PlainTensor, node: NodeProto) {
  const rank = x.dims.length;
  const starts = listOf(inputs, 1, node, "starts") ?? [];
  const ends = listOf(inputs, 2, node, "ends") ?? [];
  const axes = axesOf(inputs, 3, rank, node) ?? [...starts.keys()];
  const steps = inputs[4] === undefined ? starts.map(() => 1) : Array.from(inputs[4].data);
  const lengths = [starts, ends, axes, steps].map((each) => each.length);
  if (new Set(lengths).size > 1 || starts.length > rank || steps.includes(0)) {
    throw refused(
      node,
      "starts, ends, axes and steps must have the same length, and steps must not be 0",
      `[${starts}], [${ends}], [${axes}], [${steps}]`,
    );
  }
  return axes.map((axis, i) => ({ axis, start: starts[i]!, end: ends[i]!, step: steps[i]! }));
}
