/**
 * Decoding and encoding of ONNX files.
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

/** Options of {@linkcode decodeModel}. */
export interface DecodeOptions {
  /**
   * Name of the model in error messages, such as a path.
   *
   * @default "an ONNX model"
   */
  readonly name?: string;
}

/**
 * Decodes the bytes of an .onnx file. It checks that the file is complete, that every tensor has the values that its
 * shape needs, and that no declared shape exceeds the memory of WebAssembly.
 *
 * All fields of the file are kept, even unknown ones, so that {@linkcode encodeModel} writes the same bytes again.
 * Weights are not copied: they share the memory of `bytes`. Values in other files are not loaded (see {@linkcode
 * loadExternalData}). {@linkcode Graph} checks names, cycles and the opset.
 *
 * @throws {SyntaxError} if the bytes are not an ONNX model, or are truncated or damaged. The message names the
 * violated requirement and its position
 * @throws {TypeError} if `bytes` is not a Uint8Array
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
 * assertThrows(() => decodeModel(bytes.subarray(0, 100)), SyntaxError, "truncated or damaged");
 * ```
 */
export function decodeModel(bytes: Uint8Array, options: DecodeOptions = {}): ModelProto {
  const { name = "an ONNX model" } = options;
  checkKind(`read ${name}`, "it", bytes, "a Uint8Array", (x) => x instanceof Uint8Array);
  const refuse = (requirement: string, value: string): never => {
    throw new SyntaxError(`Cannot read ${name}: ${requirement}; got ${value}`);
  };
  if (bytes.length === 0) refuse("it must not be empty", "0 bytes");
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

/**
 * Parses bytes whose framing is valid. Throws a SyntaxError if the protobuf library refuses them for another reason.
 */
function parse(name: string, bytes: Uint8Array): ModelProto {
  try {
    return fromBinary(ModelProtoSchema, bytes);
  } catch (error) {
    throw new SyntaxError(
      `Cannot read ${name}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/**
 * Encodes a model as an .onnx file. A decoded model that was not changed gives the same bytes if the fields of its
 * file are in the order in which the protobuf library writes them.
 *
 * @throws {RangeError} if the model has 2 GiB or more, which an .onnx file cannot hold
 * @throws {TypeError} if a field has a value of the wrong kind
 *
 * @example
 * ```ts
 * import { decodeModel, encodeModel, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("double");
 * const x = g.input("x", "f32", [2]);
 * g.output("y", g.op("Add", [x, x], "f32"));
 * const bytes = g.build();
 * assertEquals(encodeModel(decodeModel(bytes)), bytes); // unchanged bytes
 * ```
 */
export function encodeModel(model: ModelProto): Uint8Array<ArrayBuffer> {
  const weights = model.graph?.initializer.reduce((sum, { rawData }) => sum + rawData.length, 0);
  if (weights !== undefined && weights >= 2 ** 31) {
    throw new RangeError(
      `Cannot write an ONNX model: its weights must have less than ${
        2 ** 31
      } bytes; got ${weights}`,
    );
  }
  try {
    return toBinary(ModelProtoSchema, model);
  } catch (error) {
    throw new TypeError(
      `Cannot write an ONNX model: a field has a value of the wrong kind: ${
        (error as Error).message
      }`,
      { cause: error },
    );
  }
}
