import { intAttribute, intsAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { type KnownShape, numbersOf } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";

/**
 * For each input of a node, the axis that becomes a certain axis of the result; `undefined` for inputs that do not
 * have this axis.
 */
export type Origins = readonly (number | undefined)[];

/** A node with the shapes of its result and its inputs. The shape of an omitted input is []. */
interface Shaped {
  readonly node: NodeProto;
  readonly shape: KnownShape;
  readonly shapes: readonly KnownShape[];
  readonly facts: GraphFacts;
}

type Rule = (axis: number, shaped: Shaped) => Origins | undefined;

/**
 * Returns the origins of an axis of a node's only result. Returns `undefined` if elements along this axis depend on each
 * other, if the operator is not known, or if shapes are not known well enough.
 */
export function originsOf(node: NodeProto, axis: number, facts: GraphFacts): Origins | undefined {
  const rule = node.domain === "" && node.output.length === 1 ? RULES.get(node.opType) : undefined;
  const shape = facts.of(node.output[0] ?? "").shape;
  const shapes = node.input.map((name) => name === "" ? [] : facts.of(name).shape);
  if (rule === undefined || shape === undefined) return undefined;
  if (!shapes.every((each) => each !== undefined)) return undefined;
  return rule(axis, { node, shape, shapes, facts });
}

const elementwise: Rule = (axis, { shape, shapes }) => aligned(axis, shape, shapes);

/**
 * Returns the origins of an axis of a result that has the shape `shape`, to which the inputs broadcast; `undefined`
 * if lengths do not match.
 */
function aligned(
  axis: number,
  shape: KnownShape,
  shapes: readonly KnownShape[],
): Origins | undefined {
  const origins: (number | undefined)[] = [];
  for (const own of shapes) {
    const at = axis - (shape.length - own.length), length = at < 0 ? 1 : own[at];
    if (length !== 1 && length !== shape[axis]) return undefined;
    origins.push(length === 1 ? undefined : at);
  }
  return origins;
}

const matMul: Rule = (axis, { shape, shapes }) => {
  const [a = [], b = []] = shapes;
  if (a.length < 2 || b.length < 2) return undefined;
  if (axis === shape.length - 2) return [a.length - 2, undefined];
  if (axis === shape.length - 1) return [undefined, b.length - 1];
  return aligned(axis, shape, shapes);
};

const gemm: Rule = (axis, { node, shape, shapes: [, , ...biases] }) => {
  const bias = aligned(axis, shape, biases);
  if (bias === undefined) return undefined;
  const isTurned = (name: string) => intAttribute(node, name, 0) !== 0;
  return axis === 0
    ? [isTurned("transA") ? 1 : 0, undefined, ...bias]
    : [undefined, isTurned("transB") ? 0 : 1, ...bias];
};

/** Rule of operators that only insert or remove axes of length 1. A Reshape that changes more has no origins. */
const view: Rule = (axis, { shape, shapes: [from = []] }) => {
  const [before, after] = [longAxes(from), longAxes(shape)];
  if (before.length !== after.length) return undefined;
  if (before.some((at, i) => from[at] !== shape[after[i]!])) return undefined;
  const i = after.indexOf(axis);
  return i === -1 ? undefined : [before[i]];
};

function longAxes(shape: KnownShape): number[] {
  return shape.flatMap((length, axis) => length === 1 ? [] : [axis]);
}

const reduction: Rule = (axis, { node, shapes: [from = []], facts }) => {
  const gone = reducedAxes(node, from.length, facts);
  if (gone === undefined) return undefined;
  const keepsAxes = intAttribute(node, "keepdims", 1) !== 0;
  if (keepsAxes) return gone.includes(axis) ? undefined : [axis];
  return [from.flatMap((_, at) => gone.includes(at) ? [] : [at])[axis]];
};

/**
 * Returns the axes over which a node reduces, counted from 0; `undefined` if they are omitted or known only at run
 * time.
 */
export function reducedAxes(
  node: NodeProto,
  rank: number,
  facts: GraphFacts,
): readonly number[] | undefined {
  const given = node.input[1] ?? "";
  const axes = given === "" ? intsAttribute(node, "axes") : numbersOf(facts.of(given));
  // Without axes a reduction takes all of them, or none.
  if (axes === undefined || axes.length === 0) return undefined;
  return axes.map((axis) => axis < 0 ? axis + rank : axis);
}

const transpose: Rule = (axis, { node, shape }) => {
  const perm = intsAttribute(node, "perm");
  return [perm === undefined ? shape.length - 1 - axis : perm[axis]];
};

const gather: Rule = (axis, { node, shapes: [from = [], indices = []] }) => {
  const along = intAttribute(node, "axis", 0), at = along < 0 ? along + from.length : along;
  if (axis < at) return [axis, undefined];
  const behind = axis - at - indices.length;
  return behind < 0 ? [undefined, axis - at] : [at + 1 + behind, undefined];
};

const ELEMENTWISE =
  ("Abs Add And Cast Celu Clip Cos Div Elu Equal Erf Exp Gelu Greater GreaterOrEqual HardSigmoid HardSwish Identity " +
    "LeakyRelu Less LessOrEqual Log Max Min Mish Mul Neg Not Or Pow Reciprocal Relu Selu Sigmoid Sin Softplus " +
    "Softsign Sqrt Sub Tanh Where").split(" ");
const REDUCTIONS = "ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum".split(" ");

/** Operators that only change the shape. */
export const VIEWS: readonly string[] = ["Reshape", "Squeeze", "Unsqueeze", "Flatten"];

const RULES: ReadonlyMap<string, Rule> = new Map([
  ...ELEMENTWISE.map((op): [string, Rule] => [op, elementwise]),
  ...REDUCTIONS.map((op): [string, Rule] => [op, reduction]),
  ...VIEWS.map((op): [string, Rule] => [op, view]),
  ["MatMul", matMul],
  ["Gemm", gemm],
  ["Transpose", transpose],
  ["Gather", gather],
]);

/** Returns whether each element of an operator's result depends only on the elements at the same position. */
export function isElementwise({ opType }: NodeProto): boolean {
  return RULES.get(opType) === elementwise;
}

/** Returns whether a node is a reduction. */
export function isReduction({ opType }: NodeProto): boolean {
  return RULES.get(opType) === reduction;
}
