/**
 * Versions of the operators.
 *
 * @module
 */

import type { ModelProto } from "./messages.ts";

/**
 * Versions of ai.onnx whose operators mean what the edits here take them to mean. From 22 on onnxruntime's WebGPU
 * kernels do not take Sin, Cos, Acos and others, and they fall back to the CPU.
 */
export const OPSETS: { readonly first: number; readonly last: number } = { first: 18, last: 21 };

/** The version of ai.onnx that a model imports; 1 for the oldest files, which do not say. */
export function opsetOf({ opsetImport }: ModelProto): number {
  const own = opsetImport.find(({ domain }) => domain === "" || domain === "ai.onnx");
  return own === undefined ? 1 : Number(own.version);
}

/** Throws a RangeError for a model of another opset than 18 to 21, with what to do about it. */
export function assertOpset(model: ModelProto, action: string): void {
  const opset = opsetOf(model);
  if (opset >= OPSETS.first && opset <= OPSETS.last) return;
  throw new RangeError(
    `Cannot ${action} as its opset must be from ${OPSETS.first} to ${OPSETS.last} (export it with ` +
      `opset_version=${OPSETS.first}, or convert it with onnx.version_converter): current value is ${opset}`,
  );
}
