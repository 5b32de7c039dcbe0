import { assertEquals, assertThrows } from "@std/assert";
import { auditRoots, decodeModel, Graph, GraphBuilder, type Value } from "../../../src/onnx/mod.ts";
import { MODELS, readModel } from "../shared_models.ts";
import { lacks } from "../../machine.ts";

type F32 = Value<"f32">;

const unary = (op: string) => (g: GraphBuilder, x: F32): F32 => g.op(op, [x], "f32");
const power = (p: number) => (g: GraphBuilder, x: F32): F32 =>
  g.op("Pow", [x, g.constant("f32", p)], "f32");
const clip = (g: GraphBuilder, x: F32, low: number, high: number): F32 =>
  g.op("Clip", [x, g.constant("f32", low), g.constant("f32", high)], "f32");
const norm = (epsilon: number) => (g: GraphBuilder, x: F32): F32 => {
  const scale = g.constant("f32", [1, 1, 1]);
  return g.op("LayerNormalization", [x, scale], "f32", { epsilon: { float: epsilon } });
};

/** Functions of x, and the expected warning; an empty text if there is no warning. */
const CASES: readonly [name: string, make: (g: GraphBuilder, x: F32) => F32, why: string][] = [
  ["√x", unary("Sqrt"), "the gradient of Sqrt at 0 is infinite; 0 is taken for it"],
  ["√(x + 10⁻¹²)", (g, x) => unary("Sqrt")(g, g.add(x, 1e-12)), ""],
  [
    "√(x + 0)",
    (g, x) => unary("Sqrt")(g, g.add(x, 0)),
    "the gradient of Sqrt at 0 is infinite; 0 is taken for it",
  ],
  [
    "√(x − 1)",
    (g, x) => unary("Sqrt")(g, g.add(x, -1)),
    "the gradient of Sqrt at 0 is infinite; 0 is taken for it",
  ],
  ["√(x + 1) by a view", (g, x) => unary("Sqrt")(g, g.unsqueeze(g.add(x, 1), [0])), ""],
  ["√max(x, 1)", (g, x) => unary("Sqrt")(g, g.op("Max", [x, g.constant("f32", 1)], "f32")), ""],
  ["√clip(x, 1)", (g, x) => unary("Sqrt")(g, clip(g, x, 1, 9)), ""],
  [
    "√clip(x, 0)",
    (g, x) => unary("Sqrt")(g, clip(g, x, 0, 9)),
    "the gradient of Sqrt at 0 is infinite; 0 is taken for it",
  ],
  ["√ of a chosen 1", (g, x) => unary("Sqrt")(g, g.where(g.less(x, 1), 1, x)), ""],
  ["√eˣ", (g, x) => unary("Sqrt")(g, unary("Exp")(g, x)), ""],
  ["1 / x", (g, x) => g.div(1, x), "a division by 0 has no gradient"],
  ["x / 3", (g, x) => g.div(x, 3), ""],
  ["1 / √(x + 1)", (g, x) => g.div(1, unary("Sqrt")(g, g.add(x, 1))), ""],
  ["1 / (2 eˣ)", (g, x) => g.div(1, g.mul(unary("Exp")(g, x), 2)), ""],
  [
    "1 / (x eˣ)",
    (g, x) => g.div(1, g.mul(unary("Exp")(g, x), x)),
    "a division by 0 has no gradient",
  ],
  ["Reciprocal", unary("Reciprocal"), "1 / x and its gradient are infinite at 0"],
  ["Log", unary("Log"), "Log and its gradient are infinite at 0"],
  ["log(1 + x)", (g, x) => unary("Log")(g, g.add(g.constant("f32", 1), x)), ""],
  ["x²", power(2), ""],
  ["x¹", power(1), ""],
  ["x⁰", power(0), ""],
  ["x^½", power(0.5), "the gradient of x to the power of 0.5 at 0 is infinite; 0 is taken for it"],
  ["x⁻¹", power(-1), "the gradient of x to the power of -1 at 0 is infinite"],
  [
    "xˣ",
    (g, x) => g.op("Pow", [x, x], "f32"),
    "the gradient of a power at 0 is infinite where its exponent is below 1",
  ],
  [
    "|x|",
    unary("ReduceL2"),
    "the gradient of a length is 0 / 0 where the length is 0; 0 is taken for it",
  ],
  ["Acos", unary("Acos"), "the gradient of Acos at −1 and 1 is infinite; 0 is taken for it"],
  ["acos(0.95 x)", (g, x) => unary("Acos")(g, g.mul(x, 0.95)), ""],
  [
    "acos(2 x)",
    (g, x) => unary("Acos")(g, g.mul(x, 2)),
    "the gradient of Acos at −1 and 1 is infinite; 0 is taken for it",
  ],
  ["acos of clipped", (g, x) => unary("Acos")(g, clip(g, x, -0.999, 0.999)), ""],
  [
    "acos of clipped to the ends",
    (g, x) => unary("Acos")(g, clip(g, x, -1, 1)),
    "the gradient of Acos at −1 and 1 is infinite; 0 is taken for it",
  ],
  ["acos by Max and Min", (g, x) => {
    const below = g.op("Min", [x, g.constant("f32", 0.99)], "f32");
    return unary("Acos")(g, g.op("Max", [g.constant("f32", -0.99), below], "f32"));
  }, ""],
  ["acos by Max alone", (g, x) => {
    return unary("Acos")(g, g.op("Max", [x, g.constant("f32", -0.99)], "f32"));
  }, "the gradient of Acos at −1 and 1 is infinite; 0 is taken for it"],
  ["Asin", unary("Asin"), "the gradient of Asin at −1 and 1 is infinite; 0 is taken for it"],
  ["Atanh", unary("Atanh"), "Atanh and its gradient are infinite at −1 and 1"],
  ["a norm with its epsilon", norm(1e-5), ""],
  [
    "a norm without",
    norm(0),
    "the gradient of LayerNormalization without an epsilon is 0 / 0 where all values are equal",
  ],
  ["tanh", unary("Tanh"), ""],
  ["a mean by the number of elements, which x has but does not change", (g, x) => {
    const count = g.op("Cast", [g.op("Size", [x], "i64")], "f32", { to: 1 });
    return g.div(g.reduceSum(x, [0]), count);
  }, ""],
];

