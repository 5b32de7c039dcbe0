import { assertEquals } from "@std/assert";
import {
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
} from "../../../src/onnx/mod.ts";
import { checkSlopes } from "./check_slopes.ts";
import { test } from "../../suite.ts";

type Dims = readonly number[];

/** Factors of every rank, batches repeated on either side, on both, and not at all. */
const FACTORS: readonly (readonly [Dims, Dims])[] = [
  [[2, 3], [3, 4]],
  [[3], [3]],
  [[3], [3, 4]],
  [[2, 3], [3]],
  [[3], [2, 3, 4]],
  [[5, 2, 3], [3]],
  [[5, 2, 3], [3, 4]],
  [[2, 3], [5, 3, 4]],
  [[5, 2, 3], [5, 3, 4]],
  [[1, 2, 3], [5, 3, 4]],
  [[5, 2, 3], [1, 3, 4]],
  [[2, 1, 2, 3], [4, 3, 5]],
  [[2, 1, 2, 3], [1, 4, 3, 5]],
  [[2, 4, 2, 3], [4, 3, 5]],
  [[4, 2, 1], [4, 1, 3]],
  [[4, 2, 3], [4, 3, 1]],
  [[1, 2, 3], [4, 3, 1]],
  [[2, 1], [1, 3]],
  [[1, 1], [1, 1]],
];

Deno.test("first and second derivatives of MatMul agree with finite differences", () => {
  for (const [a, b] of FACTORS) checkSlopes({ op: "MatMul", inputs: [{ dims: a }, { dims: b }] });
});

Deno.test("MatMul has a gradient if an axis is empty", () => {
  const empty: readonly (readonly [Dims, Dims])[] = [
    [[0, 3], [3, 4]],
    [[2, 0], [0, 4]],
    [[2, 3], [3, 0]],
    [[0, 2, 3], [3, 4]],
    [[1, 0, 3], [2, 3, 4]],
    [[5, 0, 3], [5, 3, 4]],
    [[1, 2, 3], [0, 3, 4]],
  ];
  for (const [a, b] of empty) checkSlopes({ op: "MatMul", inputs: [{ dims: a }, { dims: b }] });
});

Deno.test("MatMul has a gradient if a length may be 1", () => {
  checkSlopes({
    op: "MatMul",
    inputs: [
      { dims: [1, 2, 3], shape: ["A", "M", "K"] },
      { dims: [4, 3, 2], shape: ["B", "K", "N"] },
    ],
  });
});

Deno.test("MatMul by a constant has a gradient", () => {
  checkSlopes({
    op: "MatMul",
    inputs: [{ dims: [1, 5, 3] }, { dims: [4, 3, 2], isConstant: true }],
  });
  checkSlopes({ op: "MatMul", inputs: [{ dims: [4, 5, 3], isConstant: true }, { dims: [3, 2] }] });
});

Deno.test("the gradient of Gemm agrees with finite differences for all options", () => {
  const terms: readonly (Dims | undefined)[] = [undefined, [2, 4], [4], [1, 4], [2, 1], [1], []];
  for (const transA of [0, 1]) {
    for (const transB of [0, 1]) {
      for (const term of terms) {
        checkSlopes({
          op: "Gemm",
          attributes: { transA, transB, alpha: { float: 0.5 }, beta: { float: -1.5 } },
          inputs: [
            { dims: transA === 0 ? [2, 3] : [3, 2] },
            { dims: transB === 0 ? [3, 4] : [4, 3] },
            ...term === undefined ? [] : [{ dims: term }],
          ],
        });
      }
    }
  }
});

Deno.test("Gemm has a gradient if an axis is empty", () => {
  checkSlopes({ op: "Gemm", inputs: [{ dims: [0, 3] }, { dims: [3, 4] }, { dims: [4] }] });
  checkSlopes({ op: "Gemm", inputs: [{ dims: [2, 0] }, { dims: [0, 4] }, { dims: [4] }] });
});

Deno.test("the gradient of FusedMatMul agrees with finite differences", () => {
  for (const [transA, transB] of [[0, 0], [0, 1], [1, 0], [1, 1]] as const) {
    const inputs = [
      { dims: transA === 0 ? [5, 2, 3] : [5, 3, 2] },
      { dims: transB === 0 ? [1, 3, 4] : [1, 4, 3] },
    ];
    const attributes = { transA, transB, alpha: { float: -0.5 } };
    checkSlopes({ op: "com.microsoft.FusedMatMul", attributes, inputs });
  }
});

/** Σ x · W for a stack of weights, over each of which x is repeated. */
function stackOfProducts(): Graph {
  const builder = new GraphBuilder("stack");
  const x = builder.input("x", "f32", [1, "N", 2]);
  const weights = builder.constant("f32", [1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]);
  const product = builder.op("MatMul", [x, weights], "f32");
  builder.output("y", builder.reduceSum(product, [0, 1, 2]), []);
  return new Graph(decodeModel(builder.build()));
}

test("gradients of a stack of products are summed by one product", () => {
  const graph = stackOfProducts(), before = new Set(graph.nodes);
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const added = graph.nodes.filter((node) => !before.has(node)).map(({ opType }) => opType);
  assertEquals(added.filter((op) => op === "Gemm").length, 1);
  assertEquals(added.includes("ReduceSum"), false);
  const x = { dims: [1, 1, 2], data: Float32Array.of(1, 1) };
  // 1 + 2 + 5 + 6 and 3 + 4 + 7 + 8
  assertEquals([...openEvaluator(graph).run({ x }, ["slope"]).slope!.data], [14, 22]);
});

test("second derivatives reach weights that are constants", () => {
  const graph = stackOfProducts();
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const loss = graph.make("ReduceSum", [graph.make("Mul", ["slope", "slope"])], { keepdims: 0 });
  const { model } = graph;
  const weights = model.graph!.initializer.find(({ dims }) => dims.length === 3)!.name;
  gradient(graph, { of: loss, wrt: { [weights]: "second" } });
  const x = { dims: [1, 1, 2], data: Float32Array.of(1, 1) };
  // Twice the slope, 14 and 22, for each weight of its row.
  assertEquals([...openEvaluator(graph).run({ x }, ["second"]).second!.data], [
    28,
    28,
    44,
    44,
    28,
    28,
    44,
    44,
  ]);
});
