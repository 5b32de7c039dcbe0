import { assertEquals, assertThrows } from "@std/assert";
import { create } from "@bufbuild/protobuf";
import { AttributeProtoSchema, ModelProtoSchema } from "onnx-buf";
import { planFor } from "../../../src/onnx/evaluate/plan.ts";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  makeTensorProto,
  type ModelProto,
  openEvaluator,
  UnsupportedNodeError,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { assertSame, f32, i64, tensor } from "./evaluate_op.ts";

/** z = x * x + y, and on the way the square. */
function squareAndSum(): Graph {
  const g = new GraphBuilder("sum");
  const x = g.input("x", "f32", ["N", 2]), y = g.input("y", "f32", [2]);
  const square = g.mul(x, x);
  g.output("z", g.add(square, y));
  return new Graph(decodeModel(g.build()));
}

const feeds = {
  x: f32([0.1, 2, 3, 4], 2, 2),
  y: { data: Float32Array.of(1, 2) },
};

/** A model of these messages, as they are. */
function modelOf(graph: ModelProto["graph"], opset = 18): ModelProto {
  const opsetImport = [{
    $typeName: "onnx.OperatorSetIdProto" as const,
    domain: "",
    version: BigInt(opset),
  }];
  return create(ModelProtoSchema, { irVersion: 8n, opsetImport, ...graph && { graph } });
}

Deno.test("a graph is computed in double precision, whatever its types", () => {
  const { z } = openEvaluator(squareAndSum()).run(feeds);
  assertSame(z, f32([0.1 * 0.1 + 1, 6, 10, 18], 2, 2));
  const rounded = openEvaluator(squareAndSum(), { rounds: true }).run(feeds);
  const { fround } = Math;
  assertSame(rounded.z, f32([fround(fround(0.1 * 0.1) + 1), 6, 10, 18], 2, 2));
});

Deno.test("any value can be requested, and only its inputs are required and only its nodes evaluated", () => {
  const graph = squareAndSum();
  const square = graph.producer("z")!.input[0]!;
  const evaluator = openEvaluator(graph);
  const made = evaluator.run({ x: feeds.x }, [square, "x"]);
  assertSame(made[square], f32([0.1 * 0.1, 4, 9, 16], 2, 2));
  assertSame(made.x, feeds.x);
  assertEquals(evaluator.run({}, []), {});
  assertEquals(evaluator.inputs.map(({ name, type }) => [name, type]), [["x", "f32"], [
    "y",
    "f32",
  ]]);
  assertEquals(evaluator.outputs.map(({ name }) => name), ["z"]);
});

Deno.test("an evaluator can run again with other inputs and shapes", () => {
  const evaluator = openEvaluator(squareAndSum());
  const y = f32([0, 0]);
  assertSame(evaluator.run({ x: f32([1, 2], 1, 2), y }).z, f32([1, 4], 1, 2));
  assertSame(evaluator.run({ x: f32([], 0, 2), y }).z, f32([], 0, 2));
  assertSame(evaluator.run({ x: f32([3, 4], 1, 2), y }).z, f32([9, 16], 1, 2));
});

Deno.test("values are released after their last use, unless they are requested", () => {
  const graph = squareAndSum();
  const square = graph.producer("z")!.input[0]!;
  const done = (wanted: string[]) =>
    planFor(graph, graph.sort(), wanted, {}).steps.map(({ done }) => done);
  assertEquals(done(["z"]), [["x"], [square, "y"]]);
  assertEquals(done(["z", square]), [["x"], ["y"]]);
  assertEquals(done([square]), [["x"]]);
});

Deno.test("an unused output is released at once", () => {
  const g = new GraphBuilder("parts");
  const x = g.input("x", "f32", [4]);
  g.output("y", x);
  const graph = new Graph(decodeModel(g.build()));
  const [first, second] = graph.add("Split", ["x"], {
    outputs: 2,
    attributes: { num_outputs: 2 },
  }).output as [string, string];
  const [step] = planFor(graph, graph.sort(), [first], {}).steps;
  assertEquals(step?.done, ["x", second]);
  const made = openEvaluator(graph).run({ x: f32([1, 2, 3, 4]) }, [second]);
  assertSame(made[second], f32([3, 4]));
});

