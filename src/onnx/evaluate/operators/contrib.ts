/**
 * Operators of onnxruntime's own domain, which occur in models that it has optimized.
 *
 * @module
 */

import { floatAttribute, intAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { gelu, sigmoid, tanhGelu } from "./activations.ts";
import { broadcastData, broadcastDims } from "../broadcast.ts";
import { matrixProduct, transposed } from "./linear.ts";
import { layerNormalized } from "./normalizations/normalization.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import type { PlainTensor } from "../plain_tensor.ts";
import { type Formula, mapped, unary, unaryOf } from "../unary.ts";

/** Returns x plus a term that broadcasts to the shape of x; returns x if the term is `undefined`. */
function plus(node: NodeProto, x: PlainTensor, term: PlainTensor | undefined): PlainTensor {
  if (term === undefined) return x;
  if (broadcastDims(x.dims, term.dims)?.join() !== x.dims.join()) {
    throw refused(node, `its terms must broadcast to [${x.dims}]`, `[${term.dims}]`);
  }
  const terms = broadcastData(term, x.dims);
  return { ...x, data: x.data.map((each, i) => each + terms[i]!) };
}

function afterBias(formula: Formula): Evaluate {
  return (inputs, node) => [mapped(plus(node, required(inputs, 0, node), inputs[1]), formula)];
}

const fusedMatMul: Evaluate = (inputs, node) => {
  const batches = ["transBatchA", "transBatchB"].find((name) => intAttribute(node, name, 0) !== 0);
  if (batches !== undefined) {
    throw refused(node, "it must not transpose batch axes", `${batches} = 1`);
  }
  const operand = (i: number, turns: string) => {
    const given = required(inputs, i, node);
    return intAttribute(node, turns, 0) === 0 ? given : transposed(given);
  };
  const product = matrixProduct(node, operand(0, "transA"), operand(1, "transB"));
  const alpha = floatAttribute(node, "alpha", 1);
  return [mapped(product, (x) => alpha * x)];
};

/** Evaluates SkipLayerNormalization, whose fourth output is the sum that it normalizes. */
const skipLayerNormalization: Evaluate = (inputs, node) => {
  const skipped = plus(node, required(inputs, 0, node), required(inputs, 1, node));
  const sum = plus(node, skipped, inputs[4]);
  const learned = { scale: required(inputs, 2, node), bias: inputs[3] };
  return [...layerNormalized(node, sum, sum.dims.length - 1, learned), sum];
};

/** Implementations of the variants of Gelu, FusedMatMul and SkipLayerNormalization. */
export const CONTRIB: Operators = {
  "com.microsoft.BiasGelu": afterBias(gelu),
  "com.microsoft.FastGelu": afterBias(tanhGelu),
  "com.microsoft.FusedMatMul": fusedMatMul,
  "com.microsoft.Gelu": unary(gelu),
  "com.microsoft.QuickGelu": unaryOf((node) => {
    const alpha = floatAttribute(node, "alpha", Math.fround(1.702));
    return (x) => x * sigmoid(alpha * x);
  }),
  "com.microsoft.SkipLayerNormalization": skipLayerNormalization,
};
