/**
 * Measures the cost of checking a model that is read and written. It prints the ratio of Hooke's codec to onnx-buf
 * alone, for the file named in the argument. Runs in a separate process.
 *
 * @module
 */

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ModelProtoSchema } from "onnx-buf";
import { decodeModel, encodeModel } from "../../src/onnx/mod.ts";

const SLICES = 41, TURNS = 10;

/** Reads the bytes and writes them again, by our codec. */
export function ours(bytes: Uint8Array): Uint8Array {
  return encodeModel(decodeModel(bytes));
}

/** The same by the library alone: nothing is checked. */
export function bare(bytes: Uint8Array): Uint8Array {
  return toBinary(ModelProtoSchema, fromBinary(ModelProtoSchema, bytes));
}

function slice(body: (bytes: Uint8Array) => Uint8Array, bytes: Uint8Array): number {
  const before = performance.now();
  for (let turn = 0; turn < TURNS; turn++) {
    if (body(bytes).length !== bytes.length) {
      throw new Error("Cannot time a codec: it must be right");
    }
  }
  return performance.now() - before;
}

function lowerQuartile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 2]!;
}

if (import.meta.main) {
  const bytes = await Deno.readFile(Deno.args[0]!);
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let i = 0; i < SLICES; i++) {
    times.bare.push(slice(bare, bytes));
    times.ours.push(slice(ours, bytes));
  }
  const warm = { ours: times.ours.slice(10), bare: times.bare.slice(10) };
  console.log(JSON.stringify(lowerQuartile(warm.ours) / lowerQuartile(warm.bare)));
}
