import { assertEquals } from "@std/assert";
import {
  decodeModel,
  type ElementType,
  foldConstants,
  Graph,
  GraphBuilder,
  makeTensorProto,
  openEvaluator,
  tensorValues,
} from "../../../src/onnx/mod.ts";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { branching, node } from "../odd_models.ts";
import { f32, numbersOf, runModel } from "../ort.ts";
import { assertKeepsNumbers, passGraphs } from "./pass_graphs.ts";
import { slowTest, test } from "../../suite.ts";

function opsOf(graph: Graph): string[] {
  return graph.sort().map(({ opType }) => opType);
}

test("formulas of constants become constants, rounded to their type", async () => {
  const g = new GraphBuilder("formulas");
  const x = g.input("x", "f32", ["N"]);
  const third = g.div(g.constant("f32", [1, 2]), 3);
  g.output("y", g.add(x, g.reduceSum(g.mul(third, 3), [0])));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(foldConstants(graph), 3);
  assertEquals(graph.prune(), 0);
  assertEquals(opsOf(graph), ["Add"]);
  const [, sum = ""] = graph.nodes[0]!.input;
  assertEquals(tensorValues(graph.constant(sum)!), Float32Array.of(3));
  assertEquals(graph.model.graph!.initializer.length, 1);
  assertEquals(numbersOf((await runModel(graph.encode(), { x: f32([1], 1) })).y), [4]);
});

test("each step is rounded to float32, as in a runtime", () => {
  const g = new GraphBuilder("rounded");
  const x = g.input("x", "f32", []);
  // In double precision 2^24 + 1 is odd; in float32 it is 2^24.
  g.output("y", g.add(x, g.sub(g.add(g.constant("f32", 2 ** 24), 1), 2 ** 24)));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(foldConstants(graph), 2);
  assertEquals(tensorValues(graph.constant(graph.nodes[0]!.input[1]!)!), Float32Array.of(0));
});

test("a known shape of a variable tensor becomes a constant", async () => {
  const g = new GraphBuilder("shapes");
  const x = g.input("x", "f32", ["N", 4, 3]);
  const length = (axis: number) =>
    g.unsqueeze(g.gather(g.op("Shape", [x], "i64"), g.constant("i64", axis)), [0]);
  const shape = (...lengths: ReturnType<typeof length>[]) =>
    g.op("Concat", lengths, "i64", { axis: 0 });
  const inner = shape(g.mul(length(1), length(2)), g.constant("i64", [1]));
  const rows = g.op("Expand", [g.constant("f32", 2), inner], "f32");
  g.output("y", g.op("MatMul", [g.reshape(x, g.constant("i64", [-1, 12])), rows], "f32"));
  g.output("z", g.reshape(x, shape(length(0), g.mul(length(1), length(2)))));
  const graph = new Graph(decodeModel(g.build()));
  const folded = foldConstants(graph);
  graph.prune();
  assertEquals(opsOf(graph), [
    "Reshape",
    "MatMul",
    "Shape",
    "Gather",
    "Unsqueeze",
    "Concat",
    "Reshape",
  ]);
  assertEquals(folded, 12);
  const { y, z } = await runModel(graph.encode(), { x: f32(Array(24).fill(1), 2, 4, 3) });
  assertEquals(numbersOf(y), [24, 24]);
  assertEquals(z!.dims, [2, 12]);
});

test("constants of 16-bit floats have the right bits", () => {
  const numbers = [1.5, -2, 65504, 2 ** -14, 2 ** -24, -0, 1 / 3, 1e5, NaN];
  const expected: { readonly [Type in ElementType]?: readonly number[] } = {
    f16: [0x3e00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x8000, 0x3555, 0x7c00, 0x7e00],
    bf16: [0x3fc0, 0xc000, 0x4780, 0x3880, 0x3380, 0x8000, 0x3eab, 0x47c3, 0x7fc0],
  };
  for (const type of ["f16", "bf16"] as const) {
    const g = new GraphBuilder("short");
    const x = g.input("x", "f32", []);
    const codes = { f16: 10, bf16: 16 };
    const short = g.op("Cast", [g.constant("f32", numbers)], "f16", { to: codes[type] });
    g.output("y", g.op("Tile", [short, g.op("Cast", [x], "i64", { to: 7 })], "f16"));
    const graph = new Graph(decodeModel(g.build()));
    assertEquals(foldConstants(graph), 1);
    const folded = graph.sort().find(({ opType }) => opType === "Tile")!.input[0]!;
    assertEquals(graph.type(folded), type);
    assertEquals(Array.from(tensorValues(graph.constant(folded)!), Number), expected[type]);
  }
});

