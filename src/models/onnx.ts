/**
 * Potentials in .onnx files. This is a separate entry point, because it needs packages for ONNX that the rest of
 * Hooke does not need.
 *
 * @module
 */

export { ModelMismatchError } from "./onnx/model_mismatch_error.ts";
export type { Mismatch, WouldMap } from "./onnx/model_mismatch_error.ts";
export type { OnnxDerive, OnnxDerived, OnnxDerivedFrom } from "./onnx/derived_inputs.ts";
export type {
  OnnxInput,
  OnnxList,
  OnnxListInput,
  OnnxManifest,
  OnnxOutput,
  OnnxOutputChoice,
} from "./onnx/manifest/manifest.ts";
export { OnnxModel } from "./onnx/onnx_model.ts";
export type { OnnxModelOptions } from "./onnx/options.ts";
export type { EnergyUnit, LengthUnit } from "./onnx/manifest/units.ts";
