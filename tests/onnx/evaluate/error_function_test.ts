import { erf, erfc } from "../../../src/onnx/evaluate/operators/error_function.ts";
import { assertNear, f32 } from "./evaluate_op.ts";

Deno.test("erfc() keeps its relative precision for small results", () => {
  // mpmath at 60 digits, of the doubles as they are.
  const right = [
    1.8427007929497148,
    0.6713732405408726,
    0.01620954140922544,
    6.613081850340811e-14,
    7.936107563214511e-43,
    9.735977140428878e-178,
  ];
  assertNear(f32([-1, 0.3, 1.7, 5.3, 9.7, 20.1].map(erfc)), right, 4);
  assertNear(f32([Infinity, -Infinity, 30, NaN].map(erfc)), [0, 2, 0, NaN], 0);
});

Deno.test("series and continued fraction agree where they meet", () => {
  const below = 1.5 - 2 ** -52;
  assertNear(f32([erf(below)]), [erf(1.5)], 2);
});
