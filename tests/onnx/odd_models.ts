/**
 * Small models with everything in them that files may have.
 *
 * @module
 */

import { create, toBinary } from "@bufbuild/protobuf";
import {
  AttributeProto_AttributeType as Kind,
  AttributeProtoSchema,
  type GraphProto,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  NodeProtoSchema,
  TensorProto_DataLocation,
  TensorProtoSchema,
} from "onnx-buf";
import { lennardJonesModel, makeTensorProto, valueInfo } from "../../src/onnx/mod.ts";

/** A model of this graph. */
export function modelOf(graph: Partial<Omit<GraphProto, "$typeName">>, opset = 18n): ModelProto {
  return create(ModelProtoSchema, {
    irVersion: 8n,
    opsetImport: [{ version: opset }],
    graph: create(GraphProtoSchema, { name: "main", ...graph }),
  });
}

/** Its bytes, by the library alone. */
export function bytesOf(model: ModelProto): Uint8Array<ArrayBuffer> {
  return toBinary(ModelProtoSchema, model);
}

/** One node. */
export function node(opType: string, input: string[], output: string[]): GraphProto["node"][0] {
  return create(NodeProtoSchema, { opType, input, output, name: `${opType}:${output[0]}` });
}

/** y = x where the flag is up, −x where not: branches that take x from outside. */
export function branching(): ModelProto {
  const branch = (op: string, name: string) =>
    create(GraphProtoSchema, {
      name,
      node: [node(op, ["x"], [`${name}_y`])],
      output: [valueInfo(`${name}_y`, "f32", ["N"])],
    });
  const choice = node("If", ["flag"], ["y"]);
  choice.attribute = ["then_branch", "else_branch"].map((name, i) =>
    create(AttributeProtoSchema, {
      name,
      type: Kind.GRAPH,
      g: branch(["Identity", "Neg"][i]!, name),
    })
  );
  return modelOf({
    node: [choice],
    input: [valueInfo("x", "f32", ["N"]), valueInfo("flag", "bool", [])],
    output: [valueInfo("y", "f32", ["N"])],
  });
}

/** One tensor of each way to hold values, another file among them; nothing uses them. */
export function tensors(): ModelProto {
  const tensor = (fields: Parameters<typeof create<typeof TensorProtoSchema>>[1]) =>
    create(TensorProtoSchema, fields!);
  const encoder = new TextEncoder();
  return modelOf({
    node: [node("Identity", ["x"], ["y"])],
    input: [valueInfo("x", "f32", ["N", undefined, 3])],
    output: [valueInfo("y", "f32")],
    valueInfo: [],
    docString: "Å, π and \u{1F9F2}",
    initializer: [
      makeTensorProto("f32", [2, 2], [1, -2.5, 3e38, -0], "raw"),
      makeTensorProto("i64", [3], [-1, 0, 2 ** 52], "longs"),
      tensor({ name: "floats", dataType: 1, dims: [3n], floatData: [0.5, -Infinity, 1] }),
      tensor({ name: "ints", dataType: 6, dims: [2n], int32Data: [-1, 7] }),
      tensor({ name: "bytes", dataType: 2, dims: [2n], int32Data: [255, 0] }),
      tensor({ name: "long", dataType: 7, dims: [], int64Data: [-(2n ** 60n)] }),
      tensor({ name: "doubles", dataType: 11, dims: [1n, 1n], doubleData: [Math.PI] }),
      tensor({ name: "unsigned", dataType: 13, dims: [1n], uint64Data: [2n ** 63n] }),
      tensor({
        name: "texts",
        dataType: 8,
        dims: [2n],
        stringData: ["a", "π"].map((s) => encoder.encode(s)),
      }),
      tensor({ name: "nibbles", dataType: 22, dims: [3n], int32Data: [0x21, 0x03] }),
      tensor({ name: "none", dataType: 1, dims: [0n, 5n] }),
      tensor({
        name: "outside",
        dataType: 1,
        dims: [2n],
        dataLocation: TensorProto_DataLocation.EXTERNAL,
        externalData: [
          { key: "location", value: "weights/a.bin" },
          { key: "offset", value: "4" },
          { key: "length", value: "8" },
        ],
      }),
    ],
  });
}

/** All of them, as bytes, and the Lennard-Jones model with them. */
export function oddModels(): Readonly<Record<string, Uint8Array<ArrayBuffer>>> {
  return {
    branching: bytesOf(branching()),
    tensors: bytesOf(tensors()),
    lennardJones: lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5, list: "half" }),
  };
}
