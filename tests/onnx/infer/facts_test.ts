/** Facts about values that are inferred without running the graph. */
import { assertEquals, assertThrows } from "@std/assert";
import { broadcastAxes } from "../../../src/onnx/infer/broadcast_shapes.ts";
import { factOf } from "../../../src/onnx/infer/fact.ts";
import { GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { Graph, makeTensorProto, valueInfo } from "../../../src/onnx/mod.ts";
import { modelOf, node } from "../odd_models.ts";
import { emptyGraph, fed, type Given, inferred, shapeOf, shown } from "./inferred.ts";

/** A fed tensor of floats. */
const f = (...shape: (number | string)[]): Given => ["f32", shape];
const i = (...shape: (number | string)[]): Given => ["i64", shape];
const is = (...numbers: number[]): Given => ({ is: numbers });

Deno.test("two shapes broadcast as far as they are known", () => {
  assertEquals(shapeOf("Add", [f("N", 3), f("N", 3)]), "N×3");
  assertEquals(shapeOf("Add", [f("N", 1), f(3)]), "N×3");
  assertEquals(shapeOf("Mul", [f(), f("N")]), "N");
  assertEquals(shapeOf("Mul", [f("N"), f(5)]), "5"); // N is 1 or 5
  assertEquals(shapeOf("Sub", [f("N*4"), f("4*N")]), "4*N");
  assertEquals(shapeOf("Sub", [f("N", 2), f("M", 2)]), "?1×2");
  assertEquals(shapeOf("Where", [["bool", ["N", 1]], f(4), f()]), "N×4");
  assertEquals(shapeOf("Add", [f("N"), ["f32"]]), "unknown");
  assertEquals(shown(inferred("Max", [f("N", 1, 1), f(2, 1), f(3)])[0]), "N×2×3");
});

Deno.test("types are inferred from operators", () => {
  const type = (op: string, inputs: readonly Given[], attributes = {}) =>
    inferred(op, inputs, { attributes })[0]?.type;
  assertEquals(type("Add", [["f16", []], ["f16", []]]), "f16");
  assertEquals(type("Pow", [f(2), i(2)]), "f32");
  assertEquals(type("Less", [f(2), f(2)]), "bool");
  assertEquals(type("Where", [["bool", []], ["f64", []], ["f64", []]]), "f64");
  assertEquals(type("Cast", [f(2)], { to: 11 }), "f64");
  assertEquals(type("CastLike", [f(2), i()]), "i64");
  assertEquals(type("ArgMax", [f(2)]), "i64");
  assertEquals(type("ConstantOfShape", [is(2)]), "f32");
  assertEquals(
    type("ConstantOfShape", [is(2)], { value: makeTensorProto("i32", [1], [1]) }),
    "i32",
  );
  assertEquals(type("NoSuchOperator", [f(2)]), undefined);
});

Deno.test("broadcastAxes() returns axes that were certainly repeated, and those that are unknown", () => {
  assertEquals(broadcastAxes(["N", 3], ["N", 3]), { summed: [], unsure: [] });
  assertEquals(broadcastAxes(["E", 3], [3]), { summed: [0], unsure: [] });
  assertEquals(broadcastAxes(["E", 3], ["M", 1]), { summed: [1], unsure: [0] });
  assertEquals(broadcastAxes([5, 1], ["N", 1]), { summed: [], unsure: [0] });
  assertEquals(broadcastAxes([2, "N"], []), { summed: [0, 1], unsure: [] });
  assertEquals(broadcastAxes(["?1"], [4]), { summed: [], unsure: [] });
});

Deno.test("shapes of matrix products are inferred", () => {
  assertEquals(shapeOf("MatMul", [f("N", 4), f(4, 5)]), "N×5");
  assertEquals(shapeOf("MatMul", [f("B", 1, "N", 4), f(7, 4, 5)]), "B×7×N×5");
  assertEquals(shapeOf("MatMul", [f(4), f("B", 4, 5)]), "B×5");
  assertEquals(shapeOf("MatMul", [f("B", 3, 4), f(4)]), "B×3");
  assertEquals(shapeOf("MatMul", [f(4), f(4)]), "");
  assertEquals(shapeOf("Gemm", [f(4, "N"), f(5, 4), f(5)], { transA: 1, transB: 1 }), "N×5");
  assertEquals(shapeOf("Einsum", [f("E", "c"), f("E", 3)], { equation: "ec,ed->ecd" }), "E×c×3");
  assertEquals(
    shapeOf("Einsum", [f("A", "B", 2, 3), f("B", 3, 4)], { equation: "...ij,...jk->...ik" }),
    "A×B×2×4",
  );
  assertEquals(shapeOf("Einsum", [f(2, 3), f(3, 4)], { equation: "ij,jk" }), "2×4");
  assertEquals(shapeOf("Einsum", [f(3, 3)], { equation: "ii" }), "");
  assertEquals(shapeOf("Einsum", [f("N", 3)], { equation: "i j -> j i" }), "3×N");
  assertEquals(shapeOf("Einsum", [["f32"], f(3, 4)], { equation: "ij,jk->ki" }), "4×?1");
  assertEquals(shapeOf("Einsum", [["f32"], f(3, 4)], { equation: "...j,jk->...k" }), "unknown");
  for (const equation of ["ij", "ij,jk", "i,j->ij", "ij->k"]) {
    const requirement = "the equation must fit inputs with";
    assertThrows(() => shapeOf("Einsum", [f(2, 3, 4)], { equation }), SyntaxError, requirement);
  }
});

Deno.test("computed shapes are inferred: Shape, Gather, Mul, Concat, Reshape", () => {
  const graph = emptyGraph(), facts = new GraphFacts(graph);
  const x = fed(graph, "f32", ["N", 4, 3]), all = graph.make("Shape", [x]);
  const first = graph.make("Gather", [all, graph.constantOf("i64", 0)]);
  const many = graph.make("Mul", [first, graph.constantOf("i64", 4)]);
  const axis = graph.constantOf("i64", [0]);
  const list = graph.make("Concat", [
    graph.make("Unsqueeze", [many, axis]),
    graph.constantOf("i64", [3]),
  ], { axis: 0 });
  assertEquals(facts.of(all), factOf("i64", [3], ["N", 4, 3]));
  assertEquals(facts.of(first), factOf("i64", [], ["N"]));
  assertEquals(facts.of(list), factOf("i64", [2], ["4*N", 3]));
  assertEquals(facts.of(graph.make("Reshape", [x, list])).shape, ["4*N", 3]);
  assertEquals(facts.of(graph.make("ConstantOfShape", [list])).shape, ["4*N", 3]);
  assertEquals(facts.of(graph.make("Size", [x])).values, ["12*N"]);
  const part = graph.make("Shape", [x], { start: -2 });
  assertEquals(facts.of(part).values, [4, 3]);
  assertEquals(facts.of(graph.make("ReduceProd", [part], { keepdims: 0 })).values, [12]);
  const back = graph.make("Slice", [
    all,
    ...[-1, -9, 0, -1].map((n) => graph.constantOf("i64", [n])),
  ]);
  assertEquals(facts.of(back).values, [3, 4, "N"]);
});

Deno.test("integer arithmetic is exact, or gives a fresh name", () => {
  const graph = emptyGraph(), facts = new GraphFacts(graph);
  const n = graph.make("Shape", [fed(graph, "f32", ["N"])]);
  const number = (value: number) => graph.constantOf("i64", [value]);
  const values = (op: string, ...inputs: string[]) => facts.of(graph.make(op, inputs)).values;
  assertEquals(values("Add", n, number(2)), ["N + 2"]);
  assertEquals(values("Sub", n, n), [0]);
  assertEquals(values("Neg", n), ["-N"]);
  assertEquals(values("Div", graph.make("Mul", [n, number(6)]), number(3)), ["2*N"]);
  assertEquals(values("Div", n, number(2)), ["(N//2)"]);
  assertEquals(values("Div", number(-7), number(2)), [-3]); // toward 0
  assertEquals(values("Div", graph.make("Sub", [n, number(9)]), number(2)), ["?x1"]);
  assertEquals(values("Mod", number(7), number(4)), [3]);
  assertEquals(values("Max", n, number(0)), ["N"]);
  assertEquals(values("Min", number(5), number(3), number(4)), [3]);
  const isEqual = graph.make("Equal", [n, n]);
  assertEquals(facts.of(isEqual), factOf("bool", [1], [1]));
  assertEquals(values("Where", isEqual, n, number(1)), ["N"]);
  assertEquals(values("Where", graph.make("Equal", [n, number(4)]), number(4), number(4)), [4]);
  assertEquals(values("Expand", number(7), number(3)), [7, 7, 7]);
  assertEquals(values("Add", fed(graph, "i64", [1]), n), undefined);
  // int64 that does not fit into int32 is another number there.
  const cast = (value: number) => facts.of(graph.make("Cast", [number(value)], { to: 6 })).values;
  assertEquals([cast(-5), cast(2 ** 40)], [[-5], undefined]);
});

Deno.test("Reshape infers −1 by exact division, and copies lengths for 0", () => {
  const reshaped = (from: Given, to: number[], attributes = {}) =>
    shapeOf("Reshape", [from, is(...to)], attributes);
  assertEquals(reshaped(f("N", 4, 6), [-1, 8]), "3*N×8");
  assertEquals(reshaped(f("N", 4, 6), [0, -1]), "N×24");
  assertEquals(reshaped(f("N", "M", 6), [0, 0, 2, -1]), "N×M×2×3");
  assertEquals(reshaped(f("N", 3), [-1, 2]), "?1×2");
  assertEquals(reshaped(f("N", 3), [-1]), "3*N");
  assertEquals(reshaped(f(0, 3), [0, 5], { allowzero: 1 }), "0×5");
  assertEquals(reshaped(["f32"], [2, -1]), "2×?1");
  assertEquals(reshaped(["f32", [undefined, 4, 6]], [0, -1]), "?1×24");
  assertEquals(shapeOf("Reshape", [f("N"), i(3)]), "?1×?2×?3");
  assertEquals(shapeOf("Reshape", [f("N"), ["i64"]]), "unknown");
  // A number that may be −1 is no length before it is known.
  const graph = emptyGraph(), facts = new GraphFacts(graph), x = fed(graph, "f32", ["N", 4]);
  const less = graph.make("Sub", [
    graph.make("Shape", [x], { end: 1 }),
    graph.constantOf("i64", [1]),
  ]);
  const list = (n: number) =>
    graph.make("Concat", [less, graph.constantOf("i64", [n])], { axis: 0 });
  assertEquals(facts.of(graph.make("Reshape", [x, list(2)])).shape, ["2*N", 2]);
  assertEquals(facts.of(graph.make("Reshape", [x, list(-1)])).shape, ["?1", "?2"]);
  assertEquals(shapeOf("Flatten", [f("N", 3, 4, "M")], { axis: 2 }), "3*N×4*M");
  assertEquals(shapeOf("Flatten", [f("N", 3)], { axis: 0 }), "1×3*N");
});

Deno.test("shapes of Squeeze, Unsqueeze, Flatten and Transpose are inferred", () => {
  assertEquals(shapeOf("Unsqueeze", [f("N", 3), is(0, -1)]), "1×N×3×1");
  assertEquals(shapeOf("Squeeze", [f(1, "N", 1), is(-1)]), "1×N");
  assertEquals(shapeOf("Squeeze", [f(1, 2, 1)]), "2");
  assertEquals(shapeOf("Squeeze", [f(1, "N", 1)]), "unknown"); // N may be 1
  assertEquals(shapeOf("Transpose", [f("N", 2, 3)]), "3×2×N");
  assertEquals(shapeOf("Transpose", [f("N", 2, 3)], { perm: [1, 2, 0] }), "2×3×N");
  assertEquals(shapeOf("Expand", [f("N", 1), is(2, 1, 5)]), "2×N×5");
  assertEquals(shapeOf("Tile", [f("N", 3), is(2, 1)]), "2*N×3");
  assertEquals(shapeOf("DepthToSpace", [f("N", 12, "H", 5)], { blocksize: 2 }), "N×3×2*H×10");
  assertEquals(shapeOf("SpaceToDepth", [f(1, 3, "4*H", 6)], { blocksize: 2 }), "1×12×2*H×3");
});

Deno.test("shapes of Slice are inferred, also with named lengths", () => {
  const cut = (length: number | string, start: number, end: number, step = 1) =>
    shapeOf("Slice", [f(length), is(start), is(end), is(0), is(step)]);
  const most = 2 ** 31 - 1;
  assertEquals(cut(10, 2, 8), "6");
  assertEquals(cut(10, -3, most), "3");
  assertEquals(cut(10, 8, 2), "0");
  assertEquals(cut(10, 0, 10, 3), "4");
  assertEquals(cut(10, -1, -most - 1, -1), "10");
  assertEquals(cut(10, -99, -most - 1, -1), "1"); // not as in Python
  assertEquals(cut("N", 0, most), "N");
  assertEquals(cut("N", 0, Number.MAX_SAFE_INTEGER), "N");
  assertEquals(cut("N", 1, most), "Max(0, N - 1)");
  assertEquals(cut("N", 0, -1), "Max(0, N - 1)");
  assertEquals(cut("N", 0, 5), "Min(5, N)");
  assertEquals(cut("N", -1, -most - 1, -1), "N");
  assertEquals(cut("2*N", 0, most, 2), "N");
  assertEquals(shapeOf("Slice", [f("N", 4), is(1), i(1), is(1)]), "N×?1");
  assertEquals(shapeOf("Slice", [f("N", 4), i(1), i(1), i(1)]), "?1×?2");
});

Deno.test("shapes of Split, Concat and Pad are inferred", () => {
  const parts = (inputs: readonly Given[], attributes: Record<string, number>, outputs: number) =>
    inferred("Split", inputs, { attributes, outputs }).map(shown);
  assertEquals(parts([f("N", 6), is(1, 2, 3)], { axis: 1 }, 3), ["N×1", "N×2", "N×3"]);
  assertEquals(parts([f(7)], { num_outputs: 3 }, 3), ["3", "3", "1"]);
  assertEquals(parts([f("4*N")], { num_outputs: 2 }, 2), ["2*N", "2*N"]);
  assertEquals(parts([f("N")], { num_outputs: 2 }, 2), ["?1", "?2"]);
  assertEquals(shapeOf("Concat", [f("N", 3), f("N", 3), f(1, 3)], { axis: 0 }), "2*N + 1×3");
  assertEquals(shapeOf("Concat", [f("N", 3), f(5, 3)], { axis: -1 }), "5×6");
  assertEquals(shapeOf("Pad", [f("N", 3), is(1, 0, 2, -1)]), "N + 3×2");
  assertEquals(shapeOf("Pad", [f("N", 3), is(1, 1), undefined, is(-1)]), "N×5");
});

Deno.test("shapes of indexing operators and reductions are inferred", () => {
  assertEquals(shapeOf("Gather", [f("N", 3), i("E")]), "E×3");
  assertEquals(shapeOf("Gather", [f("N", 3), i(2, "E")], { axis: -1 }), "N×2×E");
  assertEquals(shapeOf("Gather", [f("N", 3), { is: 0 }]), "3");
  assertEquals(shapeOf("GatherND", [f("N", 3, 4), i("E", 1)]), "E×3×4");
  assertEquals(shapeOf("GatherND", [f("N", 3, 4), i("N", "E", 1)], { batch_dims: 1 }), "N×E×4");
  assertEquals(shapeOf("GatherElements", [f("N", 3), i("E", 3)]), "E×3");
  assertEquals(shapeOf("ScatterND", [f("N", 3), i("E", 1), f("E", 3)]), "N×3");
  assertEquals(shapeOf("ScatterElements", [f("N"), i("E"), f("E")]), "N");
  assertEquals(inferred("TopK", [f("N", 9), is(4)], { outputs: 2 }).map(shown), ["N×4", "N×4"]);
  assertEquals(shapeOf("NonZero", [f("N", 3)]), "2×?1");
  assertEquals(shapeOf("Compress", [f("N", 3), ["bool", [3]]], { axis: 1 }), "N×?1");
  assertEquals(shapeOf("OneHot", [i("N"), is(4), f(2)]), "N×4");
  assertEquals(shapeOf("ReduceSum", [f("N", 3, 4), is(-1)]), "N×3×1");
  assertEquals(shapeOf("ReduceSum", [f("N", 3, 4), is(0, 2)], { keepdims: 0 }), "3");
  assertEquals(shapeOf("ReduceMax", [f("N", 3)]), "1×1");
  assertEquals(shapeOf("ReduceMax", [f("N", 3)], { noop_with_empty_axes: 1 }), "N×3");
  assertEquals(shapeOf("ReduceMean", [f("N", 3)], { axes: [1], keepdims: 0 }), "N");
  assertEquals(shapeOf("ReduceSum", [f("N", 3), i(1)], { keepdims: 0 }), "?1");
  assertEquals(shapeOf("ArgMin", [f("N", 3)], { axis: 1, keepdims: 0 }), "N");
});

Deno.test("the length of Range is inferred", () => {
  const graph = emptyGraph(), facts = new GraphFacts(graph);
  const n = graph.make("Squeeze", [graph.make("Shape", [fed(graph, "f32", ["N"])])]);
  const range = (start: number, end: string | number, step: number) => {
    const inputs = [start, end, step].map((x) =>
      typeof x === "string" ? x : graph.constantOf("i64", x)
    );
    return facts.of(graph.make("Range", inputs));
  };
  assertEquals(range(2, 9, 3), factOf("i64", [3], [2, 5, 8]));
  assertEquals(range(5, 0, -2), factOf("i64", [3], [5, 3, 1]));
  assertEquals(range(3, 3, 1), factOf("i64", [0], []));
  assertEquals(range(0, n, 1).shape, ["N"]);
  assertEquals(range(0, n, 2).shape, ["((N + 1)//2)"]);
  const floats = [0, 1, 0.25].map((x) => graph.constantOf("f32", x));
  assertEquals(facts.of(graph.make("Range", floats)), factOf("f32", [4]));
});

Deno.test("shapes of convolutions and pools are inferred", () => {
  const over = (op: string, plane: Given, rest: readonly Given[], attributes = {}) =>
    shapeOf(op, [plane, ...rest], attributes);
  const x = f("B", 4, "H", 9), w = f(6, 4, 3, 3);
  assertEquals(over("Conv", x, [w]), "B×6×H - 2×7");
  assertEquals(over("Conv", x, [w], { pads: [1, 1, 1, 1] }), "B×6×H×9");
  assertEquals(over("Conv", x, [w], { dilations: [2, 2], pads: [2, 0, 2, 0] }), "B×6×H×5");
  assertEquals(over("Conv", x, [w], { strides: [1, 2], pads: [1, 0, 1, 1] }), "B×6×H×4");
  assertEquals(
    over("Conv", f(1, 4, "2*H", 9), [w], { strides: [2, 2], auto_pad: "SAME_UPPER" }),
    "1×6×H×5",
  );
  assertEquals(
    over("ConvTranspose", x, [f(4, 2, 3, 3)], { strides: [2, 2], group: 3 }),
    "B×6×2*H + 1×19",
  );
  assertEquals(over("MaxPool", x, [], { kernel_shape: [1, 2], strides: [1, 2] }), "B×4×H×4");
  assertEquals(
    over("AveragePool", x, [], { kernel_shape: [1, 2], strides: [1, 2], ceil_mode: 1 }),
    "B×4×H×5",
  );
  assertEquals(over("GlobalMaxPool", x, []), "B×4×1×1");
  const layer = inferred("LayerNormalization", [f("B", "T", 8), f(8)], { outputs: 3 });
  assertEquals(layer.map(shown), ["B×T×8", "B×T×1", "B×T×1"]);
});

Deno.test("declarations fill gaps of the inference, and inferred numbers have priority over declared names", () => {
  const model = modelOf({
    node: [
      node("Mystery", ["x"], ["a"]),
      node("Exp", ["a"], ["b"]),
      node("Compress", ["b", "flags"], ["c"]),
      node("Add", ["three", "x"], ["d"]),
      node("Add", ["c", "c"], ["y"]),
    ],
    input: [valueInfo("x", "f32", ["N"]), valueInfo("flags", "bool", ["N"])],
    output: [valueInfo("y", "f32", ["Q"])],
    valueInfo: [
      valueInfo("a", "f32", ["M*2", undefined]),
      valueInfo("c", "f32", ["K"]),
      valueInfo("d", "f32", ["N"]),
    ],
    initializer: [makeTensorProto("f32", [3], [1, 2, 3], "three")],
  });
  const facts = new GraphFacts(new Graph(model));
  assertEquals(facts.of("b"), factOf("f32", ["2*M", "?1"]));
  assertEquals(facts.of("c").shape, ["K"]);
  assertEquals(facts.of("d").shape, [3]);
  assertEquals(facts.of("y").shape, ["K"]); // what follows, not Q
});

Deno.test("declared names that begin with a question mark carry no information", () => {
  const graph = emptyGraph(), facts = new GraphFacts(graph);
  const [x, y] = [fed(graph, "f32", ["?"]), fed(graph, "f32", ["?"])];
  assertEquals([facts.of(x).shape, facts.of(y).shape], [["?1"], ["?2"]]);
});

Deno.test("a contradiction between file and inference is reported with value and node", () => {
  const said = (info: ReturnType<typeof valueInfo>) =>
    modelOf({
      node: [node("Transpose", ["x"], ["t"]), node("Exp", ["t"], ["y"])],
      input: [valueInfo("x", "f32", [2, "N"])],
      output: [valueInfo("y", "f32")],
      valueInfo: [info],
    });
  const cases = [
    [
      valueInfo("t", "f32", ["N", 3]),
      'length along axis 1 of "t".*2 from its operator and 3 in the file',
    ],
    [valueInfo("t", "f64", ["N", 2]), 'type of "t".*f32 from its operator and f64 in the file'],
    [valueInfo("t", "f32", ["N"]), 'number of axes of "t".*2 from its operator and 1 in the file'],
  ] as const;
  for (const [info, message] of cases) {
    const error = assertThrows(() => new GraphFacts(new Graph(said(info))).of("y"), SyntaxError);
    assertEquals(
      new RegExp(`Cannot .*: .*${message}.*Transpose`).test(error.message),
      true,
      error.message,
    );
  }
  assertEquals(new GraphFacts(new Graph(said(valueInfo("t", "f32", [4, 2])))).of("y").shape, [
    4,
    2,
  ]);
});

Deno.test("invalid nodes are reported", () => {
  const wrong: readonly (readonly [string, readonly Given[], Record<string, number[] | number>])[] =
    [
      ["Add", [f(2), f(3)], {}],
      ["MatMul", [f(2, 3), f(4, 5)], {}],
      ["MatMul", [f(), f(4, 5)], {}],
      ["Reshape", [f(2, 3), is(4, 2)], {}],
      ["Reshape", [f(2, 3), is(-1, 4)], {}],
      ["Concat", [f(2, 3), f(2, 4)], { axis: 0 }],
      ["Transpose", [f(2, 3)], { perm: [0] }],
      ["ReduceSum", [f(2, 3), is(2)], {}],
      ["Gather", [f(2, 3), i(2)], { axis: 2 }],
    ];
  for (const [op, inputs, attributes] of wrong) {
    const error = assertThrows(() => inferred(op, inputs, { attributes }), SyntaxError);
    assertEquals(error.message.includes(op), true, error.message);
  }
});

Deno.test("nodes may be added at any time, and chains may be longer than the call stack", () => {
  const graph = emptyGraph(), facts = new GraphFacts(graph);
  let name = fed(graph, "f32", ["N", 3]);
  assertEquals(facts.of(name).shape, ["N", 3]);
  for (let step = 0; step < 20_000; step++) name = graph.make("Neg", [name]);
  assertEquals(facts.of(name).shape, ["N", 3]);
});

Deno.test("results of custom operators have the declared shape", () => {
  const graph = emptyGraph();
  const x = fed(graph, "f32", ["N", 3]);
  const made = graph.add("Halves", [x], { outputs: 2 });
  made.domain = "my.own";
  const [a, b] = made.output as [string, string];
  graph.describe(valueInfo(b, "f32", ["N", 3]));
  const facts = new GraphFacts(graph);
  assertEquals(facts.of(a), factOf(undefined, undefined));
  assertEquals(facts.of(b).shape, ["N", 3]);
});

Deno.test("values after a part of unknown length are unknown", () => {
  const graph = emptyGraph();
  const length = graph.make("Shape", [fed(graph, "f32", ["N"])]);
  const one = graph.constantOf("i64", [1]), numbers = graph.constantOf("i64", [7, 8, 9]);
  const split = (...lengths: string[]) => {
    const sizes = graph.make("Concat", lengths, { axis: 0 });
    const { output } = graph.add("Split", [numbers, sizes], {
      attributes: { axis: 0 },
      outputs: lengths.length,
    });
    const facts = new GraphFacts(graph);
    return output.map((name) => facts.of(name).values);
  };
  assertEquals(split(one, one, length), [[7], [8], undefined]);
  assertEquals(split(one, length, one), [[7], undefined, undefined]);
});