Deno.test("constants of all forms are evaluated", () => {
  const constants = {
    value: [makeTensorProto("f16", [2], [0x3e00, 0xfc00]), tensor("f16", [1.5, -Infinity])],
    value_float: [{ float: 0.5 }, f32(0.5)],
    value_floats: [{ floats: [0.5, 2] }, f32([0.5, 2])],
    value_int: [-3, i64(-3)],
    value_ints: [[4, 5], i64([4, 5])],
  } as const;
  for (const [name, [value, expected]] of Object.entries(constants)) {
    const graph = squareAndSum();
    const made = graph.make("Identity", [graph.make("Constant", [], { [name]: value })]);
    assertSame(openEvaluator(graph).run({}, [made])[made], expected);
  }
  const graph = squareAndSum();
  const bools = graph.constantOf("bool", [1, 0]);
  const wide = graph.addConstant(makeTensorProto("bf16", [1], [0x4049], "wide"));
  const made = openEvaluator(graph).run({}, [bools, wide]);
  assertSame(made[bools], tensor("bool", [1, 0]));
  assertSame(made[wide], tensor("bf16", [3.140625]));
});

Deno.test("a constant that is not a dense tensor of numbers is rejected by name", () => {
  const graph = squareAndSum();
  const text = graph.make("Constant", [], { value_string: "text" });
  assertThrows(
    () => openEvaluator(graph).run({}, [text]),
    TypeError,
    `constant ${text} must be a dense tensor of numbers`,
  );
});

Deno.test("a constant that is also an input, as in old files, may be fed", () => {
  const g = new GraphBuilder("old");
  g.output("y", g.add(g.input("x", "f32", [1]), g.input("bias", "f32", [1])));
  const model = decodeModel(g.build());
  model.graph!.initializer.push(makeTensorProto("f32", [1], [10], "bias"));
  const evaluator = openEvaluator(model);
  assertEquals(evaluator.inputs.map(({ name }) => name), ["x"]);
  assertSame(evaluator.run({ x: f32([1]) }).y, f32([11]));
  assertSame(evaluator.run({ x: f32([1]), bias: f32([2]) }).y, f32([3]));
});

Deno.test("feeds may have any array type of a session", () => {
  const arrays = {
    f64: Float64Array.of(1, 2),
    i8: Int8Array.of(1, -2),
    i32: Int32Array.of(1, -2),
    i64: BigInt64Array.of(1n, -2n),
    u8: Uint8Array.of(1, 2),
    u64: BigUint64Array.of(1n, 2n),
    bool: Uint8Array.of(1, 0),
  } as const;
  for (const [type, data] of Object.entries(arrays)) {
    const g = new GraphBuilder("one");
    const x = g.input("x", type as keyof typeof arrays, ["N"]);
    g.output("y", x);
    const { y } = openEvaluator(g.build()).run({ x: { data } });
    assertEquals(y, plainTensor(type as keyof typeof arrays, [2], Array.from(data, Number)));
  }
});

Deno.test("invalid feeds are rejected with the name of the input", () => {
  const evaluator = openEvaluator(squareAndSum());
  const run = (x: Parameters<typeof evaluator.run>[0][string], more = {}) => () =>
    evaluator.run({ x, y: feeds.y, ...more });
  assertThrows(() => evaluator.run({ x: feeds.x }), TypeError, "input y is required");
  assertThrows(run(feeds.x, { w: feeds.y }), TypeError, "unknown input w; its inputs are x, y");
  assertThrows(run(i64([1, 2], 1, 2)), TypeError, '"x" must be f32 in a Float64Array');
  const whole = { data: Int32Array.of(1, 2), dims: [1, 2] };
  assertThrows(run(whole), TypeError, "f32 in a Float32Array; got a Int32Array");
  assertThrows(run(f32([1, 2])), RangeError, "the shape [N, 2]; got [2]");
  assertThrows(run(f32([1, 2, 3], 1, 3)), RangeError, "got [1, 3]");
  assertThrows(run(f32([1, 2, 3], 2, 2)), RangeError, "2 * 2 values; got 3");
  assertThrows(run({ data: new Float32Array(2), dims: [0.5, 4] }), RangeError, "[0.5, 4]");
  assertThrows(() => evaluator.run(feeds, ["nothing"]), TypeError, '"nothing"');
});

