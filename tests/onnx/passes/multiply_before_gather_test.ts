import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { countOf, plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  multiplyBeforeGather,
  openEvaluator,
} from "../../../src/onnx/mod.ts";
import type { Value } from "../../../src/onnx/graph/graph_builder.ts";
import { f32, i64, numbersOf, runModel, worst } from "../ort.ts";

/** Returns numbers that look random, from −1 to 1. */
const numbers = (count: number, seed = 1) =>
  Array.from({ length: count }, (_, i) => Math.sin(1 + seed + 1.7 * i));

/** Rows in a graph: gathered from a table of nodes, from a constant table, or present as they are. */
interface Part {
  readonly kind: "Gather" | "GatherND" | "table" | "rows";
  readonly width: number;
}

/** A product of rows of several parts and weights. */
interface Case {
  readonly parts: readonly Part[];
  readonly op: "MatMul" | "Gemm" | "turned";
  readonly bias: "none" | "vector" | "row" | "rows";
  readonly out: number;
}

const NODES = 5, EDGES = 9;
const PLACES = Array.from({ length: EDGES }, (_, i) => (i * 7 + 2) % NODES);

/** Returns the model of a product; the inputs are `x0`, `x1` … and `places`. */
function productModel({ parts, op, bias, out }: Case): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("product"), places = g.input("places", "i64", ["E"]);
  const column = g.unsqueeze(places, [1]);
  const inputs = parts.map(({ kind, width }, i): Value => {
    if (kind === "rows") return g.input(`x${i}`, "f32", ["E", width]);
    const data = kind === "table"
      ? g.constant("f32", numbers(NODES * width, i), [NODES, width])
      : g.input(`x${i}`, "f32", ["N", width]);
    return kind === "GatherND"
      ? g.op("GatherND", [data, column], "f32")
      : g.op("Gather", [data, places], "f32", { axis: 0 });
  });
  const rows = inputs.length === 1 ? inputs[0]! : g.op("Concat", inputs, "f32", { axis: -1 });
  const columns = parts.reduce((sum, { width }) => sum + width, 0);
  const shape = op === "turned" ? [out, columns] : [columns, out];
  const weights = g.constant("f32", numbers(columns * out), shape);
  const addends: Record<Case["bias"], () => Value[]> = {
    none: () => [],
    vector: () => [g.constant("f32", numbers(out), [out])],
    row: () => [g.constant("f32", numbers(out), [1, out])],
    rows: () => [g.input("bias", "f32", ["E", out])],
  };
  const y = op === "MatMul" ? g.op("MatMul", [rows, weights], "f32") : g.op(
    "Gemm",
    [rows, weights, ...addends[bias]()],
    "f32",
    op === "turned" ? { transB: 1 } : {},
  );
  g.output("y", y);
  return g.build();
}

/** Returns the dimensions and values of the inputs of a graph. */
function feedsOf(graph: Graph): { name: string; dims: number[]; values: number[] }[] {
  return graph.inputs.map(({ name }, i) => {
    const dims = graph.shape(name)!.map((length) =>
      length === "E" ? EDGES : length === "N" ? NODES : Number(length)
    );
    return { name, dims, values: name === "places" ? PLACES : numbers(countOf(dims), i) };
  });
}

/** Returns the outputs of a graph from the evaluator, in double precision. */
function outputsOf(graph: Graph): Record<string, number[]> {
  const feeds = feedsOf(graph).map(({ name, dims, values }) =>
    [name, plainTensor(graph.type(name)!, dims, values)] as const
  );
  const made = openEvaluator(graph).run(Object.fromEntries(feeds));
  return Object.fromEntries(Object.entries(made).map(([name, { data }]) => [name, [...data]]));
}

/** Adds the gradient of the sum of y by all inputs with numbers. */
function differentiate(graph: Graph): void {
  const wrt = graph.inputs.map(({ name }) => name).filter((name) => name !== "places");
  const of = graph.make("ReduceSum", ["y"], { keepdims: 0 });
  gradient(graph, { of, wrt: Object.fromEntries(wrt.map((name) => [name, `slope_of_${name}`])) });
}

