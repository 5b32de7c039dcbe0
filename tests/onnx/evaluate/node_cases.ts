/**
 * The node tests of the Python package onnx, made by it when they are asked for.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { TensorProtoSchema } from "onnx-buf";
import { plainOf, type PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { openPython } from "../../python.ts";

/** A value that goes in or comes out; another kind than "tensor" is a class of Python's. */
export interface CaseValue {
  readonly kind: string;
  /** Throws a TypeError for types of elements that no array holds. */
  tensor(): PlainTensor;
}

/** Values that go in and come out, in the order of the model's own. */
export interface CaseSet {
  readonly inputs: readonly CaseValue[];
  readonly outputs: readonly CaseValue[];
}

/** One test: what a model makes of some inputs. */
export interface NodeCase {
  readonly name: string;
  readonly model: Uint8Array;
  readonly sets: readonly CaseSet[];
}

const SCRIPT = fileURLToPath(new URL("../node_cases.py", import.meta.url));

/** The cases whose nodes all have one of these operators, by name. */
export async function nodeCases(operators: readonly string[]): Promise<NodeCase[]> {
  const python = await openPython("onnx");
  const folder = await Deno.makeTempDir();
  try {
    await python.run([SCRIPT, folder, ...operators]);
    const files = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    return files.map((file) => readCase(Deno.readFileSync(`${folder}/${file}`)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Text at the beginning of a file. */
interface Head {
  readonly name: string;
  readonly sets: readonly {
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
  }[];
}

function readCase(bytes: Uint8Array): NodeCase {
  let at = 0;
  const next = () => {
    const length = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0, true);
    const run = bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    return run;
  };
  const head: Head = JSON.parse(new TextDecoder().decode(next()));
  const model = next();
  const value = (kind: string): CaseValue => {
    const run = next();
    return { kind, tensor: () => plainOf(fromBinary(TensorProtoSchema, run)) };
  };
  const sets = head.sets.map(({ inputs, outputs }) => ({
    inputs: inputs.map(value),
    outputs: outputs.map(value),
  }));
  return { name: head.name, model, sets };
}
