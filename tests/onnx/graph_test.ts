/** Graphs: what is known of them, and how they are changed. */
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { create } from "@bufbuild/protobuf";
import { AttributeProto_AttributeType as Kind, AttributeProtoSchema } from "onnx-buf";
import {
  decodeModel,
  encodeModel,
  Graph,
  makeTensorProto,
  tensorValues,
  UnsupportedNodeError,
  valueInfo,
} from "../../src/onnx/mod.ts";
import { indexed } from "./indexed_model.ts";
import { branching, bytesOf, modelOf, node } from "./odd_models.ts";
import { bool, f32, numbersOf, runModel } from "./ort.ts";

/** y = (x + two) · x, with an unused node. */
function small(nodes = [
  node("Add", ["x", "two"], ["sum"]),
  node("Mul", ["sum", "x"], ["y"]),
  node("Neg", ["sum"], ["idle"]),
]) {
  return modelOf({
    node: nodes,
    input: [valueInfo("x", "f32", ["N"])],
    output: [valueInfo("y", "f32", ["N"])],
    valueInfo: [valueInfo("sum", "f32", ["N"])],
    initializer: [makeTensorProto("f32", [], [2], "two")],
  });
}

Deno.test("a graph returns producer, uses, type and shape of a value", () => {
  const model = small();
  const graph = new Graph(model);
  const [add, mul, neg] = model.graph!.node;
  assertEquals(graph.opset, 18);
  assertStrictEquals(graph.producer("sum"), add);
  assertEquals(graph.producer("x"), undefined);
  assertEquals(graph.uses("sum"), [{ node: mul!, index: 0 }, { node: neg!, index: 0 }]);
  assertEquals(graph.uses("y"), []);
  assert(graph.isOutput("y") && !graph.isOutput("sum"));
  assertEquals([graph.type("sum"), graph.type("two"), graph.type("idle")], [
    "f32",
    "f32",
    undefined,
  ]);
  assertEquals([graph.shape("x"), graph.shape("two"), graph.shape("idle")], [["N"], [], undefined]);
  assertStrictEquals(graph.constant("two"), model.graph!.initializer[0]); // no copy
  assertEquals(["x", "two", "sum", "z", ""].map((name) => graph.has(name)), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("nodes are sorted, and keep a valid order", () => {
  const nodes = [
    node("Mul", ["sum", "x"], ["y"]),
    node("Abs", ["x"], ["idle"]),
    node("Add", ["x", "two"], ["sum"]),
  ];
  const sorted = new Graph(small(nodes)).nodes.map(({ opType }) => opType);
  assertEquals(sorted, ["Add", "Mul", "Abs"]);
  const right = [nodes[1]!, nodes[2]!, nodes[0]!];
  assertEquals(new Graph(small(right)).nodes, right);
});

Deno.test("a chain of 30000 nodes is sorted from any order", () => {
  const length = 30_000;
  const chain = Array.from(
    { length },
    (_, i) => node("Neg", [i === 0 ? "x" : `v${i}`], [i === length - 1 ? "y" : `v${i + 1}`]),
  );
  const graph = new Graph(small(chain.toReversed()));
  assertEquals(graph.nodes, chain);
});

Deno.test("invalid graphs are rejected", () => {
  const refuses = (nodes: ReturnType<typeof node>[], message: string) =>
    assertThrows(
      () => new Graph(small(nodes)),
      SyntaxError,
      `Cannot use an ONNX graph: ${message}`,
    );
  refuses(
    [node("Add", ["x", "y"], ["a"]), node("Neg", ["a"], ["y"])],
    "it must not have cycles; got a cycle through the ",
  );
  refuses([node("Neg", ["y"], ["y"])], "it must not have cycles");
  refuses(
    [node("Neg", ["x"], ["y"]), node("Abs", ["x"], ["y"])],
    'every value must be the output of only one node; got "y" twice, then by the Abs "Abs:y"',
  );
  refuses(
    [node("Neg", ["x"], ["two"])],
    'every value must be the output of only one node; got "two" twice',
  );
  refuses(
    [node("Neg", ["z"], ["y"])],
    'every value that is used must exist; got "z", which the Neg "Neg:y" uses',
  );
  refuses([node("Neg", ["x"], ["z"])], 'every output must exist; got "y"');
  const twice = small();
  twice.graph!.initializer.push(makeTensorProto("f32", [], [3], "two"));
  assertThrows(() => new Graph(twice), SyntaxError, '"two" twice');
});

Deno.test("opsets other than 18 to 21 are rejected with a remedy", () => {
  for (const opset of [18n, 21n]) new Graph(modelOf({}, opset));
  for (const opset of [17n, 22n]) {
    assertThrows(
      () => new Graph(modelOf({}, opset)),
      RangeError,
      "Cannot edit a model: its opset must be from 18 to 21; " +
        `got ${opset}. Export it with opset_version=18, or convert it with onnx.version_converter`,
    );
  }
});

Deno.test("constants that are also inputs are not constants", () => {
  const model = small();
  model.graph!.input.push(valueInfo("two", "f32", []));
  const graph = new Graph(model);
  assertEquals(graph.constant("two"), undefined);
  assertEquals(graph.inputs.map(({ name }) => name), ["x"]);
});

Deno.test("Constant nodes of all forms are constants", () => {
  const given = (
    name: string,
    fields: Partial<Record<"i" | "f" | "ints" | "floats" | "t", unknown>>,
  ) => {
    const constant = node("Constant", [], ["c"]);
    constant.attribute = [
      create(AttributeProtoSchema, { name, type: Kind.UNDEFINED, ...fields as object }),
    ];
    const model = small([constant, node("Add", ["x", "c"], ["y"])]);
    return tensorValues(new Graph(model).constant("c")!);
  };
  assertEquals(given("value_int", { i: -3n }), BigInt64Array.of(-3n));
  assertEquals(given("value_ints", { ints: [1n, 2n] }), BigInt64Array.of(1n, 2n));
  assertEquals(given("value_float", { f: 0.5 }), Float32Array.of(0.5));
  assertEquals(given("value_floats", { floats: [0.5, 2] }), Float32Array.of(0.5, 2));
  assertEquals(given("value", { t: makeTensorProto("i32", [1], [7]) }), Int32Array.of(7));
});

Deno.test("an edited graph runs as edited: (x + 2) · x becomes (x + 2) · (x + 5) − 1", async () => {
  const graph = new Graph(small());
  const five = graph.make("Add", ["x", graph.constantOf("f32", 5)]);
  graph.setInput(graph.producer("y")!, 1, five);
  graph.rename("y", "product", { keepsOutput: true });
  graph.make("Sub", ["product", graph.constantOf("f32", 1)], {}, "y");
  const { y } = await runModel(graph.encode(), { x: f32([1, -3], 2) });
  assertEquals(numbersOf(y), [17, -3]);
});

Deno.test("all uses but one are replaced, and lookups stay correct", async () => {
  const graph = new Graph(small());
  const abs = graph.add("Abs", ["x"]);
  graph.replaceUses("x", abs.output[0]!, abs);
  assertEquals(graph.uses("x"), [{ node: abs, index: 0 }]);
  assertEquals(graph.uses(abs.output[0]!).map(({ node }) => node.opType), ["Add", "Mul"]);
  const { y } = await runModel(graph.encode(), { x: f32([-3], 1) });
  assertEquals(numbersOf(y), [15]);
});

Deno.test("a replacing node makes the values of the old one", async () => {
  const graph = new Graph(small());
  const old = graph.producer("sum")!;
  graph.replaceNode(old, graph.add("Sub", ["x", "two"]));
  assertEquals(graph.producer("sum")!.opType, "Sub");
  assertEquals(graph.uses("two").map(({ node }) => node.opType), ["Sub"]);
  const { y } = await runModel(graph.encode(), { x: f32([5], 1) });
  assertEquals(numbersOf(y), [15]);
});

Deno.test("pruning removes exactly the nodes and constants that no output needs", () => {
  const graph = new Graph(small());
  graph.make("Exp", [graph.make("Neg", [graph.constantOf("f32", 1)])]);
  assertEquals(graph.prune(), 3);
  assertEquals(graph.nodes.map(({ opType }) => opType), ["Add", "Mul"]);
  assertEquals(graph.model.graph!.initializer.map(({ name }) => name), ["two"]);
  assertEquals(graph.prune(), 0);
  assertEquals(decodeModel(graph.encode()).graph!.node.length, 2);
});

Deno.test("a constant that is pruned leaves no shape for a later value of its name", () => {
  const graph = new Graph(small());
  const name = graph.constantOf("f32", [1, 2]);
  graph.describe(valueInfo(name, "f32", [2]));
  graph.prune();
  const again = new Graph(decodeModel(graph.encode()));
  assertEquals([again.has(name), again.shape(name)], [false, undefined]);
});

Deno.test("a node that is used cannot be removed", () => {
  const graph = new Graph(small());
  const refuses = (name: string) =>
    assertThrows(
      () => graph.remove(graph.producer(name)!),
      RangeError,
      `its outputs must be unused; a node or the graph uses "${name}"`,
    );
  refuses("sum");
  refuses("y");
  graph.remove(graph.producer("idle")!);
  assert(!graph.has("idle"));
});

Deno.test("node names stay unique after renaming and decoding, as onnxruntime requires", async () => {
  const once = new Graph(small());
  once.setInput(once.producer("y")!, 1, once.make("Neg", ["x"]));
  once.rename("neg", "renamed"); // made by a node that is still called after "neg"
  const again = new Graph(decodeModel(once.encode()));
  again.setInput(again.producer("y")!, 0, again.make("Neg", ["sum"]));
  const names = again.nodes.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  const { y } = await runModel(again.encode(), { x: f32([3], 1) });
  assertEquals(numbersOf(y), [15]);
});

Deno.test("fresh names are unique, also within subgraphs", () => {
  const graph = new Graph(branching());
  const names = ["x", "y", "then_branch_y", "new", "new", ""].map((hint) => graph.freshName(hint));
  assertEquals(new Set(names).size, 6);
  assertEquals(names[3], "new");
  assert(!names.includes("x") && !names.includes("then_branch_y") && !names.includes(""));
});

Deno.test("invalid additions to a graph are rejected", () => {
  const graph = new Graph(small());
  assertThrows(
    () => graph.add("Neg", ["nothing"]),
    RangeError,
    'Cannot add a node Neg: its inputs must be values of the graph; got "nothing"',
  );
  assertThrows(() => graph.make("Neg", ["x"], {}, "y"), SyntaxError, '"y" twice');
  assertThrows(
    () => graph.addConstant(makeTensorProto("f32", [], [1], "sum")),
    SyntaxError,
    '"sum" twice',
  );
  assertThrows(
    () => graph.rename("x", "z"),
    RangeError,
    'it must be the output of a node, and the new name must be unused; got "x"',
  );
  assertThrows(() => graph.rename("sum", "y"), RangeError, '"y", which exists');
  assertThrows(
    () => graph.make("Neg", ["x"], { axis: 0.5 }),
    TypeError,
    "Cannot set the attribute axis: a plain number must be an integer",
  );
  assertThrows(() => graph.addInput(valueInfo("two", "f32")), SyntaxError, '"two" twice');
  assertThrows(
    () => graph.addOutput(valueInfo("nothing", "f32")),
    SyntaxError,
    "every output must exist",
  );
});

Deno.test("captured values count as uses, and edits within subgraphs are rejected", async () => {
  const graph = new Graph(branching());
  const choice = graph.producer("y")!;
  assertEquals(graph.uses("x"), [{ node: choice, index: -1 }]);
  graph.refuseControlFlow("look for Acos", "Acos");
  for (
    const edit of [
      () => graph.refuseControlFlow("change types"),
      () => graph.refuseControlFlow("change Neg", "Neg"),
      () => graph.replaceUses("x", "flag"),
    ]
  ) {
    const error = assertThrows(edit, UnsupportedNodeError);
    assertEquals([error.name, error.op, error.node], ["UnsupportedNodeError", "If", "If:y"]);
  }
  for (const [flag, expected] of [[true, 2], [false, -2]] as const) {
    const { y } = await runModel(graph.encode(), { x: f32([2], 1), flag: bool(flag) });
    assertEquals(numbersOf(y), [expected]);
  }
});

Deno.test("attributes are encoded with their types", () => {
  const graph = new Graph(small());
  const { attribute } = graph.add("Anything", ["x"], {
    attributes: {
      whole: 3,
      list: [1, -2],
      text: "add",
      float: { float: 1 },
      floats: { floats: [1, 0.1] },
      tensor: makeTensorProto("f32", [], [1]),
    },
  });
  assertEquals(attribute.map(({ name, type }) => [name, Kind[type]]), [
    ["whole", "INT"],
    ["list", "INTS"],
    ["text", "STRING"],
    ["float", "FLOAT"],
    ["floats", "FLOATS"],
    ["tensor", "TENSOR"],
  ]);
  assertEquals(attribute[4]!.floats, [1, Math.fround(0.1)]);
});

Deno.test("a graph without edits is encoded to the same bytes", () => {
  for (const bytes of [bytesOf(branching()), indexed(), bytesOf(small())]) {
    assertEquals(new Graph(decodeModel(bytes)).encode(), encodeModel(decodeModel(bytes)));
  }
});

Deno.test("the declaration of a removed output is kept once, and inputs keep theirs", () => {
  const graph = new Graph(modelOf({
    initializer: [makeTensorProto("f32", [], [1], "c")],
    input: [valueInfo("x", "f32", ["N"])],
    output: [valueInfo("x", "f32", [3]), valueInfo("c", "f32", []), valueInfo("y", "f32", ["N"])],
    node: [node("Neg", ["x"], ["y"])],
  }));
  for (const name of ["x", "c", "y"]) graph.removeOutput(name);
  assertEquals(graph.model.graph!.valueInfo.map(({ name }) => name), ["y"]);
  assertEquals([graph.shape("x"), graph.shape("y")], [["N"], ["N"]]);
  assertThrows(
    () => graph.removeOutput("y"),
    RangeError,
    'Cannot remove an output: it must be one of none; got "y"',
  );
});
