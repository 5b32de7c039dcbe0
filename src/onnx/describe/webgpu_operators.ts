/**
 * Operators without kernels in onnxruntime's WebGPU build.
 *
 * The lists were made for onnxruntime-web 1.30.0 from its kernel registration (`onnxruntime/core/providers/webgpu`
 * at 89b01b406) and its log of node placements.
 *
 * @module
 */

import type { ModelProto } from "../codec/messages.ts";
import { opsetOf } from "../codec/opset.ts";

/** Operators of ai.onnx that have no kernel for any type. */
const MISSING: ReadonlySet<string> = new Set([
  "OneHot",
  "NonZero",
  "Sign",
  "Round",
  "Mod",
  "Or",
  "Xor",
  "Sum",
  "Mean",
  "LogSoftmax",
  "Celu",
  "Selu",
  "Mish",
  "IsNaN",
  "Size",
  "EyeLike",
  "Unique",
  "Loop",
  "Scan",
  "RandomNormal",
  "RandomNormalLike",
  "RandomUniform",
  "RandomUniformLike",
]);

/** Operators whose kernels support only opsets below 22. */
const OLD: ReadonlySet<string> = new Set(
  ["Sin", "Cos", "Tan", "Acos", "Asin", "Atan", "Sinh", "Elu"],
);

/** An operator that the WebGPU build runs on the CPU. Its tensors are copied to the CPU and back. */
export interface FallbackOperator {
  /** Name of the operator, with its domain if the node has one. */
  readonly operator: string;
  /** Number of nodes with this operator. */
  readonly count: number;
  /** Reason for the fallback. */
  readonly reason: string;
}

/**
 * Lists the operators of a model that the WebGPU build would run on the CPU, as far as that depends on the operator
 * alone. Computations with int64, which `int64ToInt32` avoids, and computations on shapes run there, too, but are not
 * listed.
 *
 * @example
 * ```ts
 * import { decodeModel, lennardJonesModel, webgpuFallbacks } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const model = decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
 * assertEquals(webgpuFallbacks(model), []);
 * ```
 */
export function webgpuFallbacks(model: ModelProto): readonly FallbackOperator[] {
  const opset = opsetOf(model);
  const found = new Map<string, FallbackOperator>();
  for (const { opType, domain } of model.graph?.node ?? []) {
    const reason = reasonOf(opType, domain, opset);
    if (reason === undefined) continue;
    const operator = domain === "" ? opType : `${domain}.${opType}`;
    const count = (found.get(operator)?.count ?? 0) + 1;
    found.set(operator, { operator, count, reason });
  }
  return [...found.values()];
}

function reasonOf(operator: string, domain: string, opset: number): string | undefined {
  if (domain !== "" && domain !== "ai.onnx") return "it is not an ONNX operator";
  if (operator === "ConstantOfShape") {
    return "it has no kernel; Hooke rewrites it before it runs there";
  }
  if (MISSING.has(operator)) return "it has no kernel";
  return OLD.has(operator) && opset >= 22
    ? `its kernel is for opsets below 22, not ${opset}`
    : undefined;
}