for (const [name, make, why] of CASES) {
  Deno.test(`${name}: ${why || "no warning"}`, () => {
    const g = new GraphBuilder("case");
    g.output("y", make(g, g.input("x", "f32", [3])));
    const found = auditRoots(new Graph(decodeModel(g.build())), { of: "y", wrt: ["x"] });
    assertEquals(found.map((warning) => warning.why).join(), why);
  });
}

Deno.test("a warning names node and value, and only nodes between the two are checked", () => {
  const g = new GraphBuilder("path");
  const x = g.input("x", "f32", ["N"]), w = g.input("w", "f32", ["N"]);
  const root = (a: F32) => g.op("Sqrt", [a], "f32");
  const [before, beside] = [root(x), root(w)];
  g.output("y", g.div(g.mul(before, beside), beside));
  g.output("z", g.op("Log", [before], "f32"));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(auditRoots(graph, { of: "y", wrt: "x" }), [{
    node: "Sqrt_sqrt",
    op: "Sqrt",
    value: "x",
    why: "the gradient of Sqrt at 0 is infinite; 0 is taken for it",
    hint: "add a small number before it, or Clip it from below, or make sure that it is never 0: " +
      "no two atoms at the same place, no padding of length 0",
  }]);
  const both = auditRoots(graph, { of: "y", wrt: ["x", "w"] });
  assertEquals(both.map(({ op, value }) => `${op} ${value}`), ["Sqrt x", "Sqrt w", "Div sqrt_1"]);
  assertEquals(auditRoots(graph, { of: "w", wrt: "x" }), []);
  assertThrows(
    () => auditRoots(graph, { of: "energy", wrt: "x" }),
    RangeError,
    'values must exist in the graph; got "energy"',
  );
});

Deno.test("the roots of pair distances in real models are found", {
  ignore: lacks("models"),
}, () => {
  const found = Object.fromEntries(
    MODELS.filter((name) => name.endsWith("_e.onnx")).map((name) => {
      const graph = new Graph(decodeModel(readModel(name)));
      const warnings = auditRoots(graph, { of: "energy", wrt: "positions" });
      return [name, warnings.map(({ op }) => op).join(" ")];
    }),
  );
  assertEquals(found, {
    "ani1x_1_e.onnx": "Sqrt Div Sqrt",
    "chgnet_e.onnx": "Sqrt Div Div Div Acos",
    "mlp_e.onnx": "Sqrt",
    "painnx_e.onnx": "Sqrt Div Div",
    "schnet_e.onnx": "Sqrt",
    "sevennet0_e.onnx": "ReduceL2 Div ReduceL2",
  });
});
