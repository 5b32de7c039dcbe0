import { assert, assertEquals } from "@std/assert";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  multiplySmallFirst,
  openEvaluator,
} from "../../../src/onnx/mod.ts";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { assertKeepsNumbers, passGraphs } from "./pass_graphs.ts";
import { modelTest } from "../shared_models.ts";

/** Returns the products of a graph in order, as "a*b". Intermediate values are listed by their shapes. */
function products(graph: Graph): string[] {
  return graph.sort().filter(({ opType }) => opType === "Mul").map(({ input }) =>
    input.map((name) => graph.producer(name)?.opType ?? name).join("*")
  );
}

function graphOf(build: (g: GraphBuilder) => void): Graph {
  const g = new GraphBuilder("products");
  build(g);
  return new Graph(decodeModel(g.build()));
}

const FEEDS = {
  wide: plainTensor("f32", [2, 3], [1, 2, 3, 4, 5, 6]),
  row: plainTensor("f32", [2, 1], [10, 100]),
  other: plainTensor("f32", [2, 1], [3, -1]),
};

Deno.test("smaller factors are multiplied first, also along chains", () => {
  const graph = graphOf((g) => {
    const wide = g.input("wide", "f32", ["N", 3]), row = g.input("row", "f32", ["N", 1]);
    const other = g.input("other", "f32", ["N", 1]);
    g.output("y", g.mul(other, g.mul(g.mul(wide, row), 2)));
  });
  assertEquals(multiplySmallFirst(graph), 2);
  assertEquals(products(graph).filter((each) => each.includes("wide")), ["Mul*wide"]);
  assertEquals(graph.nodes.length, 3);
  const { y } = openEvaluator(graph).run(FEEDS);
  assertEquals([...y!.data], [60, 120, 180, -800, -1000, -1200]);
});

Deno.test("the product of a view and a number becomes a view of the product", () => {
  const graph = graphOf((g) => {
    const row = g.squeeze(g.input("row", "f32", ["N", 1]), [1]);
    g.output("y", g.op("Neg", [g.mul(g.unsqueeze(row, [0]), 3)], "f32"));
  });
  assertEquals(multiplySmallFirst(graph), 2);
  assertEquals(graph.sort().map(({ opType }) => opType), ["Mul", "Squeeze", "Unsqueeze", "Neg"]);
  const { y } = openEvaluator(graph).run({ row: plainTensor("f32", [2, 1], [1, 0.5]) });
  assertEquals([...y!.data], [-3, -1.5]);
});

Deno.test("products that are used twice, are outputs, are integers or have unknown shapes are kept", () => {
  const graph = graphOf((g) => {
    const wide = g.input("wide", "f32", ["N", 3]), row = g.input("row", "f32", ["N", 1]);
    const twice = g.mul(wide, row), out = g.mul(wide, row);
    g.output("a", g.add(g.mul(twice, 2), twice));
    g.output("out", out);
    g.output("b", g.mul(out, 2));
    const whole = g.input("whole", "i32", ["N", 3]);
    g.output("c", g.mul(g.mul(whole, g.input("small", "i32", ["N", 1])), 2));
    const open = g.input("open", "f32", undefined!);
    g.output("d", g.mul(g.mul(open, wide), g.input("more", "f32", ["M", 3])));
    // Nothing is gained: the product of the two that would come first is as large.
    g.output("e", g.mul(g.mul(row, row), wide));
  });
  const before = products(graph);
  assertEquals(multiplySmallFirst(graph), 0);
  assertEquals(products(graph), before);
});

Deno.test("lengths that may differ are not assumed to be equal", () => {
  const graph = graphOf((g) => {
    const wide = g.input("wide", "f32", ["N", 3]), row = g.input("row", "f32", ["M", 1]);
    g.output("y", g.mul(g.mul(wide, row), g.input("other", "f32", ["N", 1])));
  });
  multiplySmallFirst(graph);
  const feeds = { ...FEEDS, row: plainTensor("f32", [1, 1], [10]) };
  assertEquals([...openEvaluator(graph).run(feeds).y!.data], [30, 60, 90, -40, -50, -60]);
});

modelTest("real models keep their values up to rounding", () => {
  let changed = 0;
  for (const graph of passGraphs()) {
    changed += assertKeepsNumbers(graph, multiplySmallFirst, 2e-5).changed;
  }
  assert(changed > 4, `${changed}`);
});
