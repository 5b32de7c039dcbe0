import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
  type PlainFeeds,
  selectRowsFirst,
  type Value,
} from "../../../src/onnx/mod.ts";
import { f32, i64, numbersOf, runModel, worst } from "../ort.ts";
import { modelTest } from "../shared_models.ts";
import { assertKeepsNumbers, passGraphs } from "./pass_graphs.ts";

type Float = Value<"f32">;

/** Some numbers that differ from each other. */
function weights(g: GraphBuilder, shape: readonly number[], seed: number): Float {
  const count = shape.reduce((product, length) => product * length, 1);
  return g.constant("f32", Array.from({ length: count }, (_, i) => Math.sin(3 * i + seed)), [
    ...shape,
  ]);
}

/** A network of two layers with one number per row. */
function network(g: GraphBuilder, x: Float, seed: number): Float {
  const hidden = g.add(g.op("MatMul", [x, weights(g, [4, 5], seed)], "f32"), weights(g, [5], seed));
  const out = g.op("MatMul", [g.op("Tanh", [hidden], "f32"), weights(g, [5, 1], seed + 1)], "f32");
  return g.squeeze(out, [1]);
}

/** A graph of `y`, [N] unless said otherwise, by `x`, [N, 4], and `numbers`, [N]. */
function graphOf(
  build: (g: GraphBuilder, x: Float, numbers: Value<"i64">) => Float,
  rows: number | string = "N",
): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("elements");
  const x = g.input("x", "f32", [rows, 4]), numbers = g.input("numbers", "i64", [rows]);
  g.output("y", build(g, x, numbers));
  return g.build();
}

function isElement(g: GraphBuilder, numbers: Value<"i64">, element: number): Value<"bool"> {
  return g.op("Equal", [numbers, g.constant("i64", element)], "bool");
}

/** Networks whose rows are chosen by Where, one after another. The last choice wins. */
function chain(g: GraphBuilder, x: Float, numbers: Value<"i64">): Float {
  let y: Float = g.op("Expand", [g.constant("f32", 0), g.op("Shape", [numbers], "i64")], "f32");
  for (const element of [1, 6, 8]) {
    const chosen = isElement(g, numbers, element);
    y = g.op("Where", [chosen, network(g, x, element), y], "f32");
  }
  return y;
}

/** A stack of three networks, [3, N], times zeros and ones. */
function products(g: GraphBuilder, x: Float, numbers: Value<"i64">): Float {
  const hidden = g.op("MatMul", [g.unsqueeze(x, [0]), weights(g, [3, 4, 5], 1)], "f32");
  const curved = g.op("Tanh", [g.add(hidden, weights(g, [3, 1, 5], 2))], "f32");
  const out = g.squeeze(g.op("MatMul", [curved, weights(g, [3, 5, 1], 3)], "f32"), [2]);
  const own = g.constant("i64", [1, 6, 8], [3, 1]);
  const mask = g.op("Equal", [g.unsqueeze(numbers, [0]), own], "bool");
  return g.mul(out, g.op("Cast", [mask], "f32", { to: 1 }));
}

function stack(g: GraphBuilder, x: Float, numbers: Value<"i64">): Float {
  return g.reduceSum(products(g, x, numbers), [0]);
}

function sum(g: GraphBuilder, x: Float, numbers: Value<"i64">): Float {
  const [a, b] = [1, 6].map((element) =>
    g.mul(
      g.op("Cast", [isElement(g, numbers, element)], "f32", { to: 1 }),
      network(g, x, element),
    )
  );
  return g.add(a!, b!);
}

/** Elements of the atoms of a batch: all kinds, none of a kind, unknown ones, one atom, no atom. */
const BATCHES = [[1, 6, 1, 8, 8, 1, 6], [6, 6, 6], [7, 1, 9], [8], [7], []];

function feedsOf(elements: readonly number[], width = 4): PlainFeeds {
  const count = elements.length * width;
  const x = Array.from({ length: count }, (_, i) => Math.cos(2 * i + 1));
  return {
    x: plainTensor("f32", [elements.length, width], x),
    numbers: plainTensor("i64", [elements.length], [...elements]),
  };
}