Deno.test("an unknown operator is reported with a remedy before anything is computed", () => {
  const graph = squareAndSum();
  const odd = graph.make("Odd", ["z"]);
  const after = graph.make("Neg", [odd]);
  const error = assertThrows(
    () => openEvaluator(graph).run(feeds, [after]),
    UnsupportedNodeError,
    'pass operators: { "Odd": ',
  );
  assertEquals([error.op, error.node], ["Odd", graph.producer(odd)!.name]);
  // What does not need it can be had.
  assertSame(openEvaluator(graph).run(feeds).z, f32([0.1 * 0.1 + 1, 6, 10, 18], 2, 2));
});

Deno.test("custom operators, also of other domains, have priority", () => {
  const graph = squareAndSum();
  const node = graph.add("Twice", ["y"]);
  node.domain = "my.own";
  const twice = node.output[0]!, negative = graph.make("Neg", [twice]);
  const operators = {
    "my.own.Twice": ([x]: readonly ({ data: Float64Array } | undefined)[]) => [
      plainTensor("f32", [2], x!.data.map((value) => 2 * value)),
    ],
    Neg: () => [f32(42)],
  };
  const made = openEvaluator(graph, { operators }).run({ y: feeds.y }, [twice, negative]);
  assertSame(made[twice], f32([2, 4]));
  assertSame(made[negative], f32(42));
  assertThrows(
    () => openEvaluator(graph).run({ y: feeds.y }, [twice]),
    UnsupportedNodeError,
    '"my.own.Twice"',
  );
});

Deno.test("nodes with subgraphs are rejected", () => {
  const graph = squareAndSum();
  const node = graph.add("If", ["y"]);
  const g = squareAndSum().model.graph!;
  node.attribute.push(create(AttributeProtoSchema, { name: "then_branch", g }));
  assertThrows(
    () => openEvaluator(graph).run({ y: feeds.y }, [node.output[0]!]),
    UnsupportedNodeError,
    "nodes must not have subgraphs; got the If",
  );
});

Deno.test("a node with more outputs than its operator is rejected", () => {
  const graph = squareAndSum();
  const [, more] = graph.add("Neg", ["y"], { outputs: 2 }).output as [string, string];
  assertThrows(
    () => openEvaluator(graph).run({ y: feeds.y }, [more]),
    UnsupportedNodeError,
    "it must not have more outputs than its operator",
  );
});

Deno.test("other opsets need anyOpset, and operators get the opset", () => {
  const { graph } = squareAndSum().model;
  const model = modelOf(graph, 13);
  assertThrows(() => openEvaluator(model), RangeError, "its opset must be from 18 to 21");
  const seen: number[] = [];
  const operators = {
    Add: (_: unknown, __: unknown, { opset }: { readonly opset: number }) => {
      seen.push(opset);
      return [f32(1)];
    },
  };
  openEvaluator(model, { anyOpset: true, operators }).run(feeds);
  assertEquals(seen, [13]);
  assertEquals(model.opsetImport[0]!.version, 13n);
});

Deno.test("chains of nodes may be longer than the call stack", () => {
  const g = new GraphBuilder("chain");
  const graph = new Graph(decodeModel(g.build()));
  graph.addInput(valueInfo("x", "f32", []));
  let last = "x";
  const one = graph.constantOf("f32", 1);
  for (let i = 0; i < 20_000; i++) last = graph.make("Add", [last, one]);
  assertSame(openEvaluator(graph).run({ x: f32(0) }, [last])[last], f32(20_000));
});
