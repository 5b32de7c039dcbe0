import { checkRule } from "../../../src/testing/onnx.ts";

Deno.test("Range has gradients for start and step, but not for its limit", () => {
  const number = (x: number) => ({ dims: [], data: [x] });
  checkRule({ op: "Range", inputs: [number(0.5), number(3.1), number(0.7)] });
  checkRule({ op: "Range", inputs: [number(2), number(-1.1), number(-0.8)] });
  checkRule({ op: "Range", inputs: [number(2), number(1), number(1)] });
});

Deno.test("OneHot has gradients for its two values", () => {
  const indices = { type: "i64", dims: [2, 2], data: [0, 2, -1, 5] } as const;
  const depth = { type: "i64", dims: [], data: [3], isConstant: true } as const;
  for (const axis of [-1, 0, 1]) {
    const inputs = [indices, depth, { dims: [2], shape: [2] }];
    checkRule({ op: "OneHot", attributes: { axis }, inputs });
  }
});

Deno.test("EyeLike has no gradient", () => {
  checkRule({ op: "EyeLike", inputs: [{ dims: [3, 3] }] });
});
