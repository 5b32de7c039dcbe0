/**
 * Operator set versions.
 *
 * @module
 */

import type { ModelProto } from "./messages.ts";

/**
 * Versions of ai.onnx whose operator semantics the edits rely on. From version 22 on, the WebGPU kernels of
 * onnxruntime lack Sin, Cos, Acos and others, which fall back to the CPU.
 */
export const OPSETS: { readonly first: number; readonly last: number } = { first: 18, last: 21 };

/** Returns the version of ai.onnx that a model imports; 1 if the model does not declare one, as in the oldest files. */
export function opsetOf({ opsetImport }: ModelProto): number {
  const own = opsetImport.find(({ domain }) => domain === "" || domain === "ai.onnx");
  return own === undefined ? 1 : Number(own.version);
}

/** Throws a RangeError with a remedy if a model's opset is not between 18 and 21. */
export function assertOpset(model: ModelProto, action: string): void {
  const opset = opsetOf(model);
  if (opset >= OPSETS.first && opset <= OPSETS.last) return;
  throw new RangeError(
    `Cannot ${action}: its opset must be from ${OPSETS.first} to ${OPSETS.last}; got ${opset}. Export it with ` +
      `opset_version=${OPSETS.first}, or convert it with onnx.version_converter`,
  );
}
