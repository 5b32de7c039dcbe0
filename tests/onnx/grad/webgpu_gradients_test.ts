/** Gradients of products, convolutions and pools on WebGPU: forms that onnxruntime has kernels for, and right ones. */
import { gpuTest } from "../gpu.ts";
import { few, slow } from "../../suite.ts";
import { assertOnRuntime, type RuntimeCase } from "./on_runtime.ts";

const CASES: readonly RuntimeCase[] = [
  { op: "MatMul", inputs: [[1, 2, 3], [5, 3, 4]] },
  { op: "MatMul", inputs: [[2, 1, 2, 3], [4, 3, 5]] },
  { op: "Gemm", inputs: [[3, 2], [4, 3], [4]], attributes: { transA: 1, transB: 1 } },
  {
    op: "Einsum",
    inputs: [[2, 2, 3, 4], [2, 5, 4, 3]],
    attributes: { equation: "sabc,sdce->sadbe" },
  },
  {
    op: "Conv",
    inputs: [[1, 2, 7], [2, 2, 2], [2]],
    attributes: { strides: [3], dilations: [2], pads: [0, 1] },
  },
  {
    op: "Conv",
    inputs: [[1, 4, 5], [4, 2, 2]],
    attributes: { group: 2, strides: [2], dilations: [2] },
  },
  { op: "Conv", inputs: [[2, 2, 4, 4], [6, 1, 2, 2]], attributes: { group: 2 } },
  {
    op: "ConvTranspose",
    inputs: [[2, 4, 3, 3], [4, 3, 2, 2]],
    attributes: { group: 2, strides: [2, 2], output_padding: [1, 0] },
  },
  {
    op: "AveragePool",
    inputs: [[2, 2, 4, 5]],
    attributes: { kernel_shape: [2, 3], strides: [2, 1], pads: [1, 0, 0, 2] },
  },
  {
    op: "MaxPool",
    inputs: [[2, 2, 4, 5]],
    attributes: { kernel_shape: [2, 3], strides: [2, 1], pads: [1, 0, 0, 2] },
  },
];

slow(gpuTest)("WebGPU runs the gradients of products, convolutions and pools", async () => {
  // One of each operator is enough in the fast suite.
  const some = CASES.filter(({ op }, i) => CASES.findIndex((one) => one.op === op) === i);
  for (const each of few(some, CASES)) await assertOnRuntime(each, false, { device: "webgpu" });
});
