/**
 * Potentials in .onnx files. An entry point of its own, as it needs packages for ONNX that nothing else does.
 *
 * @module
 */

export { ModelMismatchError } from "./model_mismatch_error.ts";
export type { Mismatch, WouldMap } from "./model_mismatch_error.ts";
export type { OnnxDerive, OnnxDerived, OnnxDerivedFrom } from "./onnx_derived.ts";
export type { OnnxInput, OnnxManifest, OnnxOutput, OnnxOutputChoice } from "./onnx_manifest.ts";
export { OnnxModel } from "./onnx_model.ts";
export type { OnnxModelOptions } from "./onnx_options.ts";
export type { EnergyUnit, LengthUnit } from "./onnx_units.ts";
