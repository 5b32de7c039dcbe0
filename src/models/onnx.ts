/**
 * Potentials in .onnx files. An entry point of its own, as it needs packages for ONNX that nothing else does.
 *
 * @module
 */

export { ModelMismatchError } from "./model_mismatch_error.ts";
export { OnnxModel } from "./onnx_model.ts";
export type { OnnxModelOptions } from "./onnx_model.ts";
export type { OnnxInput, OnnxManifest, OnnxOutput, OnnxTensors } from "./onnx_manifest.ts";
