import { create } from "@bufbuild/protobuf";
import { assertEquals } from "@std/assert";
import { ModelProtoSchema, NodeProtoSchema } from "onnx-buf";
import { attributeProtos, type Attributes } from "../../../src/onnx/codec/attributes.ts";
import { openEvaluator } from "../../../src/onnx/evaluate/evaluator.ts";
import { encodeModel } from "../../../src/onnx/mod.ts";
import { valueInfo } from "../../../src/onnx/codec/value_info.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

/** A node of floats: lengths of its inputs, and how many outputs to compare. */
interface Case {
  readonly op: string;
  readonly inputs: readonly (readonly number[])[];
  readonly attributes?: Attributes;
  readonly outputs?: number;
}

const CASES: readonly Case[] = [
  { op: "com.microsoft.Gelu", inputs: [[3, 5]] },
  { op: "com.microsoft.BiasGelu", inputs: [[3, 5], [5]] },
  { op: "com.microsoft.FastGelu", inputs: [[3, 5]] },
  { op: "com.microsoft.FastGelu", inputs: [[3, 5], [5]] },
  { op: "com.microsoft.QuickGelu", inputs: [[3, 5]] },
  { op: "com.microsoft.QuickGelu", inputs: [[3, 5]], attributes: { alpha: { float: 0.5 } } },
  {
    op: "com.microsoft.FusedMatMul",
    inputs: [[2, 3, 4], [3, 5]],
    attributes: { transA: 1, alpha: { float: 0.25 } },
  },
  { op: "com.microsoft.FusedMatMul", inputs: [[2, 3, 4], [2, 5, 4]], attributes: { transB: 1 } },
  {
    op: "com.microsoft.SkipLayerNormalization",
    inputs: [[2, 3, 4], [2, 3, 4], [4], [4], [4]],
    attributes: { epsilon: { float: 1e-3 } },
  },
  {
    op: "Conv",
    inputs: [[2, 4, 7, 6], [6, 2, 3, 2], [6]],
    attributes: { group: 2, strides: [2, 1], dilations: [1, 3], pads: [2, 0, 1, 1] },
  },
  {
    op: "Conv",
    inputs: [[1, 2, 8], [3, 2, 4]],
    attributes: { auto_pad: "SAME_LOWER", strides: [3] },
  },
  {
    op: "ConvTranspose",
    inputs: [[2, 4, 3, 4], [4, 3, 3, 2], [6]],
    attributes: {
      group: 2,
      strides: [2, 3],
      dilations: [2, 1],
      pads: [1, 0, 2, 1],
      output_padding: [1, 0],
    },
  },
  {
    op: "ConvTranspose",
    inputs: [[1, 2, 5], [2, 3, 4]],
    attributes: { strides: [3], output_shape: [14], auto_pad: "SAME_UPPER" },
  },
  {
    op: "MaxPool",
    inputs: [[2, 3, 7, 8]],
    attributes: {
      kernel_shape: [3, 2],
      strides: [2, 3],
      dilations: [1, 2],
      pads: [1, 0, 1, 1],
      ceil_mode: 1,
    },
  },
  {
    op: "AveragePool",
    inputs: [[2, 3, 7, 8]],
    attributes: { kernel_shape: [3, 3], strides: [2, 3], pads: [1, 2, 1, 0], count_include_pad: 1 },
  },
  {
    op: "AveragePool",
    inputs: [[1, 2, 9]],
    attributes: { kernel_shape: [4], auto_pad: "SAME_LOWER" },
  },
  { op: "LpPool", inputs: [[1, 2, 9]], attributes: { kernel_shape: [4], p: 3, pads: [1, 2] } },
  { op: "Einsum", inputs: [[2, 3, 4], [4, 3], [2, 5]], attributes: { equation: "bij,ji,bk->kb" } },
  { op: "Einsum", inputs: [[3, 1, 2, 4], [1, 2, 4, 5]], attributes: { equation: "...ij,...jk" } },
  { op: "Einsum", inputs: [[3, 4, 3]], attributes: { equation: "iji->j" } },
  {
    op: "Gemm",
    inputs: [[4, 3], [5, 4], [3, 1]],
    attributes: { transA: 1, transB: 1, alpha: { float: 2 } },
  },
  { op: "MatMul", inputs: [[2, 1, 3, 4], [5, 4, 2]] },
  {
    op: "LayerNormalization",
    inputs: [[2, 3, 4], [3, 4], [3, 4]],
    attributes: { axis: 1 },
    outputs: 3,
  },
  { op: "InstanceNormalization", inputs: [[2, 3, 4, 2], [3], [3]] },
  { op: "LRN", inputs: [[2, 7, 3, 2]], attributes: { size: 5, alpha: { float: 0.5 } } },
  { op: "LpNormalization", inputs: [[2, 3, 4]], attributes: { axis: 1, p: 1 } },
  { op: "MeanVarianceNormalization", inputs: [[2, 3, 4, 2]], attributes: { axes: [1, 3] } },
];

/** Numbers between −2 and 2 that differ from each other. */
function numbers(dims: readonly number[], seed: number): number[] {
  const count = dims.reduce((product, length) => product * length, 1);
  return Array.from({ length: count }, (_, i) => Math.fround(2 * Math.sin(1.7 * i * i + i + seed)));
}

function modelOf({ op, inputs, attributes = {}, outputs = 1 }: Case): Uint8Array {
  const [domain, opType] = op.includes(".") ? ["com.microsoft", op.slice(14)] : ["", op];
  const names = Array.from({ length: outputs }, (_, i) => `y${i}`);
  const output = op.endsWith("SkipLayerNormalization") ? ["y0", "", "", "sum"] : names;
  const node = create(NodeProtoSchema, {
    name: "it",
    opType: opType!,
    domain: domain!,
    input: inputs.map((_, i) => `x${i}`),
    output,
    attribute: attributeProtos(attributes),
  });
  return encodeModel(create(ModelProtoSchema, {
    irVersion: 8n,
    opsetImport: [{ domain: "", version: 18n }, { domain: "com.microsoft", version: 1n }],
    graph: {
      name: "one",
      node: [node],
      input: inputs.map((dims, i) => valueInfo(`x${i}`, "f32", dims)),
      output: output.filter((name) => name !== "").map((name) => valueInfo(name, "f32", undefined)),
    },
  }));
}

Deno.test("single nodes give the same results as in onnxruntime", async (t) => {
  for (const each of CASES) {
    await t.step(`${each.op} ${JSON.stringify(each.attributes ?? {})}`, async () => {
      const model = modelOf(each);
      const values = each.inputs.map((dims, i) => numbers(dims, i));
      const expected = await runModel(
        model,
        Object.fromEntries(each.inputs.map((dims, i) => [`x${i}`, f32(values[i]!, ...dims)])),
      );
      const made = openEvaluator(model).run(
        Object.fromEntries(
          each.inputs.map((dims, i) => [`x${i}`, { data: Float32Array.from(values[i]!), dims }]),
        ),
      );
      assertEquals(Object.keys(made), Object.keys(expected));
      for (const [name, { dims, data }] of Object.entries(made)) {
        assertEquals(dims, expected[name]!.dims, name);
        const error = worst(data, numbersOf(expected[name]));
        assertEquals(error < 1e-6, true, `${name} is off by ${error}`);
      }
    });
  }
});
