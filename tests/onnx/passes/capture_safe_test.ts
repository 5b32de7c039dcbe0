/** Graphs that may be captured: where kernels are put in, and that they change nothing. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  captureSafe,
  constantOfShapeToExpand,
  decodeModel,
  describeModel,
  Graph,
  GraphBuilder,
  int64ToInt32,
  lennardJonesModel,
  makeTensorProto,
  tensorValues,
  UnsupportedNodeError,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { feeds, indexed } from "../indexed_model.ts";
import { branching, modelOf, node } from "../odd_models.ts";
import { f32, fromReference, i32, numbersOf, runModel, worst } from "../ort.ts";
import { MODELS, modelTest, readModel, readReference, SMALL_MODELS } from "../shared_models.ts";
import { few, test } from "../../suite.ts";

const SCATTERS = ["ScatterElements", "ScatterND"];

/**
 * Returns the operations that a recording does not capture, by the rules of captureSafe. If the list is empty, the
 * graph may be captured.
 */
function unsafePlaces(graph: Graph): string[] {
  const places: string[] = [];
  const others = new Set<unknown>();
  for (const { opType, input, output } of graph.nodes) {
    if (opType === "Where" && input[1]!.startsWith("capture_")) {
      const value = tensorValues(graph.constant(input[1]!)!)[0];
      if (others.has(value)) places.push(`${output[0]} is like another, and may be merged with it`);
      others.add(value);
    }
    if (!SCATTERS.includes(opType)) continue;
    const base = graph.producer(input[0]!);
    if (graph.uses(input[0]!).length !== 1) places.push(`${input[0]} is not only for ${output[0]}`);
    if (!["Where", ...SCATTERS].includes(base?.opType ?? "")) {
      places.push(`${input[0]} is not fresh`);
    }
  }
  const still = [
    "Identity",
    "Reshape",
    "Squeeze",
    "Unsqueeze",
    "Flatten",
    "Transpose",
    ...SCATTERS,
  ];
  for (const { name } of graph.outputs) {
    const op = graph.producer(name)?.opType ?? "nothing";
    if ([...still, "nothing"].includes(op)) places.push(`the output ${name} is made by ${op}`);
  }
  return places;
}

/** The model without its output of int64, which no kernel can copy. */
function floats(): Graph {
  const graph = new Graph(decodeModel(indexed()));
  const { output } = graph.model.graph!;
  output.splice(output.findIndex(({ name }) => name === "next"), 1);
  return new Graph(decodeModel(graph.encode()));
}

test("outputs that are views, and sums, get a kernel, and results do not change", async () => {
  const graph = floats();
  assert(unsafePlaces(graph).length > 0);
  assertEquals(captureSafe(graph), 6); // three bases, two sums that come out, one view
  assertEquals(unsafePlaces(graph), []);
  const [before, after] = [
    await runModel(indexed(), feeds()),
    await runModel(graph.encode(), feeds()),
  ];
  for (const name of ["sums", "energy", "column"]) {
    assertEquals(numbersOf(after[name]), numbersOf(before[name]), name);
  }
});

test("the three edits for WebGPU together do not change results", async () => {
  const graph = floats();
  int64ToInt32(graph, { keepsInputs: true });
  assertEquals(constantOfShapeToExpand(graph), 1);
  assertEquals(captureSafe(graph), 6);
  assertEquals(unsafePlaces(graph), []);
  const [before, after] = [
    await runModel(indexed(), feeds()),
    await runModel(graph.encode(), feeds()),
  ];
  for (const name of ["sums", "energy", "column"]) {
    assertEquals(numbersOf(after[name]), numbersOf(before[name]), name);
  }
});

test("outputs of kernels and chains of sums are not changed", () => {
  const g = new GraphBuilder("chain");
  const [x, at] = [g.input("x", "f32", ["N"]), g.input("at", "i32", ["N"])];
  const one = g.scatterAdd(g.mul(x, 0), at, x);
  g.output("y", g.mul(g.scatterAdd(one, at, x), 2));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(captureSafe(graph), 1); // the first base: other users are unknown
  assertEquals(unsafePlaces(graph), []);
  assertEquals(captureSafe(new Graph(modelOf({}))), 0);
});