Deno.test("products of gathered rows keep their values and slopes", () => {
  const part = fc.record({
    kind: fc.constantFrom<Part["kind"]>("Gather", "GatherND", "table", "rows"),
    width: fc.integer({ min: 16, max: 18 }),
  });
  const product = fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    op: fc.constantFrom<Case["op"]>("MatMul", "Gemm", "turned"),
    bias: fc.constantFrom<Case["bias"]>("none", "vector", "row", "rows"),
    out: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(product, (each) => {
      const bytes = productModel(each);
      const [graph, before] = [new Graph(decodeModel(bytes)), new Graph(decodeModel(bytes))];
      const isGathered = each.parts.some(({ kind }) => kind !== "rows");
      assertEquals(multiplyBeforeGather(graph), isGathered ? 1 : 0);
      assertEquals(multiplyBeforeGather(graph), 0);
      if (each.parts.some(({ kind }) => kind !== "table")) {
        for (const one of [graph, before]) differentiate(one);
      }
      const [actual, expected] = [outputsOf(graph), outputsOf(before)];
      for (const [name, values] of Object.entries(expected)) {
        assert(worst(actual[name]!, values) < 1e-6, `${name} of ${JSON.stringify(each)}`);
      }
    }),
    { numRuns: 60, seed: 1 },
  );
});

Deno.test("rows are multiplied once per node, and the products are gathered", async () => {
  const parts = [
    { kind: "GatherND", width: 16 },
    { kind: "rows", width: 2 },
    { kind: "rows", width: 3 },
    { kind: "Gather", width: 17 },
  ] as const;
  const bytes = productModel({ parts, op: "turned", bias: "vector", out: 2 });
  const graph = new Graph(decodeModel(bytes));
  assertEquals(multiplyBeforeGather(graph), 1);
  graph.prune();
  const ops = graph.sort().map(({ opType }) => opType).sort();
  const slices = ["Slice", "Slice", "Slice"];
  const products = ["Gather", "GatherND", "Gemm", "Gemm", "Gemm"];
  assertEquals(ops, ["Add", "Concat", ...products, ...slices, "Unsqueeze"]);
  const feeds = Object.fromEntries(
    feedsOf(graph).map(({ name, dims, values }) =>
      [name, name === "places" ? i64(values, ...dims) : f32(values, ...dims)] as const
    ),
  );
  const [before, after] = [await runModel(bytes, feeds), await runModel(graph.encode(), feeds)];
  assert(worst(numbersOf(after["y"]), numbersOf(before["y"])) < 1e-6);
});

/** Returns a model that gathers rows with the given operators and multiplies them by weights. */
function gathering(
  { rows = "N", width = 16, axis = 0, isFed = false, isSelected = false, ...options }: {
    readonly rows?: string | number;
    readonly width?: number;
    readonly axis?: number;
    readonly isFed?: boolean;
    readonly isSelected?: boolean;
    readonly alpha?: number;
  },
): Graph {
  const g = new GraphBuilder("kept"), places = g.input("places", "i64", ["E"]);
  const x = typeof rows === "string"
    ? g.input("x", "f32", [rows, width])
    : g.constant("f32", numbers(rows * width), [rows, width]);
  const found = g.squeeze(g.op("NonZero", [places], "i64"), [0]);
  const gathered = g.op("Gather", [x, isSelected ? found : places], "f32", { axis });
  const weights = isFed
    ? g.input("weights", "f32", [width, 2])
    : g.constant("f32", numbers(width * 2), [width, 2]);
  const alpha = { float: options.alpha ?? 1 };
  g.output("y", g.op("Gemm", [gathered, weights], "f32", { alpha }));
  return new Graph(decodeModel(g.build()));
}

Deno.test("products stay if the rows are selected by value, are few, or belong to a large table", () => {
  assertEquals(multiplyBeforeGather(gathering({})), 1);
  assertEquals(multiplyBeforeGather(gathering({ rows: 1024 })), 1);
  assertEquals(multiplyBeforeGather(gathering({ rows: 1025 })), 0);
  assertEquals(multiplyBeforeGather(gathering({ width: 15 })), 0);
  assertEquals(multiplyBeforeGather(gathering({ rows: "E" })), 0);
  assertEquals(multiplyBeforeGather(gathering({ isSelected: true })), 0);
  assertEquals(multiplyBeforeGather(gathering({ isFed: true })), 0);
  assertEquals(multiplyBeforeGather(gathering({ alpha: 2 })), 0);
  assertEquals(multiplyBeforeGather(gathering({ axis: 1 })), 0);
});
