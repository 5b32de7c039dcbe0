import { assertThrows } from "@std/assert";
import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import { assertNear, assertSame, evaluate, f32 } from "./evaluate_op.ts";

/** Returns the results of an activation for -1, -0.5, 0, 2 and NaN. */
function of(op: string, attributes: Attributes = {}) {
  return evaluate(op, [f32([-1, -0.5, 0, 2, NaN])], attributes);
}

Deno.test("piecewise linear activations have known values", () => {
  const alpha = { alpha: { float: 0.25 } };
  assertSame(of("Relu"), f32([0, 0, 0, 2, NaN]));
  assertSame(of("LeakyRelu", alpha), f32([-0.25, -0.125, 0, 2, NaN]));
  assertSame(of("LeakyRelu"), f32([-Math.fround(0.01), -Math.fround(0.01) / 2, 0, 2, NaN]));
  assertSame(of("ThresholdedRelu", alpha), f32([0, 0, 0, 2, 0]));
  assertSame(of("HardSigmoid", alpha), f32([0.25, 0.375, 0.5, 1, NaN]));
  assertSame(evaluate("HardSwish", [f32([-4, 0, 3, 5])]), f32([-0, 0, 3, 5]));
  assertSame(of("Shrink"), f32([-1, 0, 0, 2, 0]));
  const shrink = { lambd: { float: 0.75 }, bias: { float: 0.5 } };
  assertSame(of("Shrink", shrink), f32([-0.5, 0, 0, 1.5, 0]));
  assertSame(of("Softsign"), f32([-0.5, -1 / 3, 0, 2 / 3, NaN]));
});

Deno.test("exponential activations have known values, also for large inputs", () => {
  const e = [-0.6321205588285577, -0.3934693402873666];
  assertNear(of("Elu"), [...e, 0, 2, NaN]);
  assertNear(of("Elu", { alpha: { float: 2 } }), [2 * e[0]!, 2 * e[1]!, 0, 2, NaN]);
  assertNear(evaluate("Celu", [f32([-2, -1, 3])], { alpha: { float: 2 } }), [
    2 * e[0]!,
    2 * e[1]!,
    3,
  ]);
  const [alpha, gamma] = [Math.fround(1.6732632), Math.fround(1.05070102)];
  assertNear(of("Selu"), [gamma * alpha * e[0]!, gamma * alpha * e[1]!, 0, 2 * gamma, NaN]);
  const sigmoid = [1.9287498479639178e-22, 0.2689414213699951, 0.5, 0.8807970779778824, 1];
  assertNear(evaluate("Sigmoid", [f32([-50, -1, 0, 2, 50])]), sigmoid);
  assertSame(evaluate("Sigmoid", [f32([-Infinity, Infinity, -1000])]), f32([0, 1, 0]));
  assertNear(evaluate("Swish", [f32([-1, 2])]), [-0.2689414213699951, 2 * 0.8807970779778824]);
  const softplus = [1.9287498479639178e-22, 0.3132616875182228, Math.LN2, 50, 800];
  assertNear(evaluate("Softplus", [f32([-50, -1, 0, 50, 800])]), softplus);
  const mish = [-0.3034014613741089, 0.37524521130489513, 2.9865350049679575];
  assertNear(evaluate("Mish", [f32([-1, 0.5, 3])]), mish);
});

Deno.test("Gelu is accurate for large negative inputs, and differs from its approximation", () => {
  const x = f32([-10, -3, -1, 0.1, 4]);
  const right = [
    -7.619853024160526e-23,
    -0.0040496940948902835,
    -0.15865525393145705,
    0.053982783727702904,
    3.9998733150326675,
  ];
  assertNear(evaluate("Gelu", [x]), right, 100); // x / √2 is rounded, and exp(-x²/2) enlarges it
  const close = [-0.1588080093917233, 0.053982751045435165, 1.954597694087775];
  assertNear(evaluate("Gelu", [f32([-1, 0.1, 2])], { approximate: "tanh" }), close);
});

Deno.test("Softmax works along one axis and does not overflow", () => {
  const p = [0.04201006613406605, 0.11419519938459448, 0.8437947344813395];
  assertNear(evaluate("Softmax", [f32([1, 2, 4, 1001, 1002, 1004], 2, 3)]), [...p, ...p]);
  const columns = f32([1, 1001, 2, 1002, 4, 1004], 3, 2);
  assertNear(evaluate("Softmax", [columns], { axis: 0 }), p.flatMap((x) => [x, x]));
  const log = [-3.1698460195562856, -2.1698460195562856, -0.16984601955628564];
  assertNear(evaluate("LogSoftmax", [columns], { axis: -2 }), log.flatMap((x) => [x, x]), 8);
  const cube = evaluate("Softmax", [f32([...Array(12).keys()], 2, 2, 3)], { axis: 0 });
  const [low, high] = [1 / (1 + Math.exp(6)), 1 / (1 + Math.exp(-6))];
  assertNear(cube, [...Array(6).fill(low), ...Array(6).fill(high)]);
  assertSame(evaluate("Softmax", [f32([-Infinity, 3])]), f32([0, 1]));
  assertSame(evaluate("Softmax", [f32([], 0, 2)]), f32([], 0, 2));
  assertSame(evaluate("Softmax", [f32([], 2, 0)]), f32([], 2, 0));
  assertSame(evaluate("Hardmax", [f32([1, 3, 3, 2])]), f32([0, 1, 0, 0]));
  assertThrows(() => evaluate("Softmax", [f32([1])], { axis: 1 }), RangeError, "from -1 to 0");
});
