import type { Attributes } from "../codec/attributes.ts";

/** What it takes of a GradientWriter, which calls this itself. */
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

/** Axes of a value that another one was repeated along. */
interface Repeated {
  /** Along which the other one has length 1 and this one another. */
  readonly ones: readonly number[];
  /** Along which the other one has a length that may be 1, or may be the same. */
  readonly open: readonly number[];
  /** Is the other one longer somewhere, so that this one has to be repeated instead? */
  readonly isShort: boolean;
}

/** Sums `x` to the shape of `like`, which was repeated to the shape of x; repeats x where it has length 1 itself. */
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

/** Sums over the first axes, which go, and over others, which stay with length 1. */
function sumOver(write: Writer, x: string, lead: number, ones: readonly number[]): string {
  if (lead === 0) return write.reduceSum(x, ones, true);
  const summed = write.reduceSum(x, [...firstAxes(lead), ...ones]);
  return write.unsqueeze(summed, ones.map((axis) => axis - lead));
}

/** Which axes are summed turns out when the graph runs: those along which `like` has length 1. */
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
