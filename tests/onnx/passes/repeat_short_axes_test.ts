import { assert, assertEquals } from "@std/assert";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  type ElementType,
  Graph,
  GraphBuilder,
  openEvaluator,
  repeatShortAxes,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel } from "../ort.ts";

type Shape = readonly (number | string)[];

function product(a: Shape, b: Shape, type: ElementType = "f32"): Uint8Array {
  const g = new GraphBuilder("product");
  const [left, right] = [g.input("a", type, [...a]), g.input("b", type, [...b])];
  g.output("y", g.op("Mul", [left, right], type));
  return g.build();
}

/** Shapes of both factors, and the number of factors that are repeated. */
const CASES: readonly [a: Shape, b: Shape, changed: number][] = [
  [["N", 4, 3], ["N", 4, 1], 1],
  [["N", 4, 1], ["N", 4, 5], 1],
  [["N", 16], ["N", 1], 1],
  [["N", 2], ["N", 1], 1],
  // Rows that are repeated, columns that are repeated in a small matrix, and both.
  [["N", 4, 3], ["N", 1, 3], 1],
  [["N", 128, 16], ["N", 1, 16], 1],
  [["N", 2, 4, 3], ["N", 2, 1, 3], 1],
  [["N", 4, 1], ["N", 1, 8], 2],
  [["N", 1, 3], ["N", 17, 1], 2],
  // Broadcasting costs as much, other axes are repeated, too, or nothing is.
  [["N", 17], ["N", 1], 0],
  [["N", 4, 17], ["N", 1, 17], 0],
  [["N", 129, 3], ["N", 1, 3], 0],
  [["N", "K", 3], ["N", 1, 3], 0],
  [["N", 4, 3], [1, 1, 3], 0],
  [["N", 3], [1, 3], 0],
  [["N", 1], ["N", 1], 0],
  [["N", 4, 3], ["N", 1, 1], 0],
  [["N", 4, 3], [1, 1], 0],
  [["N", 4, 3], [4, 1], 0],
  [["N", 4, 3], ["M", 4, 1], 0],
  [["N", 4, 3], ["N", 4, 3], 0],
  [["N", "K"], ["N", 1], 0],
  [[1, 3], [1, 1], 0],
  [[3], [1], 0],
];

Deno.test("factors that are repeated along short axes are repeated by products of matrices", () => {
  for (const [a, b, changed] of CASES) {
    const bytes = product(a, b), graph = new Graph(decodeModel(bytes));
    assertEquals(repeatShortAxes(graph), changed, `[${a}] · [${b}]`);
    assertEquals(repeatShortAxes(graph), 0);
    for (const rows of [3, 1, 0]) {
      const feeds = Object.fromEntries([a, b].map((shape, k) => {
        const dims = shape.map((length) => typeof length === "number" ? length : rows);
        const count = dims.reduce((product, length) => product * length, 1);
        const data = Array.from({ length: count }, (_, i) => Math.cos(i + k));
        return ["ab"[k]!, plainTensor("f32", dims, data)];
      }));
      const { y } = openEvaluator(bytes).run(feeds), made = openEvaluator(graph).run(feeds).y!;
      assertEquals([made.dims, [...made.data]], [y!.dims, [...y!.data]], `[${a}] · [${b}]`);
    }
  }
});

Deno.test("integers and half precision stay", () => {
  for (const type of ["i32", "i64", "f16"] as const) {
    const graph = new Graph(decodeModel(product(["N", 3], ["N", 1], type)));
    assertEquals(repeatShortAxes(graph), 0);
  }
});

Deno.test("onnxruntime computes the same bits, and passes on what is not finite", async () => {
  const bytes = product(["N", 3], ["N", 1]), graph = new Graph(decodeModel(bytes));
  repeatShortAxes(graph);
  const a = Array.from({ length: 15 }, (_, i) => Math.sin(i + 1));
  const feeds = { a: f32(a, 5, 3), b: f32([1 / 3, NaN, Infinity, -1e-40, 3e38], 5, 1) };
  const [before, after] = [await runModel(bytes, feeds), await runModel(graph.encode(), feeds)];
  assert(numbersOf(before["y"]).some(Number.isNaN));
  assertEquals(numbersOf(after["y"]), numbersOf(before["y"]));
});
