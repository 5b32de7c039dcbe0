/** The gradients of products of matrices as onnxruntime runs them: every form that a rule writes. */
import { assertOnRuntime } from "./on_runtime.ts";

for (const isFree of [true, false]) {
  const lengths = isFree ? "free lengths" : "fixed lengths";
  Deno.test(`onnxruntime runs the gradients of MatMul, with ${lengths}`, async () => {
    const factors = [
      [[2, 3], [3, 4]],
      [[3], [3]],
      [[3], [2, 3, 4]],
      [[5, 2, 3], [3]],
      [[5, 2, 3], [3, 4]],
      [[2, 3], [5, 3, 4]],
      [[1, 2, 3], [5, 3, 4]],
      [[2, 1, 2, 3], [4, 3, 5]],
      [[2, 4, 2, 3], [4, 3, 5]],
      [[4, 2, 3], [4, 3, 1]],
      [[0, 3], [3, 4]],
      [[2, 0], [0, 4]],
      [[1, 0, 3], [2, 3, 4]],
    ];
    for (const inputs of factors) await assertOnRuntime({ op: "MatMul", inputs }, isFree);
  });

  Deno.test(`onnxruntime runs the gradients of Gemm, with ${lengths}`, async () => {
    for (const [transA, transB] of [[0, 0], [0, 1], [1, 0], [1, 1]] as const) {
      const attributes = { transA, transB, alpha: { float: 0.5 }, beta: { float: -1.5 } };
      const inputs = [transA === 0 ? [2, 3] : [3, 2], transB === 0 ? [3, 4] : [4, 3], [2, 1]];
      await assertOnRuntime({ op: "Gemm", attributes, inputs }, isFree);
    }
    await assertOnRuntime({ op: "Gemm", inputs: [[0, 3], [3, 4], [4]] }, isFree);
  });
}
