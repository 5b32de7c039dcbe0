import { checkRule } from "../../../src/testing/onnx.ts";

/** Functions of one number, and where to try them. */
const FUNCTIONS: Readonly<Record<string, readonly number[]>> = {
  Exp: [-1, 0, 0.7],
  Log: [0.5, 2],
  Sqrt: [0.5, 2],
  Reciprocal: [-2, 0.7],
  Erf: [-1, 0, 0.4],
  Sin: [-1, 0.4],
  Cos: [-1, 0.4],
  Tan: [-0.6, 0.4],
  Tanh: [-1, 0, 0.4],
  Sinh: [-1, 0.4],
  Cosh: [-1, 0.4],
  Asin: [-0.5, 0.3],
  Acos: [-0.5, 0.3],
  Atan: [-2, 0.3],
  Asinh: [-2, 0.3],
  Acosh: [1.4, 3],
  Atanh: [-0.5, 0.3],
  Abs: [-2, 0.3],
  Sigmoid: [-2, 0, 3],
  Relu: [-1, 2],
  LeakyRelu: [-1, 2],
  Elu: [-1, 2],
  Celu: [-1, 2],
  Selu: [-1, 2],
  ThresholdedRelu: [-1, 0.5, 2],
  Shrink: [-1, 0.2, 2],
  Softplus: [-1, 2],
  Softsign: [-1, 2],
  Mish: [-1, 2],
  HardSigmoid: [-4, 0.3, 4],
  HardSwish: [-4, 0.3, 4],
};

for (const [op, data] of Object.entries(FUNCTIONS)) {
  Deno.test(`first and second derivatives of ${op} agree with finite differences`, () => {
    checkRule({ op, inputs: [{ dims: [data.length], data }] });
    checkRule({ op, inputs: [{ dims: [], data: data.slice(0, 1) }] });
    checkRule({ op, inputs: [{ dims: [0] }] });
  });
}

Deno.test("the gradients of both forms of Gelu agree with finite differences", () => {
  for (const approximate of ["none", "tanh"]) {
    const inputs = [{ dims: [3], data: [-1, 0.2, 2] }];
    checkRule({ op: "Gelu", opset: 20, attributes: { approximate }, inputs });
  }
});

Deno.test("the gradient of Pow agrees with finite differences for any exponent", () => {
  for (const p of [-2, -1, 0, 0.5, 1, 2, 3, 4, 7, 11, 1.5]) {
    const inputs = [{ dims: [2], data: [0.6, 1.4] }, { dims: [], data: [p], isConstant: true }];
    checkRule({ op: "Pow", inputs });
  }
  const base = { dims: [2, 1], data: [0.6, 1.4] }, exponent = { dims: [3], data: [-1, 2, 0.5] };
  checkRule({ op: "Pow", inputs: [base, exponent] });
});

Deno.test("gradients of integer powers of negative numbers agree with finite differences", () => {
  for (const p of [2, 3, 5]) {
    const inputs = [{ dims: [2], data: [-0.6, 1.4] }, { dims: [], data: [p], isConstant: true }];
    checkRule({ op: "Pow", inputs });
  }
});

for (const op of ["Max", "Min", "Sum", "Mean"]) {
  Deno.test(`the gradient of ${op} with one to three inputs agrees with finite differences`, () => {
    const [a, b, c] = [{ dims: [2, 3] }, { dims: [3] }, { dims: [2, 1] }];
    for (const inputs of [[a], [a, b], [b, a], [a, b, c]]) checkRule({ op, inputs });
  });
}

Deno.test("the gradients of Where and Clip agree with finite differences", () => {
  const condition = { dims: [2, 1], data: [0, 1], type: "bool" } as const;
  checkRule({ op: "Where", inputs: [condition, { dims: [3] }, { dims: [2, 3] }] });
  const x = { dims: [3], data: [-2, 0.3, 2] }, low = { dims: [], data: [-1] };
  const high = { dims: [], data: [1] };
  for (const inputs of [[x, low, high], [x, low], [x, undefined, high], [x], [x, high, low]]) {
    checkRule({ op: "Clip", inputs });
  }
});

Deno.test("the gradients of PRelu and Mod agree with finite differences", () => {
  checkRule({ op: "PRelu", inputs: [{ dims: [2, 3] }, { dims: [3] }] });
  const inputs = [{ dims: [3], data: [-2.2, 0.3, 2.9] }, { dims: [3], data: [0.9, 0.7, 0.8] }];
  checkRule({ op: "Mod", attributes: { fmod: 1 }, inputs });
});
