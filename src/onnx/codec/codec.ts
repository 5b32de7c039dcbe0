/**
 * ONNX files: bytes to a model, and back.
 *
 * @module
 */

import { checkKind } from "../../base/check_options.ts";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ModelProtoSchema } from "onnx-buf";
import { checkModel } from "./check_model.ts";
import { foreignKind } from "./foreign_file.ts";
import { findFault } from "./framing.ts";
import type { ModelProto } from "./messages.ts";

/** How to read a model. */
export interface DecodeOptions {
  /**
   * What errors call it: a path, say.
   *
   * @default "an ONNX model"
   */
  readonly name?: string;
}

/**
 * The model in the bytes of an .onnx file, checked: nothing is out of bounds, every tensor has the values that its
 * shape needs, and no declared shape is beyond what a WebAssembly memory can hold.
 *
 * Everything in the file is kept, fields unknown here too, so that {@linkcode encodeModel} writes the same again.
 * Weights are not copied: they share the memory of `bytes`. Values in other files stay there, see
 * {@linkcode loadExternalData}. Names, cycles and the opset are checked by {@linkcode Graph}.
 *
 * @throws {SyntaxError} for what is no ONNX model, or a truncated or damaged one; it says what is wrong and where
 * @throws {TypeError} for what are no bytes
 *
 * @example
 * ```ts
 * import { decodeModel, encodeModel, lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const model = decodeModel(bytes);
 * assertEquals(model.graph?.output.map(({ name }) => name), ["energy", "forces"]);
 * assertEquals(encodeModel(model), bytes);
 * assertThrows(() => decodeModel(bytes.subarray(0, 100)), SyntaxError, "it is truncated or damaged");
 * ```
 */
export function decodeModel(bytes: Uint8Array, options: DecodeOptions = {}): ModelProto {
  const { name = "an ONNX model" } = options;
  checkKind(`read ${name}`, "it", bytes, "a Uint8Array", (x) => x instanceof Uint8Array);
  const refuse = (requirement: string, value: string): never => {
    throw new SyntaxError(`Cannot read ${name} as ${requirement}: current value is ${value}`);
  };
  if (bytes.length === 0) refuse("it must have some bytes", "none");
  const fault = findFault(ModelProtoSchema, bytes);
  if (fault !== undefined) {
    const kind = foreignKind(bytes);
    if (kind !== undefined) refuse("it must be an ONNX model, which is a protobuf", kind);
    refuse(fault.requirement, fault.value);
  }
  const model = parse(name, bytes);
  checkModel(model, refuse);
  return model;
}

/** The frame is right by now; what is left is beyond what this file knows of the library. */
function parse(name: string, bytes: Uint8Array): ModelProto {
  try {
    return fromBinary(ModelProtoSchema, bytes);
  } catch (error) {
    throw new SyntaxError(
      `Cannot read ${name} as it must be a valid protobuf message: current fault is ${
        (error as Error).message
      }`,
      { cause: error },
    );
  }
}

/**
 * The bytes of an .onnx file with this model. What was decoded and not changed is the same to the byte, for files
 * written as protobuf's own library writes them.
 *
 * @throws {RangeError} for a model of 2 GiB or more, which no .onnx file can hold
 * @throws {TypeError} when a field has a value of another kind than its own
 */
export function encodeModel(model: ModelProto): Uint8Array<ArrayBuffer> {
  const weights = model.graph?.initializer.reduce((sum, { rawData }) => sum + rawData.length, 0);
  if (weights !== undefined && weights >= 2 ** 31) {
    throw new RangeError(
      `Cannot write an ONNX model as its weights must be below ${
        2 ** 31
      } bytes: current length is ${weights}`,
    );
  }
  try {
    return toBinary(ModelProtoSchema, model);
  } catch (error) {
    throw new TypeError(
      `Cannot write an ONNX model as every field must have a value of its kind: current fault is ${
        (error as Error).message
      }`,
      { cause: error },
    );
  }
}