function countOf(graph: Graph, op: string): number {
  return graph.nodes.filter(({ opType }) => opType === op).length;
}

/** Rewrites a graph, compares its values for all batches, and returns the rewritten graph. */
function rewritten(bytes: Uint8Array, changed: number, batches = BATCHES): Graph {
  const graph = new Graph(decodeModel(bytes));
  assertEquals(selectRowsFirst(graph), changed);
  graph.prune();
  const [before, after] = [openEvaluator(bytes), openEvaluator(graph.encode())];
  for (const elements of batches) {
    const feeds = feedsOf(elements), { y } = before.run(feeds), made = after.run(feeds).y!;
    assertEquals(made.dims, y!.dims, `${elements}`);
    if (y!.data.length > 0) assert(worst(made.data, y!.data) < 1e-12, `${elements}`);
  }
  return graph;
}

Deno.test("networks that Where chooses are evaluated for the chosen rows", () => {
  const graph = rewritten(graphOf(chain), 3);
  assertEquals([countOf(graph, "Where"), countOf(graph, "ScatterND")], [0, 3]);
  const gathered = graph.nodes.filter(({ opType, input }) =>
    opType === "Gather" && input[0] === "x"
  );
  assertEquals(gathered.length, 3);
});

Deno.test("a stack of networks is taken apart, with and without its axis in the sum", () => {
  const graph = rewritten(graphOf(stack), 3);
  assertEquals(countOf(graph, "ReduceSum"), 0);
  assertEquals(countOf(graph, "MatMul"), 6);
  const kept = graphOf((g, x, numbers) =>
    g.op("ReduceSum", [products(g, x, numbers), g.constant("i64", [-2])], "f32", { keepdims: 1 })
  );
  rewritten(kept, 3);
});

Deno.test("sums of networks times zeros and ones are evaluated for the chosen rows", () => {
  assertEquals(countOf(rewritten(graphOf(sum), 2), "Mul"), 0);
  rewritten(graphOf(sum, 3), 2, [[1, 6, 1], [6, 6, 6]]);
});

Deno.test("where several networks choose a row, the same one wins", () => {
  const bytes = graphOf((g, x, numbers) => {
    const once = g.op(
      "Where",
      [isElement(g, numbers, 6), network(g, x, 1), g.reduceSum(x, [1])],
      "f32",
    );
    return g.op("Where", [isElement(g, numbers, 6), network(g, x, 2), once], "f32");
  });
  rewritten(bytes, 2);
});

Deno.test("masks may be columns, and a network may have several numbers per row", () => {
  const bytes = graphOf((g, x, numbers) => {
    const out = g.op("MatMul", [x, weights(g, [4, 2], 1)], "f32");
    const mask = g.unsqueeze(isElement(g, numbers, 6), [1]);
    const a = g.op("Where", [mask, out, g.constant("f32", 0)], "f32");
    const b = g.op("Where", [mask, network2(g, x), g.constant("f32", 7)], "f32");
    return g.add(a, b);
  });
  rewritten(bytes, 2);
});

/** A network by Gemm, with views and shapes that contain the number of rows. */
function network2(g: GraphBuilder, x: Float): Float {
  const hidden = g.op("Gemm", [x, weights(g, [6, 4], 1), weights(g, [6], 2)], "f32", { transB: 1 });
  const rows = g.op("Shape", [x], "i64", { start: 0, end: 1 });
  const shape = g.op("Concat", [rows, g.constant("i64", [1]), g.constant("i64", [6])], "i64", {
    axis: 0,
  });
  const wide = g.op("Transpose", [g.reshape(hidden, shape)], "f32", { perm: [1, 0, 2] });
  const some = g.op("Gather", [wide, g.constant("i64", [4, 0])], "f32", { axis: 2 });
  return g.squeeze(some, [0]);
}