test("an output that depends on no input, or only on a shape, gets a kernel", async () => {
  const g = new GraphBuilder("fixed");
  const x = g.input("x", "f32", ["N"]);
  const length = g.op("Cast", [g.op("Shape", [x], "i64")], "f32", { to: 1 });
  g.output("sum", g.add(g.constant("f32", [1]), g.constant("f32", [2])), [1]);
  g.output("twice", g.add(length, length), [1]);
  g.output("y", g.add(x, length), ["N"]);
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(captureSafe(graph), 2);
  const made = ["sum", "twice", "y"].map((name) => graph.producer(name)?.opType);
  assertEquals(made, ["Where", "Where", "Add"]);
  const outputs = await runModel(graph.encode(), { x: f32([5, 6], 2) });
  const numbers = ["sum", "twice", "y"].map((name) => numbersOf(outputs[name]));
  assertEquals(numbers, [[3], [4], [7, 8]]);
});

test("the base of a sum that is read elsewhere gets a kernel", () => {
  const g = new GraphBuilder("fork");
  const [x, at] = [g.input("x", "f32", ["N"]), g.input("at", "i32", ["N"])];
  const one = g.scatterAdd(g.mul(x, 0), at, x);
  g.output("y", g.mul(g.scatterAdd(one, at, x), one));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(captureSafe(graph), 2);
  assertEquals(unsafePlaces(graph), []);
});

test("NaN does not affect the inserted condition", async () => {
  const graph = new Graph(
    decodeModel(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 })),
  );
  assertEquals(captureSafe(graph), 3);
  const { forces } = await runModel(graph.encode(), {
    positions: f32([NaN, 0, 0, 0, 0, 0, 0, 0, 4], 3, 3),
    edge_index: i32([1, 2, 2, 1], 2, 2),
    shifts: f32(new Float32Array(6), 2, 3),
    batch_idx: i32([0, 1, 1], 3),
    energy0: f32([0, 0], 2),
  });
  const values = numbersOf(forces);
  assert(Number.isNaN(values[0]!) && values.slice(3).every(Number.isFinite), `${values}`);
});

test("graphs that cannot be made safe are rejected with the node", () => {
  const refuses = (graph: Graph, message: string) =>
    assertThrows(() => captureSafe(graph), UnsupportedNodeError, message);
  refuses(new Graph(branching()), "got the If");
  refuses(
    new Graph(decodeModel(indexed())),
    "scatters and outputs must be f32, i32, f16, not i64; got the Identity",
  );
  const passing = modelOf({
    input: [valueInfo("x", "f32", [])],
    output: [valueInfo("x", "f32", [])],
  });
  refuses(new Graph(passing), 'every output must be the result of a node; got the input "x"');
  const blind = modelOf({
    input: [valueInfo("x", "i32", [2])],
    node: [node("Identity", ["x"], ["y"])],
    output: [valueInfo("y", "i32", [2])],
    initializer: [makeTensorProto("f32", [], [1], "unused")],
  });
  assertThrows(
    () => captureSafe(new Graph(blind)),
    RangeError,
    "one input must be f32; got x i32",
  );
});

for (const file of few(SMALL_MODELS, MODELS)) {
  modelTest(`${file} made safe to capture gives bitwise identical results`, async () => {
    const bytes = readModel(file);
    const { inputs } = readReference(file.replace(/_ef?\.onnx$/, ""));
    const tensors = Object.fromEntries(
      Object.entries(inputs).map(([name, tensor]) => [name, fromReference(tensor)]),
    );
    const graph = new Graph(decodeModel(bytes));
    captureSafe(graph);
    assertEquals(unsafePlaces(graph), []);
    const [before, after] = [
      await runModel(bytes, tensors),
      await runModel(graph.encode(), tensors),
    ];
    for (const name of Object.keys(before)) {
      assertEquals(worst(numbersOf(after[name]), numbersOf(before[name])), 0, name);
    }
    assertEquals(describeModel(graph.model).ops.get("ReduceSum")! > 0, true);
  });
}
