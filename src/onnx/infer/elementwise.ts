/**
 * Inference rules for elementwise operators, and others that keep the shape of their input.
 *
 * @module
 */

import { intAttribute } from "../codec/attributes.ts";
import { elementTypeOf } from "../codec/element_type.ts";
import { broadcastShapes } from "./broadcast_shapes.ts";
import { factOf, type InferenceRule, type InferenceRules, typeAmong, UNKNOWN } from "./fact.ts";

/** Rule of operators whose result has the type and shape of the first input. Values are not inferred. */
const same: InferenceRule = ([a = UNKNOWN]) => [factOf(a.type, a.shape)];
/** Rule of operators with a boolean result that has the shape of the first input. */
const sameBool: InferenceRule = ([a = UNKNOWN]) => [factOf("bool", a.shape)];
/** Rule of operators that broadcast all inputs to the shape of the result. */
const joined: InferenceRule = (inputs, _node, inferring) => [
  factOf(typeAmong(inputs), broadcastShapes(inputs.map((input) => input?.shape), inferring)),
];
/** Rule of operators that broadcast all inputs to the shape of a boolean result. */
const joinedBool: InferenceRule = (inputs, _node, inferring) => [
  factOf("bool", broadcastShapes(inputs.map((input) => input?.shape), inferring)),
];
/** Rule of Pow. Base and exponent are broadcast and may differ in type. The result has the type of the base. */
const power: InferenceRule = ([a = UNKNOWN, b = UNKNOWN], _node, inferring) => [
  factOf(a.type, broadcastShapes([a.shape, b.shape], inferring)),
];
/** Rule of Dropout, which returns the data and a boolean mask of the same shape. */
const dropout: InferenceRule = ([a = UNKNOWN]) => [a, factOf("bool", a.shape)];
const like: InferenceRule = ([a = UNKNOWN], node) => [
  factOf(elementTypeOf(intAttribute(node, "dtype", 0)) ?? a.type, a.shape),
];

function each(operators: string, rule: InferenceRule): InferenceRules {
  return Object.fromEntries(operators.split(" ").map((operator) => [operator, rule]));
}

/** Rules for operators that keep the shape or broadcast. Operators on integers are in {@linkcode WHOLE_NUMBERS}. */
export const ELEMENTWISE: InferenceRules = {
  ...each("Abs Exp Log Sqrt Reciprocal Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh", same),
  ...each("Asinh Acosh Atanh Erf Sigmoid Relu LeakyRelu Elu Celu Selu ThresholdedRelu", same),
  ...each("HardSigmoid HardSwish Softplus Softsign Gelu Mish Swish Shrink PRelu Clip", same),
  ...each("Softmax LogSoftmax Hardmax Sign Round Floor Ceil BitwiseNot CumSum Trilu", same),
  ...each("LpNormalization MeanVarianceNormalization LRN InstanceNormalization", same),
  ...each("GroupNormalization RMSNormalization ReverseSequence", same),
  ...each("ScatterElements ScatterND Scatter", same),
  ...each("com.microsoft.Gelu com.microsoft.FastGelu com.microsoft.QuickGelu", same),
  ...each("com.microsoft.BiasGelu com.microsoft.SkipLayerNormalization", same),
  ...each("IsNaN IsInf Not", sameBool),
  ...each("Mean Sum BitShift BitwiseAnd BitwiseOr BitwiseXor", joined),
  ...each("Less LessOrEqual Greater GreaterOrEqual And Or Xor", joinedBool),
  ...each("RandomNormalLike RandomUniformLike Bernoulli EyeLike", like),
  Pow: power,
  Dropout: dropout,
};