Deno.test("gradients follow", async () => {
  for (const build of [chain, stack, sum]) {
    const [plain, selected] = [false, true].map((isSelected) => {
      const graph = new Graph(decodeModel(graphOf(build)));
      if (isSelected) assert(selectRowsFirst(graph) > 1);
      const total = graph.make("ReduceSum", ["y"], { keepdims: 0 });
      gradient(graph, { of: total, wrt: ["x"] });
      return graph.encode();
    });
    const [before, after] = [openEvaluator(plain!), openEvaluator(selected!)];
    for (const elements of BATCHES) {
      const feeds = feedsOf(elements), { grad_x: x } = before.run(feeds);
      const made = after.run(feeds)["grad_x"]!;
      assertEquals(made.dims, x!.dims);
      if (elements.length > 0) assert(worst(made.data, x!.data) < 1e-12, `${elements}`);
    }
    const { x } = feedsOf(BATCHES[0]!), rows = BATCHES[0]!.length;
    const feeds = { x: f32(Array.from(x!.data, Number), rows, 4), numbers: i64(BATCHES[0]!, rows) };
    const [expected, made] = [await runModel(plain!, feeds), await runModel(selected!, feeds)];
    for (const name of ["y", "grad_x"]) {
      assert(worst(numbersOf(made[name]), numbersOf(expected[name])) < 1e-6, name);
    }
  }
});

Deno.test("other graphs do not change", () => {
  const zero = (g: GraphBuilder) => g.constant("f32", 0);
  const cases: Record<string, Parameters<typeof graphOf>[0]> = {
    "a comparison of real numbers": (g, x) => {
      const near = g.op("Equal", [g.reduceSum(x, [1]), zero(g)], "bool");
      return g.op("Where", [near, network(g, x, 1), zero(g)], "f32");
    },
    "no product with a matrix": (g, x, numbers) =>
      g.op("Where", [isElement(g, numbers, 1), g.reduceSum(x, [1]), zero(g)], "f32"),
    "a product whose rows are mixed afterwards": (g, x, numbers) => {
      const hidden = g.op("MatMul", [x, weights(g, [4, 3], 1)], "f32");
      const centered = g.sub(hidden, g.op("ReduceMean", [hidden, g.constant("i64", [0])], "f32"));
      return g.op("Where", [isElement(g, numbers, 1), g.reduceSum(centered, [1]), zero(g)], "f32");
    },
    "a value that others use": (g, x, numbers) => {
      const y = network(g, x, 1);
      return g.add(y, g.op("Where", [isElement(g, numbers, 1), y, zero(g)], "f32"));
    },
    "a mask of columns": (g, x, numbers) => {
      const square = g.op("MatMul", [x, weights(g, [4, 3], 1)], "f32");
      const mask = g.unsqueeze(isElement(g, numbers, 1), [0]);
      return g.reduceSum(g.op("Where", [mask, square, zero(g)], "f32"), [1]);
    },
    "a rest that is larger": (g, x, numbers) => {
      const rest = g.unsqueeze(g.reduceSum(x, [1]), [1]);
      return g.op("Where", [isElement(g, numbers, 1), network(g, x, 1), rest], "f32");
    },
  };
  for (const [name, build] of Object.entries(cases)) {
    const graph = new Graph(decodeModel(graphOf(build, name === "a mask of columns" ? 3 : "N")));
    const before = graph.nodes.length;
    assertEquals(selectRowsFirst(graph), 0, name);
    assertEquals(graph.nodes.length, before, name);
  }
});

Deno.test("a matrix whose rows are chosen and that is also multiplied as a whole stays whole", () => {
  const bytes = graphOf((g, x, numbers) => {
    const square = g.op("MatMul", [x, x], "f32");
    const both = g.add(g.op("MatMul", [square, weights(g, [4, 4], 1)], "f32"), x);
    const y = g.reduceSum(both, [1]);
    return g.op("Where", [isElement(g, numbers, 1), y, g.constant("f32", 0)], "f32");
  }, 4);
  rewritten(bytes, 1, [[1, 6, 1, 8], [6, 6, 7, 7]]);
});

