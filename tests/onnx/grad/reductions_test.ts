import { checkSlopes } from "./check_slopes.ts";

const OPERATORS = [
  "ReduceSum",
  "ReduceMean",
  "ReduceProd",
  "ReduceMax",
  "ReduceMin",
  "ReduceL1",
  "ReduceL2",
  "ReduceSumSquare",
  "ReduceLogSumExp",
];

for (const op of OPERATORS) {
  Deno.test(`the gradient of ${op} agrees with finite differences along any axes`, () => {
    const x = { dims: [2, 3, 2], data: [1, -0.7, 0.4, 2, -1.3, 0.8, 1.5, -2, 0.6, 1.2, -0.5, 0.9] };
    for (const axes of [[0], [1], [-1, 0], [0, 1, 2]]) {
      for (const keepdims of [0, 1]) {
        const by = { dims: [axes.length], data: axes, type: "i64", isConstant: true } as const;
        checkSlopes({ op, attributes: { keepdims }, inputs: [x, by] });
      }
    }
    checkSlopes({ op, inputs: [x] });
    checkSlopes({ op, attributes: { noop_with_empty_axes: 1 }, inputs: [x] });
  });
}

Deno.test("the gradient of ReduceLogSum agrees with finite differences", () => {
  const x = { dims: [2, 3], data: [0.5, 1, 2, 0.7, 1.4, 3] };
  const axes = { dims: [1], data: [1], type: "i64", isConstant: true } as const;
  checkSlopes({ op: "ReduceLogSum", inputs: [x, axes] });
});

Deno.test("the gradient of ReduceProd agrees with finite differences, with one zero and with two", () => {
  const axes = { dims: [1], data: [1], type: "i64", isConstant: true } as const;
  checkSlopes({ op: "ReduceProd", inputs: [{ dims: [2, 3], data: [0, 2, 3, 0, 0, 5] }, axes] });
});

for (const op of ["ReduceSum", "ReduceMean", "ReduceL1"]) {
  Deno.test(`the gradient of ${op} along variable axes agrees with finite differences`, () => {
    const axes = { dims: [1], shape: [1], data: [-1], type: "i64" } as const;
    for (const keepdims of [0, 1]) {
      checkSlopes({ op, attributes: { keepdims }, inputs: [{ dims: [2, 3] }, axes] });
    }
  });
}

for (const op of ["Softmax", "LogSoftmax"]) {
  Deno.test(`the gradient of ${op} agrees with finite differences`, () => {
    for (const axis of [0, 1, -1]) {
      checkSlopes({ op, attributes: { axis }, inputs: [{ dims: [2, 3] }] });
    }
  });
}

const scale = { dims: [3] }, shift = { dims: [3] };

Deno.test("gradients of LayerNormalization and its moments agree with finite differences", () => {
  checkSlopes({ op: "LayerNormalization", inputs: [{ dims: [2, 3] }, scale, shift], outputs: 3 });
  checkSlopes({ op: "LayerNormalization", inputs: [{ dims: [2, 3] }, scale] });
  const attributes = { axis: 1 }, both = { dims: [3, 2] };
  checkSlopes({ op: "LayerNormalization", attributes, inputs: [{ dims: [2, 3, 2] }, both, both] });
});

Deno.test("gradients of normalizations over channels agree with finite differences", () => {
  const x = { dims: [2, 3, 4] }, mean = { dims: [3] };
  const variance = { dims: [3], data: [0.5, 1, 2] };
  checkSlopes({ op: "BatchNormalization", inputs: [x, scale, shift, mean, variance] });
  checkSlopes({ op: "InstanceNormalization", inputs: [x, scale, shift] });
  const four = { dims: [4] }, two = { dims: [2] }, attributes = { num_groups: 2 };
  const channels = { dims: [2, 4, 3] };
  checkSlopes({ op: "GroupNormalization", attributes, inputs: [channels, two, two] });
  checkSlopes({ op: "GroupNormalization", opset: 21, attributes, inputs: [channels, four, four] });
});

Deno.test("the gradient of BatchNormalization in training agrees with finite differences", () => {
  const attributes = { training_mode: 1 }, variance = { dims: [3], data: [0.5, 1, 2] };
  const inputs = [{ dims: [2, 3, 4] }, scale, shift, { dims: [3] }, variance];
  checkSlopes({ op: "BatchNormalization", attributes, inputs, outputs: 3, discrete: [1, 2] });
});

Deno.test("gradients of LpNormalization and MeanVarianceNormalization agree with finite differences", () => {
  for (const p of [1, 2]) {
    checkSlopes({ op: "LpNormalization", attributes: { p, axis: 1 }, inputs: [{ dims: [2, 3] }] });
  }
  const attributes = { axes: [0, 2] };
  checkSlopes({ op: "MeanVarianceNormalization", attributes, inputs: [{ dims: [2, 3, 2] }] });
});
