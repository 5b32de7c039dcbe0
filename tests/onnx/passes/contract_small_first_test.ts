import { assert, assertEquals } from "@std/assert";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  contractSmallFirst,
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
  type PlainFeeds,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

type Shape = readonly (number | string)[];

/** Shapes of both factors and of the matrix. */
type Case = readonly [a: Shape, b: Shape, c: readonly [number, number]];

/** A graph of (a · b) · c. */
function contraction([a, b, c]: Case, options: { readonly twice?: boolean } = {}): Uint8Array {
  const g = new GraphBuilder("contraction");
  const [left, right] = [g.input("a", "f32", [...a]), g.input("b", "f32", [...b])];
  const matrix = g.input("c", "f32", [...c]);
  const outer = g.mul(left, right);
  const joined = g.reshape(outer, g.constant("i64", [-1, c[0]]));
  g.output("y", g.op("MatMul", [joined, matrix], "f32"));
  if (options.twice) g.output("z", g.op("MatMul", [joined, g.mul(matrix, 2)], "f32"));
  return g.build();
}

/** Contractions that are rewritten. */
const CASES: readonly Case[] = [
  [["N", 64, 3, 1], ["N", 1, 1, 5], [15, 7]],
  [["N", 64, 1, 3], ["N", 1, 5, 1], [15, 7]],
  [["N", 1, 1, 5], ["N", 64, 3, 1], [15, 2]],
  [["N", 1, 5, 1], ["N", 64, 1, 3], [15, 1]],
  [["N", 64, 1, 3, 1], ["N", 1, 1, 1, 5], [15, 3]],
  [["N", 8, 4, 3, 1, 1], ["N", 1, 1, 1, 1, 5], [15, 3]],
  [[4, 64, 3, 1], [4, 1, 1, 5], [15, 4]],
];

/** Contractions that stay as they are. */
const OTHERS: Readonly<Record<string, Case>> = {
  "fewer elements per row": [["N", 8, 3, 1], ["N", 1, 1, 5], [15, 7]],
  "several vectors per row on both sides": [["N", 64, 3, 1], ["N", 64, 1, 5], [15, 7]],
  "a factor that is the same for all rows": [["N", 64, 3, 1], [1, 1, 1, 5], [15, 7]],
  "rows of different number": [["N", 64, 3, 1], ["M", 1, 1, 5], [15, 7]],
  "one row": [[1, 64, 3, 1], [1, 1, 1, 5], [15, 7]],
  "an elementwise product": [["N", 64, 15], ["N", 64, 15], [15, 7]],
  "vectors in one factor": [["N", 64, 3, 5], ["N", 1, 1, 1], [15, 7]],
  "a sum over a part of the vectors": [["N", 64, 3, 1], ["N", 1, 1, 5], [5, 7]],
  "a sum over more than the vectors": [["N", 64, 3, 1], ["N", 1, 1, 5], [30, 7]],
  "an unknown number of vectors": [["N", "K", 3, 1], ["N", 1, 1, 5], [15, 7]],
  "factors with fewer axes": [["N", 64, 3, 1], [5], [15, 7]],
};

function feedsOf(cases: Case, rows: number): PlainFeeds {
  return Object.fromEntries(["a", "b", "c"].map((name, k) => {
    const dims = cases[k]!.map((length) => typeof length === "number" ? length : rows);
    const count = dims.reduce((product, length) => product * length, 1);
    const data = Array.from({ length: count }, (_, i) => Math.sin(3 * i + k));
    return [name, plainTensor("f32", dims, data)];
  }));
}

function rewritten(bytes: Uint8Array, changed: number): Graph {
  const graph = new Graph(decodeModel(bytes));
  assertEquals(contractSmallFirst(graph), changed);
  graph.prune();
  return graph;
}

Deno.test("sums over outer products of many vectors with one are computed without the outer product", () => {
  for (const each of CASES) {
    const bytes = contraction(each), graph = rewritten(bytes, 1);
    assertEquals(graph.nodes.filter(({ opType }) => opType === "Mul").length, 0, `${each}`);
    for (const rows of each[0][0] === "N" ? [3, 1, 0] : [4]) {
      const feeds = feedsOf(each, rows), { y } = openEvaluator(bytes).run(feeds);
      const made = openEvaluator(graph).run(feeds).y!;
      assertEquals(made.dims, y!.dims, `${each}`);
      if (rows > 0) assert(worst(made.data, y!.data) < 1e-13, `${each}`);
    }
  }
});

Deno.test("several sums over one outer product are rewritten together", () => {
  const bytes = contraction(CASES[0]!, { twice: true }), graph = rewritten(bytes, 2);
  const feeds = feedsOf(CASES[0]!, 3), before = openEvaluator(bytes).run(feeds);
  const after = openEvaluator(graph).run(feeds);
  for (const name of ["y", "z"]) assert(worst(after[name]!.data, before[name]!.data) < 1e-13);
});

Deno.test("other contractions stay", () => {
  for (const [name, each] of Object.entries(OTHERS)) {
    const graph = new Graph(decodeModel(contraction(each))), before = graph.nodes.length;
    assertEquals(contractSmallFirst(graph), 0, name);
    assertEquals(graph.nodes.length, before, name);
  }
});

Deno.test("an outer product that others use, that is an output, or that is a stack of matrices stays", () => {
  const [a, b, c] = CASES[0]!;
  for (const use of ["output", "matrix", "sum", "right", "stack"]) {
    const g = new GraphBuilder("used");
    const outer = g.mul(g.input("a", "f32", [...a]), g.input("b", "f32", [...b]));
    const joined = g.reshape(outer, g.constant("i64", use === "stack" ? [-1, 64, 15] : [-1, 15]));
    g.output("y", g.op("MatMul", [joined, g.input("c", "f32", [...c])], "f32"));
    if (use === "output") g.output("z", outer);
    if (use === "matrix") g.output("z", joined);
    if (use === "sum") g.output("z", g.reduceSum(outer, [1]));
    if (use === "right") {
      const other = g.input("d", "f32", [2, "R"]);
      g.output("z", g.op("MatMul", [other, joined], "f32"));
    }
    assertEquals(contractSmallFirst(new Graph(decodeModel(g.build()))), 0, use);
  }
});

Deno.test("gradients follow, on onnxruntime too", async () => {
  for (const each of [CASES[0]!, CASES[3]!]) {
    const graphs = [false, true].map((isContracted) => {
      const graph = isContracted
        ? rewritten(contraction(each), 1)
        : new Graph(decodeModel(contraction(each)));
      const square = graph.make("Mul", ["y", "y"]);
      const total = graph.make("ReduceSum", [square], { keepdims: 0 });
      gradient(graph, { of: total, wrt: ["a", "b", "c"] });
      return graph.encode();
    });
    const feeds = feedsOf(each, 3);
    const tensors = Object.fromEntries(
      Object.entries(feeds).map(([name, { data, dims }]) => [
        name,
        f32(Array.from(data, Number), ...dims!),
      ]),
    );
    const [before, after] = graphs.map((bytes) => openEvaluator(bytes).run(feeds));
    const made = await runModel(graphs[1]!, tensors);
    for (const [name, { data, dims }] of Object.entries(before!)) {
      assertEquals(after![name]!.dims, dims);
      assert(worst(after![name]!.data, data) < 1e-12, name);
      assert(worst(numbersOf(made[name]), data) < 1e-5, name);
    }
  }
});