Deno.test("an unselected row that is not finite does not matter, as its product with zero would", () => {
  const bytes = graphOf((g, x, numbers) => {
    const root = g.op("Log", [g.op("MatMul", [x, weights(g, [4, 1], 1)], "f32")], "f32");
    const mask = g.op("Cast", [isElement(g, numbers, 1)], "f32", { to: 1 });
    return g.mul(mask, g.squeeze(root, [1]));
  });
  const graph = new Graph(decodeModel(bytes));
  assertEquals(selectRowsFirst(graph), 1);
  const feeds = feedsOf([6, 6, 6, 6]);
  assert(openEvaluator(bytes).run(feeds).y!.data.some(Number.isNaN));
  assertEquals([...openEvaluator(graph.encode()).run(feeds).y!.data], [0, 0, 0, 0]);
});

Deno.test("a parameter that is currently 0 is not treated as a constant", () => {
  const bytes = graphOf((g, x, numbers) =>
    g.op("Where", [isElement(g, numbers, 1), network(g, x, 1), g.constant("f32", 0)], "f32")
  );
  const graph = new Graph(decodeModel(bytes));
  const zero = graph.nodes.find(({ opType }) => opType === "Where")!.input[2]!;
  assertEquals(selectRowsFirst(graph, { parameters: [zero] }), 1);
  assertEquals(graph.uses(zero).map(({ node }) => node.opType), ["Expand"]);
});

/** Operators of random networks that keep the shape [N, 4], by a number at random. */
const LAYERS: readonly ((g: GraphBuilder, x: Float, seed: number) => Float)[] = [
  (g, x, seed) => g.op("MatMul", [x, weights(g, [4, 4], seed)], "f32"),
  (g, x, seed) => g.op("Gemm", [x, weights(g, [4, 4], seed)], "f32", { transB: 1 }),
  (g, x, seed) => g.add(x, weights(g, [1, 4], seed)),
  (g, x) => g.op("Tanh", [x], "f32"),
  (g, x) => g.add(g.op("Relu", [x], "f32"), x),
  (g, x) => g.sub(x, g.op("ReduceMean", [x, g.constant("i64", [-1])], "f32")),
  (g, x) => g.op("Transpose", [g.op("Sin", [g.op("Transpose", [x], "f32")], "f32")], "f32"),
  (g, x) => g.squeeze(g.mul(g.unsqueeze(x, [1]), 2), [1]),
  (g, x) => g.op("Gather", [x, g.constant("i64", [2, 1, 1, 3])], "f32", { axis: 1 }),
  (g, x) => g.mul(x, g.reduceSum(x, [0])), // mixes rows: the network ends here
  (g, x) =>
    g.reshape(
      g.op("Neg", [g.reshape(x, g.constant("i64", [-1, 2]))], "f32"),
      g.constant("i64", [-1, 4]),
    ),
];

Deno.test("random networks keep their values", () => {
  const layers = fc.array(fc.nat({ max: LAYERS.length - 1 }), { minLength: 1, maxLength: 8 });
  const atoms = fc.array(fc.constantFrom(1, 6, 7), { maxLength: 5 });
  let changed = 0;
  fc.assert(
    fc.property(layers, fc.boolean(), atoms, (picked, isProduct, elements) => {
      const bytes = graphOf((g, x, numbers) => {
        const made = picked.reduce((value, pick, i) => LAYERS[pick]!(g, value, i), x);
        const y = g.reduceSum(made, [1]), mask = isElement(g, numbers, 6);
        return isProduct
          ? g.mul(y, g.op("Cast", [mask], "f32", { to: 1 }))
          : g.op("Where", [mask, y, g.reduceSum(x, [1])], "f32");
      });
      const graph = new Graph(decodeModel(bytes));
      changed += selectRowsFirst(graph);
      const feeds = feedsOf(elements);
      const { y } = openEvaluator(bytes).run(feeds), made = openEvaluator(graph).run(feeds).y!;
      assertEquals(made.dims, y!.dims);
      if (elements.length > 0) assert(worst(made.data, y!.data) < 1e-9, `${picked}`);
    }),
    { numRuns: 100, seed: 4 },
  );
  assert(changed > 30, `${changed}`);
});

modelTest("the networks of ANI-1x are evaluated for the atoms of their elements", () => {
  const ani = passGraphs().find(({ name }) => name === "ani1x_1_e.onnx")!;
  assertEquals(assertKeepsNumbers(ani, selectRowsFirst, 1e-6).changed, 4);
});
