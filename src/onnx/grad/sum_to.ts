import type { Attributes } from "../codec/attributes.ts";

/** Methods of a GradientWriter that `sumTo` uses. The class itself is not imported, because it imports `sumTo`. */
interface Writer {
  isOfShape(x: string, like: string): boolean;
  lengthsOf(x: string): readonly (number | string)[];
  rankOf(x: string): number;
  shapeOf(x: string): string;
  ints(values: readonly number[]): string;
  make(op: string, inputs: readonly (string | number)[], attributes?: Attributes): string;
  reduceSum(x: string, axes: readonly number[], keepsAxes?: boolean): string;
  reshape(x: string, shape: readonly number[]): string;
  unsqueeze(x: string, axes: readonly number[]): string;
  squeeze(x: string, axes: readonly number[]): string;
  expandLike(x: string, like: string): string;
}

/** Axes of x along which `like` was broadcast. */
interface Repeated {
  /** Axes along which `like` has length 1 and x does not. */
  readonly ones: readonly number[];
  /**
   * Axes along which `like` has a variable length. Only at run time it is known whether this length is 1 or the
   * length of x.
   */
  readonly open: readonly number[];
  /**
   * True if x has length 1 along an axis along which `like` is longer, so that x must be broadcast to the shape of
   * `like`.
   */
  readonly isShort: boolean;
}

/**
 * Adds nodes that reduce the value `x` to the shape of `like`, and returns the name of the result. Sums over the axes
 * along which `like` was broadcast, and broadcasts x along axes along which only x has length 1.
 */
export function sumTo(write: Writer, x: string, like: string): string {
  if (write.isOfShape(x, like)) return x;
  const to = write.lengthsOf(like), missing = to.length - write.rankOf(x);
  const whole = missing > 0 ? write.unsqueeze(x, firstAxes(missing)) : x;
  const lead = Math.max(-missing, 0);
  const { ones, open, isShort } = repeated(write.lengthsOf(whole), to, lead);
  const summed = open.length > 0
    ? sumWhereRepeated(write, whole, like, lead)
    : sumOver(write, whole, lead, ones);
  return isShort ? write.expandLike(summed, like) : summed;
}

function firstAxes(count: number): number[] {
  return Array.from({ length: count }, (_, axis) => axis);
}

function repeated(
  from: readonly (number | string)[],
  to: readonly (number | string)[],
  lead: number,
): Repeated {
  const ones: number[] = [], open: number[] = [];
  let isShort = false;
  for (const [i, other] of to.entries()) {
    const axis = lead + i, length = from[axis];
    if (length === other) continue;
    if (other === 1) ones.push(axis);
    else if (length === 1) isShort = true;
    else if (typeof other === "string") open.push(axis);
  }
  return { ones, open, isShort };
}

/**
 * Adds a sum over the first `lead` axes, which are removed, and over the axes `ones`, which get length 1. Returns the
 * name of the result.
 */
function sumOver(write: Writer, x: string, lead: number, ones: readonly number[]): string {
  if (lead === 0) return write.reduceSum(x, ones, true);
  const summed = write.reduceSum(x, [...firstAxes(lead), ...ones]);
  return write.unsqueeze(summed, ones.map((axis) => axis - lead));
}

/**
 * Adds a sum over the axes along which `like` has length 1, which are determined at run time. Returns the name of the
 * result.
 */
function sumWhereRepeated(write: Writer, x: string, like: string, lead: number): string {
  const own = write.shapeOf(like);
  const lengths = lead === 0
    ? own
    : write.make("Concat", [write.ints(new Array(lead).fill(1)), own], { axis: 0 });
  const isOne = write.make("Equal", [lengths, write.ints([1])]);
  const axes = write.reshape(write.make("NonZero", [isOne]), [-1]);
  const summed = write.make("ReduceSum", [x, axes], { keepdims: 1, noop_with_empty_axes: 1 });
  return write.squeeze(summed, firstAxes(lead));
}
