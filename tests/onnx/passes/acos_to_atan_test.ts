import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import {
  acosToAtan,
  decodeModel,
  Graph,
  GraphBuilder,
  openEvaluator,
  UnsupportedNodeError,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { branching, modelOf, node } from "../odd_models.ts";
import { f32, numbersOf, runModel } from "../ort.ts";

/** acos x, and its double, so that it is used and comes out. */
function angles(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("angles");
  const angle = g.op("Acos", [g.input("x", "f32", ["N"])], "f32");
  g.output("twice", g.mul(angle, 2));
  g.output("angle", angle);
  return g.build();
}

Deno.test("acos by atan has the known angles, the ends, and NaN beyond them", async () => {
  const graph = new Graph(decodeModel(angles()));
  assertEquals(acosToAtan(graph), 1);
  assertEquals(graph.nodes.some(({ opType }) => opType === "Acos"), false);
  const x = [
    1,
    Math.cos(0.001),
    Math.SQRT1_2,
    0.5,
    0,
    -0.5,
    -Math.SQRT1_2,
    -1,
    1.0001,
    -1.0001,
    NaN,
  ];
  const golden = [
    0,
    Math.acos(Math.fround(Math.cos(0.001))),
    ...[3, 4, 6, 8, 9, 12].map((n) => n * Math.PI / 12),
  ];
  const { angle, twice } = await runModel(graph.encode(), { x: f32(x, x.length) });
  const values = numbersOf(angle);
  for (const [i, expected] of golden.entries()) assertAlmostEquals(values[i]!, expected, 4e-7);
  assertEquals(values.slice(8), [NaN, NaN, NaN]);
  assertEquals(numbersOf(twice), values.map((value) => 2 * value));
});

Deno.test("acos by atan is within float32 of acos everywhere", async () => {
  const graph = new Graph(decodeModel(angles()));
  acosToAtan(graph);
  const x = Float32Array.from({ length: 20_001 }, (_, i) => (i - 10_000) / 10_000);
  const [before, after] = [
    numbersOf((await runModel(angles(), { x: f32(x, x.length) })).angle),
    numbersOf((await runModel(graph.encode(), { x: f32(x, x.length) })).angle),
  ];
  const off = Math.max(...after.map((value, i) => Math.abs(value - before[i]!)));
  assert(off < 5e-7, `it is off by ${off}`);
});

Deno.test("no intermediate value of acos −1 is infinite, because WebGPU may lack infinities", async () => {
  const graph = new Graph(decodeModel(angles()));
  acosToAtan(graph);
  const made = graph.nodes.flatMap(({ opType, output }) => opType === "Equal" ? [] : output);
  const between = made.filter((name) => !graph.isOutput(name));
  assert(between.length >= 6);
  for (const name of between) graph.addOutput(valueInfo(name, "f32"));
  const values = await runModel(graph.encode(), { x: f32([-1], 1) });
  for (const name of made) assert(numbersOf(values[name]).every(Number.isFinite), name);
});

Deno.test("an acos in a subgraph is rejected, other subgraphs are accepted", () => {
  const model = branching();
  assertEquals(acosToAtan(new Graph(model)), 0);
  model.graph!.node[0]!.attribute[0]!.g!.node[0]!.opType = "Acos";
  assertThrows(
    () => acosToAtan(new Graph(model)),
    UnsupportedNodeError,
    "Cannot write acos as atan",
  );
});

Deno.test("constants have the type of the cosines, also if it is not declared", () => {
  const graph = new Graph(modelOf({
    input: [valueInfo("x", "f64", [2])],
    output: [valueInfo("y", "f64", [2])],
    node: [
      node("Neg", ["x"], ["cosine"]),
      node("Acos", ["cosine"], ["angle"]),
      node("Neg", ["angle"], ["y"]),
    ],
  }));
  acosToAtan(graph);
  const types = graph.model.graph!.initializer.map(({ name }) => graph.type(name));
  assertEquals([...new Set(types)], ["f64"]);
  const { y } = openEvaluator(graph).run({ x: { data: Float64Array.of(0.5, 1) } });
  assertAlmostEquals(y!.data[0]!, -2 * Math.PI / 3, 1e-14);
  assertAlmostEquals(y!.data[1]!, -Math.PI, 1e-14);
});
