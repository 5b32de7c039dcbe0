/**
 * Which operators onnxruntime's WebGPU build has no kernels for.
 *
 * Found for onnxruntime-web 1.30.0 in its registration of kernels (`onnxruntime/core/providers/webgpu` at 89b01b406)
 * and in its log of where nodes are placed.
 *
 * @module
 */

import type { ModelProto } from "../codec/messages.ts";
import { opsetOf } from "../codec/opset.ts";

/** Operators of ONNX without a kernel of any type. */
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

/** Operators whose kernels are for opsets below 22. */
const OLD: ReadonlySet<string> = new Set(
  ["Sin", "Cos", "Tan", "Acos", "Asin", "Atan", "Sinh", "Elu"],
);

/** An operator that WebGPU's build runs on the CPU, with a copy there and back. */
export interface WebgpuFallback {
  /** Its name. */
  readonly operator: string;
  /** How many nodes there are of it. */
  readonly count: number;
  /** Why. */
  readonly reason: string;
}

/**
 * The operators of a model that WebGPU's build would run on the CPU, as far as that depends on the operator alone.
 * Whole numbers of 64 bits go there, too, which `int64ToInt32` cures, and what is computed from shapes.
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
export function webgpuFallbacks(model: ModelProto): readonly WebgpuFallback[] {
  const opset = opsetOf(model);
  const found = new Map<string, WebgpuFallback>();
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
  if (domain !== "" && domain !== "ai.onnx") return "it is none of ONNX's own";
  if (operator === "ConstantOfShape") {
    return "it has no kernel; it is rewritten as one that has before it runs there";
  }
  if (MISSING.has(operator)) return "it has no kernel";
  return OLD.has(operator) && opset >= 22
    ? `its kernel is for opsets below 22, not ${opset}`
    : undefined;
}
