/**
 * Activation functions.
 *
 * @module
 */

import { floatAttribute, intAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { erfc } from "./error_function.ts";
import { axisOf, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { alongAxis, type Line } from "../lines.ts";
import { type Formula, unary, unaryOf } from "../unary.ts";

/**
 * Returns a float attribute, or `otherwise` rounded to float32 if the node does not have it, because files store
 * attributes as float32.
 */
function attribute(node: NodeProto, name: string, otherwise: number): number {
  return floatAttribute(node, name, Math.fround(otherwise));
}

/** Returns 1 / (1 + exp(−x)) without overflow for large |x|. */
export function sigmoid(x: number): number {
  const e = Math.exp(-Math.abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/** Returns log(1 + exp(x)) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

function elu(alpha: number): Formula {
  return (x) => x < 0 ? alpha * Math.expm1(x) : x;
}

/** Returns x · Φ(x), where Φ is the cumulative normal distribution. */
export function gelu(x: number): number {
  return 0.5 * x * erfc(-x * Math.SQRT1_2);
}

const GELU_SCALE = Math.sqrt(2 / Math.PI);

/** Returns an approximation of {@linkcode gelu} with errors of about 10⁻⁴. */
export function tanhGelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(GELU_SCALE * (x + 0.044715 * x * x * x)));
}

function selu(node: NodeProto): Formula {
  const negative = elu(attribute(node, "alpha", 1.67326319217681884765625));
  const gamma = attribute(node, "gamma", 1.05070102214813232421875);
  return (x) => gamma * negative(x);
}

function celu(node: NodeProto): Formula {
  const alpha = attribute(node, "alpha", 1);
  return (x) => x < 0 ? alpha * Math.expm1(x / alpha) : x;
}

function hardSigmoid(alpha: number, beta: number): Formula {
  return (x) => Math.max(0, Math.min(1, alpha * x + beta));
}

function shrink(node: NodeProto): Formula {
  const lambda = attribute(node, "lambd", 0.5), bias = attribute(node, "bias", 0);
  return (x) => x < -lambda ? x + bias : x > lambda ? x - bias : 0;
}

/**
 * Softmax of a line: exp(x) over its sum. The maximum is subtracted first, so that the exponentials do not overflow.
 */
const softmax: Line = (from, to, at, n) => {
  let most = -Infinity, sum = 0;
  for (let i = at; i < at + n; i++) most = Math.max(most, from[i]!);
  for (let i = at; i < at + n; i++) sum += to[i] = Math.exp(from[i]! - most);
  for (let i = at; i < at + n; i++) to[i]! /= sum;
};

const logSoftmax: Line = (from, to, at, n) => {
  let most = -Infinity, sum = 0;
  for (let i = at; i < at + n; i++) most = Math.max(most, from[i]!);
  for (let i = at; i < at + n; i++) sum += Math.exp(from[i]! - most);
  const log = Math.log(sum);
  for (let i = at; i < at + n; i++) to[i] = from[i]! - most - log;
};

/** Hardmax of a line: the first largest element becomes 1, all others become 0. */
const hardmax: Line = (from, to, at, n) => {
  let best = at;
  for (let i = at + 1; i < at + n; i++) if (from[i]! > from[best]!) best = i;
  if (n > 0) to[best] = 1;
};

/** Creates an operator that applies `line` along the axis in the attribute `axis`. */
function along(line: Line): Evaluate {
  return (inputs, node) => {
    const x = required(inputs, 0, node);
    const axis = axisOf(intAttribute(node, "axis", -1), x.dims.length, node);
    return [alongAxis(x, axis, line)];
  };
}

/** Implementations of activation functions, by operator. */
export const ACTIVATIONS: Operators = {
  Celu: unaryOf(celu),
  Elu: unaryOf((node) => elu(attribute(node, "alpha", 1))),
  Gelu: unaryOf((node) => textAttribute(node, "approximate", "none") === "tanh" ? tanhGelu : gelu),
  HardSigmoid: unaryOf((node) =>
    hardSigmoid(attribute(node, "alpha", 0.2), attribute(node, "beta", 0.5))
  ),
  HardSwish: unary((x) => x * Math.max(0, Math.min(1, x / 6 + 0.5))),
  Hardmax: along(hardmax),
  LeakyRelu: unaryOf((node) => {
    const alpha = attribute(node, "alpha", 0.01);
    return (x) => x < 0 ? alpha * x : x;
  }),
  LogSoftmax: along(logSoftmax),
  Mish: unary((x) => x * Math.tanh(softplus(x))),
  Relu: unary((x) => Math.max(x, 0)),
  Selu: unaryOf(selu),
  Shrink: unaryOf(shrink),
  Sigmoid: unary(sigmoid),
  Softmax: along(softmax),
  Softplus: unary(softplus),
  Softsign: unary((x) => x / (1 + Math.abs(x))),
  Swish: unaryOf((node) => {
    const alpha = attribute(node, "alpha", 1);
    return (x) => x * sigmoid(alpha * x);
  }),
  ThresholdedRelu: unaryOf((node) => {
    const alpha = attribute(node, "alpha", 1);
    return (x) => x > alpha ? x : 0;
  }),
};
