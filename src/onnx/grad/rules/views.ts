import { intAttribute, intsAttribute, textAttribute } from "../../codec/attributes.ts";
import { numbersOf } from "../../infer/fact.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient, Step } from "../rule.ts";
import { constantShape, reshapeTo, type ShapePart } from "../shape_of_parts.ts";

/** Rule of operators that change only the shape. Reshapes the gradient to the shape of the input. */
const view: OperatorGradient = ({ a, y, g }, write) => [() => {
  const { facts } = write, shape = facts.of(a).shape;
  // g has the shape of y, but more lengths of y may be known.
  const numbers = shape && constantShape(facts.of(y).shape, shape);
  return numbers === undefined ? write.reshapeLike(g, a) : write.reshape(g, numbers);
}];

/** Returns the axes of a Squeeze or Unsqueeze; `undefined` if they are known only at run time. */
function axesOf({ node, b }: Step, write: GradientWriter): readonly number[] | undefined {
  return b === "" ? intsAttribute(node, "axes") : numbersOf(write.facts.of(b));
}

const squeeze: OperatorGradient = (step, write) => {
  const { a, g } = step, axes = axesOf(step, write), rank = write.facts.of(a).shape?.length;
  if (axes === undefined || rank === undefined) return view(step, write);
  return [() => write.unsqueeze(g, axes.map((axis) => axis < 0 ? axis + rank : axis))];
};

const unsqueeze: OperatorGradient = (step, write) => {
  const { g } = step, axes = axesOf(step, write);
  return axes === undefined ? view(step, write) : [() => write.squeeze(g, axes)];
};

const transpose: OperatorGradient = ({ node, a, g }, write) => {
  const order = intsAttribute(node, "perm") ?? write.lengthsOf(a).map((_, i) => i).reverse();
  return [() => write.transpose(g, order.map((_, axis) => order.indexOf(axis)))];
};

/** Rule of Tile. Splits each repeated axis into an axis of copies and the original axis, and sums over the copies. */
const tile: OperatorGradient = ({ a, b, g }, write) => [() => {
  const times = numbersOf(write.facts.of(b)), parts: ShapePart[] = [], copies: number[] = [];
  for (let axis = 0; axis < write.rankOf(a); axis++) {
    if (times?.[axis] !== 1) {
      copies.push(parts.length);
      const at = write.ints([axis]), behind = write.ints([axis + 1]);
      parts.push(times?.[axis] ?? { value: write.make("Slice", [b, at, behind]) });
    }
    parts.push({ of: a, axis });
  }
  return write.reduceSum(reshapeTo(write, g, parts), copies);
}];

const depthToSpace: OperatorGradient = ({ node, a, g }, write) => {
  const blocksize = intAttribute(node, "blocksize", 1);
  if (textAttribute(node, "mode", "DCR") === "DCR") {
    return [() => write.make("SpaceToDepth", [g], { blocksize })];
  }
  return [() => {
    const [n, c] = [{ of: a, axis: 0 }, { of: g, axis: 1 }];
    const [high, wide] = [{ of: a, axis: 2 }, { of: a, axis: 3 }];
    const apart = reshapeTo(write, g, [n, c, high, blocksize, wide, blocksize]);
    return write.reshapeLike(write.transpose(apart, [0, 1, 3, 5, 2, 4]), a);
  }];
};

const spaceToDepth: OperatorGradient = ({ node, g }, write) => {
  const blocksize = intAttribute(node, "blocksize", 1);
  return [() => write.make("DepthToSpace", [g], { blocksize })];
};

/** Rules of operators that reshape, permute or repeat their input. */
export const VIEWS: Readonly<Record<string, OperatorGradient>> = {
  Reshape: view,
  Flatten: view,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Identity: ({ g }) => [g],
  // `Shares` sums the gradient over the repeated axes.
  Expand: ({ g }) => [g],
  Tile: tile,
  Transpose: transpose,
  DepthToSpace: depthToSpace,
  SpaceToDepth: spaceToDepth,
};