test("nodes that would grow the file beyond the limit are kept, others are folded", () => {
  const g = new GraphBuilder("sizes");
  const x = g.input("x", "f32", [1000]);
  const zeros = g.op("Expand", [g.constant("f32", 0), g.constant("i64", [500, 1000])], "f32");
  g.output("y", g.add(x, zeros));
  const ramp = g.constant("f32", Array.from({ length: 2000 }, (_, i) => i), [1000, 2]);
  g.output("z", g.op("MatMul", [g.op("Transpose", [ramp], "f32", { perm: [1, 0] }), x], "f32"));
  const bytes = g.build();
  const folded = (maxBytes?: number) => {
    const graph = new Graph(decodeModel(bytes));
    foldConstants(graph, maxBytes === undefined ? {} : { maxBytes });
    return opsOf(graph).sort().join(" ");
  };
  assertEquals(folded(), "Add Expand MatMul"); // 2 MB, and 8 kB for 8 kB
  assertEquals(folded(0), "Add Expand MatMul");
  assertEquals(folded(2_000_000), "Add MatMul");
});

test("random nodes, outputs, unknown operators and integers above 2^53 are kept", () => {
  const g = new GraphBuilder("left");
  const x = g.input("x", "f32", ["N"]);
  const random = g.op("RandomNormalLike", [g.constant("f32", [1, 2])], "f32");
  g.output("y", g.op("Concat", [x, random], "f32", { axis: 0 }));
  g.output("constant", g.op("Neg", [g.constant("f32", [1])], "f32"));
  g.output(
    "own",
    g.op("Concat", [x, g.op("Mine", [g.constant("f32", [1])], "f32")], "f32", {
      axis: 0,
    }),
  );
  const most = makeTensorProto("i64", [1], [0], "most");
  most.rawData = new Uint8Array(BigInt64Array.of(2n ** 63n - 1n).buffer);
  g.graph.addConstant(most);
  const end = g.op("Sub", [{ name: "most", type: "i64" }, g.constant("i64", [1])], "i64");
  g.output("part", g.op("Slice", [x, g.constant("i64", [1]), end], "f32"));
  const whole = g.op("Slice", [
    g.constant("f32", [1, 2, 3]),
    g.constant("i64", [1]),
    {
      name: "most",
      type: "i64" as const,
    },
  ], "f32");
  g.output("two", g.op("Concat", [x, whole], "f32", { axis: 0 }));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(foldConstants(graph), 1);
  assertEquals(opsOf(graph).filter((op) => op !== "Concat"), [
    "RandomNormalLike",
    "Neg",
    "Mine",
    "Sub",
    "Slice",
  ]);
  const { two } = openEvaluator(graph).run({ x: { data: Float32Array.of(7) } }, ["two"]);
  assertEquals([...two!.data], [7, 2, 3]);
});

test("values that subgraphs use are kept", () => {
  const model = branching();
  model.graph!.input.shift();
  model.graph!.initializer.push(makeTensorProto("f32", [1], [2], "two"));
  model.graph!.node.unshift(node("Neg", ["two"], ["x"]));
  const graph = new Graph(model);
  assertEquals(foldConstants(graph), 0);
  assertEquals(opsOf(graph), ["Neg", "If"]);
});

test("all parts of a constant Split become constants", () => {
  const g = new GraphBuilder("split");
  const x = g.input("x", "f32", ["N"]);
  const halves = g.graph.add("Split", [g.constant("f32", [1, 2, 3, 4]).name], {
    attributes: { num_outputs: 2 },
    outputs: ["a", "b"],
  }).output;
  const [a, b] = halves.map((name) => ({ name, type: "f32" as const }));
  g.output("y", g.op("Concat", [x, b, a], "f32", { axis: 0 }));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(foldConstants(graph), 1);
  assertEquals(opsOf(graph), ["Concat"]);
  const { y } = openEvaluator(graph).run({ x: { data: Float32Array.of(9) } });
  assertEquals([...y!.data], [9, 3, 4, 1, 2]);
});

