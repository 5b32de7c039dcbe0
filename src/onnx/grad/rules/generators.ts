import type { OperatorGradient } from "../rule.ts";

/**
 * Rule of Range, which is start + delta · (0, 1, 2 …). Its length is piecewise constant, so its limit has no
 * derivative.
 */
const range: OperatorGradient = ({ a, c, y, g }, write) => [
  () => write.reduceSum(g, [0]),
  undefined,
  () => write.reduceSum(write.mul(g, write.div(write.sub(y, a), c)), [0]),
];

/** Rule of OneHot. Each of its two values gets the sum of the gradient over the elements that have this value. */
const oneHot: OperatorGradient = ({ node, a, b, c, g }, write) => [undefined, undefined, () => {
  const pair = write.graph.constantOf(write.typeOf(c), [0, 1]);
  const hot = write.graph.add("OneHot", [a, b, pair]);
  hot.attribute.push(...node.attribute);
  const axes = write.lengthsOf(g).map((_, axis) => axis);
  const on = write.reduceSum(write.mul(g, hot.output[0]!), axes);
  const off = write.sub(write.reduceSum(g, axes), on);
  return write.make("Concat", [off, on].map((x) => write.unsqueeze(x, [0])), { axis: 0 });
}];

/** Rule of operators that use only the shape of their inputs, not the elements. */
const stop: OperatorGradient = () => [];

/** Rules of operators that create tensors. */
export const GENERATORS: Readonly<Record<string, OperatorGradient>> = {
  EyeLike: stop,
  OneHot: oneHot,
  RandomNormalLike: stop,
  RandomUniformLike: stop,
  Range: range,
};
