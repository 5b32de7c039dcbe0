/** Graphs written operator by operator, run by onnxruntime. */
import { assertEquals, assertThrows } from "@std/assert";
import { decodeModel, GraphBuilder, type Value } from "../../src/onnx/mod.ts";
import { f32, i32, numbersOf, runModel } from "./ort.ts";

/** Returns the result of a formula for x = [1, 2, 4], [3] and m = [[1, 2], [3, 4]]. */
async function evaluate(
  formula: (g: GraphBuilder, x: Value<"f32">, m: Value<"f32">) => Value,
): Promise<number[]> {
  const g = new GraphBuilder("formula");
  const x = g.input("x", "f32", ["N"]), m = g.input("m", "f32", [2, 2]);
  g.output("y", formula(g, x, m));
  const { y } = await runModel(g.build(), { x: f32([1, 2, 4], 3), m: f32([1, 2, 3, 4], 2, 2) });
  return numbersOf(y);
}

const FORMULAS: Record<
  string,
  [(g: GraphBuilder, x: Value<"f32">, m: Value<"f32">) => Value, number[]]
> = {
  add: [(g, x) => g.add(x, 0.5), [1.5, 2.5, 4.5]],
  "sub, number second": [(g, x) => g.sub(x, 1), [0, 1, 3]],
  "sub, number first": [(g, x) => g.sub(1, x), [0, -1, -3]],
  mul: [(g, x) => g.mul(x, x), [1, 4, 16]],
  "div, number second": [(g, x) => g.div(x, 2), [0.5, 1, 2]],
  "div, number first": [(g, x) => g.div(4, x), [4, 2, 1]],
  "less and where": [(g, x) => g.where(g.less(x, 2), -1, x), [-1, 2, 4]],
  "greaterOrEqual and where": [(g, x) => g.where(g.greaterOrEqual(x, 2), -1, x), [1, -1, -1]],
  gather: [(g, _, m) => g.gather(m, g.constant("i32", [1, 0]), 1), [2, 1, 4, 3]],
  scatterAdd: [(g, x) => g.scatterAdd(x, g.constant("i32", [2, 2, 0]), x), [5, 2, 7]],
  reduceSum: [(g, _, m) => g.reduceSum(m, [0]), [4, 6]],
  "reduceSum that keeps axes": [(g, _, m) => g.add(m, g.reduceSum(m, [1], true)), [4, 5, 10, 11]],
  "unsqueeze, expand, squeeze": [(g, x) => g.squeeze(g.expand(g.unsqueeze(x, [0]), [1, 3]), [0]), [
    1,
    2,
    4,
  ]],
  reshape: [(g, _, m) => g.mul(g.reshape(m, g.constant("i64", [4])), 2), [2, 4, 6, 8]],
  op: [(g, _, m) => g.op("Transpose", [m], "f32", { perm: [1, 0] }), [1, 3, 2, 4]],
  "op without an optional input": [
    (g, x) => g.op("Clip", [x, undefined, g.constant("f32", 3)], "f32"),
    [1, 2, 3],
  ],
};

for (const [name, [formula, expected]] of Object.entries(FORMULAS)) {
  Deno.test(`the builder's ${name} computes its operation`, async () => {
    assertEquals(await evaluate(formula), expected);
  });
}

Deno.test("equal constants are stored once, and −0 differs from 0", () => {
  const g = new GraphBuilder("constants");
  const x = g.input("x", "f32", []);
  g.output("y", g.add(g.add(g.mul(x, 2), 2), g.constant("f32", [2], [])));
  assertEquals(decodeModel(g.build()).graph!.initializer.length, 1);
  assertEquals(g.constant("f32", -0).name === g.constant("f32", 0).name, false);
  assertEquals(g.constant("i32", 2).name === g.constant("f32", 2).name, false);
});

Deno.test("a value can be used further, and be an output twice", async () => {
  const g = new GraphBuilder("outputs");
  const x = g.input("x", "i32", [1]);
  const twice = g.mul(x, 2);
  g.output("twice", twice, [1]);
  g.output("again", twice);
  g.output("more", g.add(twice, 1));
  g.output("same", x);
  const out = await runModel(g.build(), { x: i32([3], 1) });
  const values = Object.fromEntries(Object.entries(out).map(([name, y]) => [name, numbersOf(y)]));
  assertEquals(values, { twice: [6], again: [6], more: [7], same: [3] });
});

Deno.test("a value can be renamed, and become an output afterwards", async () => {
  const g = new GraphBuilder("named");
  const x = g.input("x", "i32", [1]);
  const twice = g.mul(x, 2);
  const known = g.named(twice, "twice");
  const more = g.add(twice, 1);
  g.named(known, "mul"); // and back
  g.named(twice, "doubled");
  assertEquals(g.graph.producer("doubled")?.opType, "Mul");
  g.output("y", g.add(g.add(known, more), twice), [1]);
  g.output("z", known, [1]);
  const out = await runModel(g.build(), { x: i32([3], 1) });
  assertEquals([numbersOf(out.y!), numbersOf(out.z!)], [[19], [6]]);
  assertThrows(() => g.named(twice, "x"), RangeError, '"x", which exists');
  assertThrows(() => g.named(x, "other"), RangeError, "it must be the output of a node");
});

Deno.test("existing names and unsupported opsets are rejected", () => {
  const g = new GraphBuilder("names");
  const x = g.input("x", "f32", []);
  assertThrows(() => g.input("x", "f32", []), SyntaxError, '"x" twice');
  assertThrows(() => g.output("x", g.mul(x, 2)), RangeError, '"x", which exists');
  assertThrows(() => new GraphBuilder("old", { opset: 17 }), RangeError, "from 18 to 21");
  assertThrows(
    () => g.constant("i32", 0.5),
    RangeError,
    "integers in the range of its type; got 0.5",
  );
  assertThrows(() => g.constant("u8", 256), RangeError, "got 256");
  assertThrows(
    () => g.constant("f32", [1, 2], [3]),
    RangeError,
    "the shape [3] must have 3 values; got 2",
  );
});
