import { assert, assertEquals } from "@std/assert";
import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import { GraphBuilder, openEvaluator, type Value } from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

/** Operators of one input that take any number, and those that take positive ones. */
const ANYWHERE = [
  ..."Abs Neg Sign Floor Ceil Round Exp Sin Cos Tan Atan Sinh Cosh Tanh Asinh Erf".split(" "),
  ..."Relu LeakyRelu Elu Celu Selu ThresholdedRelu HardSigmoid HardSwish Softplus".split(" "),
  ..."Softsign Mish Sigmoid Shrink Softmax LogSoftmax Identity Transpose Flatten".split(" "),
  ..."ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2".split(" "),
  ..."ReduceSumSquare ReduceLogSumExp Trilu".split(" "),
];
const POSITIVE = ["Sqrt", "Log", "Reciprocal", "ReduceLogSum"];
const BINARY = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Mean", "Sum", "PRelu"];

/** Asserts that the evaluator and onnxruntime give the same results in single precision. */
async function agree(write: (g: GraphBuilder, x: Value<"f32">, y: Value<"f32">) => void) {
  const g = new GraphBuilder("both", { opset: 20 });
  const x = g.input("x", "f32", [4, 5]), y = g.input("y", "f32", [5]);
  write(g, x, y);
  const model = g.build();
  const data = {
    x: Float32Array.from({ length: 20 }, (_, i) => 3 * Math.sin(1 + 2.7 * i)),
    y: Float32Array.from({ length: 5 }, (_, i) => 1.5 + Math.cos(i)),
  };
  const right = await runModel(model, { x: f32(data.x, 4, 5), y: f32(data.y, 5) });
  const made = openEvaluator(model).run({
    x: { data: data.x, dims: [4, 5] },
    y: { data: data.y },
  });
  for (const [name, tensor] of Object.entries(right)) {
    assertEquals(made[name]!.dims, tensor.dims, name);
    const difference = worst(made[name]!.data, numbersOf(tensor));
    assert(difference < 2e-6, `${name}: ${difference}`);
  }
  return Object.keys(right).length;
}

Deno.test("operators of one input agree with onnxruntime", async () => {
  const count = await agree((g, x, y) => {
    for (const op of ANYWHERE) g.output(op, g.op(op, [x], "f32"));
    for (const op of POSITIVE) g.output(op, g.op(op, [y], "f32"));
    const approximate: Attributes = { approximate: "tanh" };
    g.output("Gelu", g.op("Gelu", [x], "f32"));
    g.output("GeluTanh", g.op("Gelu", [x], "f32", approximate));
  });
  assertEquals(count, ANYWHERE.length + POSITIVE.length + 2);
});

Deno.test("operators of two inputs agree with onnxruntime", async () => {
  const count = await agree((g, x, y) => {
    for (const op of BINARY) g.output(op, g.op(op, [x, y], "f32"));
    g.output("Pow", g.op("Pow", [y, x], "f32"));
    g.output("Mod", g.op("Mod", [x, y], "f32", { fmod: 1 }));
    const less = g.op("Less", [x, y], "bool");
    g.output("Where", g.op("Where", [less, x, y], "f32"));
  });
  assertEquals(count, BINARY.length + 3);
});

Deno.test("operators that move elements agree with onnxruntime", async () => {
  const count = await agree((g, x, y) => {
    const list = (...values: number[]) => g.constant("i64", values);
    g.output("Concat", g.op("Concat", [x, x], "f32", { axis: 1 }));
    g.output("Tile", g.op("Tile", [x, list(2, 3)], "f32"));
    g.output("Expand", g.op("Expand", [y, list(3, 1)], "f32"));
    g.output("Back", g.op("Slice", [x, list(-1), list(-9), list(1), list(-2)], "f32"));
    const before = [list(-9), list(-99), list(1), list(-1)];
    g.output("Before", g.op("Slice", [x, ...before], "f32"));
    for (const mode of ["constant", "edge", "reflect", "wrap"]) {
      g.output(mode, g.op("Pad", [x, list(1, 2, 3, 4)], "f32", { mode }));
    }
    g.output("CumSum", g.op("CumSum", [x, g.constant("i64", 1)], "f32", { reverse: 1 }));
    g.output("Reshape", g.op("Reshape", [x, list(2, -1, 5)], "f32"));
  });
  assertEquals(count, 11);
});
