/**
 * Weights in files beside the model.
 *
 * @module
 */

import { TensorProto_DataLocation } from "onnx-buf";
import { bytesOf } from "./element_type.ts";
import type { GraphProto, ModelProto, NodeProto, TensorProto } from "./messages.ts";
import { elementCount, isExternal, tensorType } from "./tensor_proto.ts";

/** Returns the bytes of a file by its location in the model, which is a path relative to the model. */
export type ReadExternal = (location: string) => Uint8Array | Promise<Uint8Array>;

/**
 * Returns the locations of all files with weights of a model, without duplicates.
 *
 * @example
 * ```ts
 * import { decodeModel, externalFiles, lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * assertEquals(externalFiles(decodeModel(bytes)), []); // all weights are in the file itself
 * ```
 */
export function externalFiles(model: ModelProto): string[] {
  return [...new Set(externalTensors(model).map(locationOf))];
}

/**
 * Loads weights from other files into the model, so that it is self-contained.
 *
 * @param read called once per file, after the location was checked to be inside the model's folder
 * @returns number of tensors that were loaded
 * @throws {RangeError} if a location is outside the model's folder, or a file is too short for a tensor
 * @throws {TypeError} if `read` does not return bytes; errors of `read` are passed on
 *
 * @example
 * ```ts
 * import { decodeModel, externalFiles, lennardJonesModel, loadExternalData } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const model = decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
 * const folder = new URL("models/", import.meta.url);
 * await loadExternalData(model, (location) => Deno.readFile(new URL(location, folder)));
 * assertEquals(externalFiles(model), []);
 * ```
 */
export async function loadExternalData(model: ModelProto, read: ReadExternal): Promise<number> {
  const parts = externalTensors(model).map((tensor) => ({ tensor, place: placeOf(tensor) }));
  const files = new Map<string, Uint8Array>();
  for (const { place: { location } } of parts) {
    if (!files.has(location)) files.set(location, checkBytes(location, await read(location)));
  }
  const loaded = parts.map(({ tensor, place }) => partOf(tensor, place, files));
  for (const [i, { tensor }] of parts.entries()) {
    tensor.rawData = loaded[i] ?? tensor.rawData;
    tensor.externalData = [];
    tensor.dataLocation = TensorProto_DataLocation.DEFAULT;
  }
  return parts.length;
}

/** File and position of a tensor's values. */
interface Place {
  readonly location: string;
  readonly offset: number;
  /** Length in bytes; `undefined` if the model does not declare it. */
  readonly length: number | undefined;
}

function locationOf({ externalData }: TensorProto): string {
  return externalData.find(({ key }) => key === "location")?.value ?? "";
}

function placeOf(tensor: TensorProto): Place {
  const entries = new Map(tensor.externalData.map(({ key, value }) => [key, value]));
  const location = locationOf(tensor), length = entries.get("length");
  const steps = location.split(/[/\\]/);
  if (
    location === "" || steps[0] === "" || steps.includes("..") ||
    /^[a-z][a-z0-9+.-]*:/i.test(location)
  ) {
    throw new RangeError(
      `Cannot load the tensor ${JSON.stringify(tensor.name)}: its location must be inside the ` +
        `model's folder; got ${JSON.stringify(location)}`,
    );
  }
  return {
    location,
    offset: wholeNumber(tensor, "offset", entries.get("offset") ?? "0"),
    length: length === undefined ? undefined : wholeNumber(tensor, "length", length),
  };
}

function wholeNumber({ name }: TensorProto, what: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(
    `Cannot load the tensor ${JSON.stringify(name)}: its ${what} must be a non-negative integer; ` +
      `got ${JSON.stringify(text)}`,
  );
}

function checkBytes(location: string, bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw new TypeError(
    `Cannot load ${JSON.stringify(location)}: \`read\` must return a Uint8Array; got ${
      Object.prototype.toString.call(bytes)
    }`,
  );
}

/** Returns the bytes of a tensor as a view into the file that contains them. */
function partOf(
  tensor: TensorProto,
  { location, offset, length }: Place,
  files: ReadonlyMap<string, Uint8Array>,
): Uint8Array<ArrayBuffer> {
  const file = files.get(location) ?? new Uint8Array();
  const needed = bytesOf(tensorType(tensor), elementCount(tensor));
  if (length !== undefined && length !== needed) {
    throw new RangeError(
      `Cannot load the tensor ${
        JSON.stringify(tensor.name)
      }: its shape [${tensor.dims}] must have ` +
        `${needed} bytes; got ${length}`,
    );
  }
  if (offset + needed > file.length) {
    throw new RangeError(
      `Cannot load the tensor ${JSON.stringify(tensor.name)}: ${
        JSON.stringify(location)
      } must have at least ` +
        `${offset + needed} bytes; got ${file.length}`,
    );
  }
  return file.subarray(offset, offset + needed) as Uint8Array<ArrayBuffer>;
}

function externalTensors(model: ModelProto): TensorProto[] {
  const found: TensorProto[] = [];
  const add = (tensor: TensorProto | undefined) => {
    if (tensor !== undefined && isExternal(tensor)) found.push(tensor);
  };
  const visitNode = (node: NodeProto) => {
    for (const { t, tensors, g, graphs } of node.attribute) {
      [t, ...tensors].forEach(add);
      if (g !== undefined) visitGraph(g);
      graphs.forEach(visitGraph);
    }
  };
  const visitGraph = (graph: GraphProto) => {
    graph.initializer.forEach(add);
    graph.node.forEach(visitNode);
  };
  if (model.graph !== undefined) visitGraph(model.graph);
  for (const { node } of model.functions) node.forEach(visitNode);
  return found;
}