slowTest("real models keep their values, and lose constant nodes", () => {
  const counts: Record<string, number> = {};
  for (const each of passGraphs()) {
    const fold = (graph: Graph) => foldConstants(graph, { maxBytes: 1_000_000 });
    counts[each.name] = assertKeepsNumbers(each, fold, 1e-6).changed;
  }
  assertEquals(counts["Lennard-Jones"], 0);
  if ("ani1x_1_ef.onnx" in counts) assertEquals(counts["ani1x_1_ef.onnx"], 3);
});

test("moved elements of every type keep their bits", () => {
  const cases: readonly [ElementType, readonly number[], readonly number[] | undefined][] = [
    ["f32", [2, 3, 4], [0, 2, 1]],
    ["f64", [2, 3, 4], [2, 0, 1]],
    ["i64", [3, 1, 2], undefined],
    ["i32", [5], [0]],
    ["u8", [0, 4], [1, 0]],
    ["bool", [2, 2, 1, 2], [3, 1, 2, 0]],
  ];
  for (const [type, lengths, perm] of cases) {
    const count = lengths.reduce((product, length) => product * length, 1);
    const numbers = Array.from({ length: count }, (_, i) => type === "bool" ? +(i % 3 > 0) : i);
    const g = new GraphBuilder("moved");
    const flipped = g.op("Transpose", [g.constant(type, numbers, lengths)], type, {
      ...perm && { perm },
    });
    const wide = g.op("Unsqueeze", [flipped, g.constant("i64", [0])], type);
    g.output("y", g.op("Concat", [wide, g.input("x", type, undefined!)], type, { axis: 0 }));
    const graph = new Graph(decodeModel(g.build()));
    const [made = ""] = graph.producer("y")!.input;
    const { data, dims } = openEvaluator(graph).run({ x: plainTensor(type, [0], []) }, [
      made,
    ])[made]!;
    assertEquals(foldConstants(graph), 2);
    const folded = graph.constant(graph.producer("y")!.input[0]!)!;
    assertEquals(folded.dims.map(Number), dims, type);
    assertEquals(Array.from(tensorValues(folded), Number), [...data], type);
  }
});

test("integers above 2^53 can be moved", () => {
  const g = new GraphBuilder("large");
  const given = g.input("large", "i64", [2, 1]);
  g.output("y", g.op("Concat", [g.op("Transpose", [given], "i64"), given], "i64", { axis: 1 }));
  const model = decodeModel(g.build());
  const tensor = makeTensorProto("i64", [2, 1], [0, 0], "large");
  const numbers = BigInt64Array.of(2n ** 53n + 1n, -(2n ** 62n) - 1n);
  tensor.rawData = new Uint8Array(numbers.buffer);
  model.graph!.input = [];
  model.graph!.initializer.push(tensor);
  const graph = new Graph(model);
  assertEquals(foldConstants(graph), 1);
  const folded = graph.constant(graph.producer("y")!.input[0]!)!;
  assertEquals([folded.dims, tensorValues(folded)], [[1n, 2n], numbers]);
});

test("integer parameters are not folded, even indirectly", () => {
  const g = new GraphBuilder("parameters");
  const k = g.constant("i64", [2]), one = g.constant("i64", [1]);
  const behind = g.mul(g.add(k, one), one);
  const x = g.input("x", "f32", ["N"]);
  g.output("y", g.mul(x, g.op("Cast", [behind], "f32", { to: 1 })));
  const build = () => new Graph(decodeModel(g.build()));
  assertEquals(foldConstants(build(), { parameters: [k.name] }), 0);
  assertEquals(foldConstants(build()), 3);
});

test("the shape of a parameter is a constant", () => {
  const g = new GraphBuilder("length");
  const weights = g.constant("f32", [1, 2, 3]);
  const x = g.input("x", "f32", ["N"]);
  const shape = g.op("Shape", [g.mul(weights, 2)], "i64");
  g.output("y", g.mul(x, g.op("Cast", [shape], "f32", { to: 1 })));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(foldConstants(graph, { parameters: [weights.name] }), 2);
  assertEquals(openEvaluator(graph).run({ x: { data: Float32Array.of(2) } }).y!.data[0], 6);
});
