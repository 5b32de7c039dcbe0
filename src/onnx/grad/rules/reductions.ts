import type { GradientWriter } from "../gradient_writer.ts";
import { overRoot } from "../at_edges.ts";
import { Reduction } from "../reduction.ts";
import type { OperatorGradient, Step } from "../rule.ts";

/** Creates a rule from a function that adds the gradient of the input and returns its name. */
function reduction(
  rule: (step: Step, write: GradientWriter, over: Reduction) => string,
): OperatorGradient {
  return (step, write) => [() => rule(step, write, new Reduction(step, write))];
}

/** Rules of reductions. */
export const REDUCTIONS: Readonly<Record<string, OperatorGradient>> = {
  ReduceSum: reduction(({ g }, _write, over) => over.spread(g)),
  ReduceMean: reduction(({ g }, _write, over) => over.spread(over.divided(g))),
  ReduceSumSquare: reduction(({ a, g }, write, over) => write.mul(write.mul(a, over.spread(g)), 2)),
  ReduceL1: reduction(({ a, g }, write, over) => write.signed(over.spread(g), a)),
  // The derivative is 0 where the norm is 0, as in PyTorch.
  ReduceL2: reduction(({ a, y, g }, write, over) => {
    return write.mul(a, over.spread(overRoot(write, g, y)));
  }),
  ReduceLogSum: reduction(({ y, g }, write, over) =>
    over.spread(write.div(g, write.make("Exp", [y])))
  ),
  ReduceLogSumExp: reduction(({ a, y, g }, write, over) => {
    const part = write.make("Exp", [write.sub(a, over.kept(y))]);
    return write.mul(part, over.kept(g));
  }),
  // Equal elements get equal shares, as in PyTorch's amax.
  ReduceMax: reduction(extreme),
  ReduceMin: reduction(extreme),
  ReduceProd: reduction(product),
};

function extreme({ a, y, g }: Step, write: GradientWriter, over: Reduction): string {
  const is = write.make("Equal", [a, over.kept(y)]);
  const count = over.sumKept(write.cast(is, write.typeOf(a)));
  return write.where(is, write.expandLike(write.div(over.kept(g), count), a), 0);
}

/**
 * Adds nodes for g times the product of the other elements, without dividing by an element that may be 0, and returns
 * the name of the result. The elements are repeated to a square matrix, the diagonal is replaced by 1, and the
 * product is taken along the rows.
 */
function product({ a, g }: Step, write: GradientWriter, over: Reduction): string {
  const { axes } = over, rank = write.rankOf(a);
  if (axes.length === 0) return g;
  const staying = Array.from({ length: rank }, (_, axis) => axis).filter((i) => !axes.includes(i));
  const order = [...staying, ...axes];
  const moved = write.transpose(a, order);
  const length = axes.map((axis) => write.lengthOf(a, axis))
    .reduce((count, one) => write.make("Mul", [count, one]));
  const lengths = [...staying.map((axis) => write.lengthOf(a, axis)), length];
  const flat = write.reshape(moved, joined(write, lengths));
  const places = write.make("Range", [
    write.scalar(0, "i64"),
    write.squeeze(length, [0]),
    write.scalar(1, "i64"),
  ]);
  const own = write.make("Equal", [write.unsqueeze(places, [0]), write.unsqueeze(places, [1])]);
  const square = write.where(own, 1, write.unsqueeze(flat, [staying.length]));
  const others = write.make("ReduceProd", [square, write.ints([staying.length + 1])], {
    keepdims: 0,
  });
  const back = order.map((_, axis) => order.indexOf(axis));
  const shaped = write.transpose(write.reshapeLike(others, moved), back);
  return write.mul(shaped, over.kept(g));
}

function joined(write: GradientWriter, lengths: readonly string[]): string {
  return lengths.length === 1 ? lengths[0]! : write.make("Concat", lengths, { axis: 0 });
}
