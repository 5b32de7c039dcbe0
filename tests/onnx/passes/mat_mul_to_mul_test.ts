import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  decodeModel,
  type ElementType,
  Graph,
  GraphBuilder,
  matMulToMul,
  openEvaluator,
} from "../../../src/onnx/mod.ts";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

type Shape = readonly (number | string)[];

/** A graph with one MatMul. */
function product(a: Shape, b: Shape, type: ElementType = "f32"): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("product");
  const [left, right] = [g.input("a", type, [...a]), g.input("b", type, [...b])];
  g.output("y", g.op("MatMul", [left, right], type));
  return g.build();
}

/** Rewrites a graph, and returns it with its operators. */
function rewritten(bytes: Uint8Array): { graph: Graph; ops: string[] } {
  const graph = new Graph(decodeModel(bytes));
  const changed = matMulToMul(graph);
  const ops = graph.sort().map(({ opType }) => opType);
  assertEquals(changed, ops.includes("MatMul") ? 0 : 1);
  return { graph, ops };
}

const DOT = ["Squeeze", "Unsqueeze", "Mul", "ReduceSum"];
const COLUMN = ["Squeeze", "Squeeze", "Mul", "Unsqueeze"];

/** Shapes of both operands, and the operators that compute their product. */
const CASES: readonly [a: Shape, b: Shape, ops: readonly string[]][] = [
  // Two vectors.
  [["E", 4, 1, 5], ["E", 4, 5, 1], DOT],
  [["E", 1, "K"], ["E", "K", 1], DOT],
  [["E", 4, 1, 3], [1, 4, 3, 1], DOT],
  [["E", 1, 1, 3], [4, 3, 1], DOT],
  // A vector and a number.
  [["E", 4, 3, 1], ["E", 4, 1, 1], COLUMN],
  [["E", "K", 1], [1, 1], COLUMN],
  [["E", 4, "K", 1], ["E", 1, "M", 1], COLUMN],
  [["E", 1, 1], ["E", 1, 7], ["Mul"]],
  [[1, 1], ["E", 1, "K"], ["Mul"]],
  [["E", 1, 1], ["E", 1, 1], ["Mul"]],
  // One product of matrices, whatever the runtime makes of it, and products that have fewer ones.
  [["E", 1, 3], [3, 1], ["MatMul"]],
  [["E", 1, 3], [1, 3, 1], ["MatMul"]],
  [[1, 3], ["E", 3, 5], ["MatMul"]],
  [["E", 1, 3], ["E", 3, 5], ["MatMul"]],
  [["E", 5, 3], ["E", 3, 1], ["MatMul"]],
  [["E", 5, 1], ["E", 1, 3], ["MatMul"]],
  [["E", "M", 3], ["E", 3, 1], ["MatMul"]],
  // Vectors without a stack have one axis less.
  [["E", 1, 3], [3], ["MatMul"]],
  [[1], ["E", 1, 1], ["MatMul"]],
];

Deno.test("products with two lengths of 1 become Mul, or Mul and ReduceSum, and others stay", () => {
  for (const [a, b, ops] of CASES) {
    assertEquals(rewritten(product(a, b)).ops, ops, `[${a}] × [${b}]`);
  }
});

/** Lengths of the named axes, empty ones and ones among them. M is the summed axis, so 1 beside an axis of 1. */
const LENGTHS: readonly Readonly<Record<string, number>>[] = [
  { E: 2, K: 3, M: 1 },
  { E: 1, K: 1, M: 1 },
  { E: 0, K: 2, M: 1 },
  { E: 3, K: 0, M: 1 },
];

function dimsOf(shape: Shape, lengths: Readonly<Record<string, number>>): number[] {
  return shape.map((length) => typeof length === "number" ? length : lengths[length]!);
}

function numbers(dims: readonly number[]): number[] {
  const count = dims.reduce((product, length) => product * length, 1);
  return Array.from({ length: count }, (_, i) => Math.sin(3 * i + 1));
}

Deno.test("products keep their values and shapes for all lengths, empty ones too", async () => {
  for (const [a, b, ops] of CASES.filter(([, , ops]) => !ops.includes("MatMul"))) {
    const bytes = product(a, b), { graph } = rewritten(bytes);
    const after = graph.encode();
    for (const lengths of LENGTHS) {
      const [left, right] = [dimsOf(a, lengths), dimsOf(b, lengths)];
      const feeds = {
        a: plainTensor("f32", left, numbers(left)),
        b: plainTensor("f32", right, numbers(right)),
      };
      const { y } = openEvaluator(bytes).run(feeds), made = openEvaluator(after).run(feeds).y!;
      assertEquals(made.dims, y!.dims, `${ops}: [${left}] × [${right}]`);
      assert(worst(made.data, y!.data) < 1e-15, `${ops}: [${left}] × [${right}]`);
    }
    const [left, right] = [dimsOf(a, LENGTHS[0]!), dimsOf(b, LENGTHS[0]!)];
    const tensors = { a: f32(numbers(left), ...left), b: f32(numbers(right), ...right) };
    const [before, made] = [await runModel(bytes, tensors), await runModel(after, tensors)];
    assertEquals(made["y"]!.dims, before["y"]!.dims);
    assert(worst(numbersOf(made["y"]), numbersOf(before["y"])) < 1e-6);
  }
});

Deno.test("products of integers and of half precision stay", () => {
  for (const type of ["i32", "i64", "f16"] as const) {
    assertEquals(rewritten(product(["E", 3, 1], ["E", 1, 1], type)).ops, ["MatMul"]);
  }
  assertEquals(rewritten(product(["E", 3, 1], ["E", 1, 1], "f64")).ops, COLUMN);
});

Deno.test("a product of unknown shapes stays, and outputs keep their names", () => {
  const g = new GraphBuilder("unknown");
  const x = g.input("x", "f32", undefined!);
  g.output("y", g.op("MatMul", [x, x], "f32"));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(matMulToMul(graph), 0);
  const { graph: changed } = rewritten(product(["E", 2, 1], ["E", 1, 1]));
  assertEquals(changed.outputs.map(({ name }) => name), ["y"]);
  assertEquals(changed.producer("y")?.opType, "Unsqueeze");
});

Deno.test("random stacks of small products keep their values", () => {
  const length = fc.constantFrom<(number | string)[]>(1, 1, 1, "K", 3);
  const stack = fc.array(fc.constantFrom<(number | string)[]>(1, "E", 2), { maxLength: 3 });
  let changed = 0;
  fc.assert(
    fc.property(stack, stack, length, length, length, fc.nat(3), (left, right, m, k, n, K) => {
      const a = [...left, m, k], b = [...right, k, n], bytes = product(a, b);
      const lengths = { E: 2, K }, dims = [a, b].map((shape) => dimsOf(shape, lengths));
      const feeds = {
        a: plainTensor("f32", dims[0]!, numbers(dims[0]!)),
        b: plainTensor("f32", dims[1]!, numbers(dims[1]!)),
      };
      const { y } = openEvaluator(bytes).run(feeds), { graph, ops } = rewritten(bytes);
      if (ops.includes("MatMul")) return;
      changed++;
      const made = openEvaluator(graph).run(feeds).y!;
      assertEquals(made.dims, y!.dims);
      assert(worst(made.data, y!.data) < 1e-15, `[${a}] × [${b}]`);
    }),
    { numRuns: 300, seed: 3 },
  );
  assert(changed > 100, `${changed}`);
});
