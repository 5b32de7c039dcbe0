import { assertEquals, assertThrows } from "@std/assert";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { evaluateAll, type OpOptions } from "./evaluate_op.ts";
import { tensor } from "./one_node.ts";

/** Rounds to 12 digits behind the point, where divisions and roots have left less than that. */
function normalized(
  op: string,
  inputs: (PlainTensor | undefined)[],
  options: OpOptions = {},
): PlainTensor[] {
  const round = (x: number) => Math.round(x * 1e12) / 1e12 + 0;
  return evaluateAll(op, inputs, options).map((y) => ({ ...y, data: y.data.map(round) }));
}

/** With an epsilon of 3 the deviation of two numbers that are 2 apart is 2. */
const EPSILON = { epsilon: { float: 3 } };
const PAIRS = tensor([2, 2, 2], [0, 2, 5, 7, -1, 1, 10, 10]);

Deno.test("LayerNormalization scales rows, and returns means and inverse deviations", () => {
  const [y, mean, inverse] = normalized(
    "LayerNormalization",
    [PAIRS, tensor([2], [2, 4]), tensor([2], [0, 1])],
    { attributes: EPSILON },
  );
  assertEquals(y, tensor([2, 2, 2], [-1, 3, -1, 3, -1, 3, 0, 1]));
  assertEquals(mean, { ...tensor([2, 2, 1], [1, 6, 0, 10]), type: "f32" });
  assertEquals(inverse, {
    ...tensor([2, 2, 1], [0.5, 0.5, 0.5, Math.round(1e12 / Math.sqrt(3)) / 1e12]),
    type: "f32",
  });
});

Deno.test("LayerNormalization normalizes all axes from one on, also without a bias", () => {
  const x = tensor([1, 2, 2], [-3, 3, -1, 1]);
  const attributes = { axis: -2, epsilon: { float: 4 } };
  const [y, mean] = normalized("LayerNormalization", [x, tensor([2, 2], [1, 2, 3, 6])], {
    attributes,
  });
  assertEquals(y, tensor([1, 2, 2], [-1, 2, -1, 2]));
  assertEquals(mean, { ...tensor([1, 1, 1], [0]), type: "f32" });
  const wrong = () => evaluateAll("LayerNormalization", [x, tensor([3], [1, 1, 1])]);
  assertThrows(wrong, RangeError, "its scale and bias must broadcast to [1,2,2]");
});

Deno.test("RMSNormalization divides by the root of the mean square", () => {
  const [y] = normalized("RMSNormalization", [tensor([2, 2], [1, 7, 3, 4]), tensor([2], [1, 2])], {
    attributes: { epsilon: { float: 0 } },
    opset: 23,
  });
  const root = Math.sqrt(12.5), round = (x: number) => Math.round(x * 1e12) / 1e12;
  assertEquals(y, tensor([2, 2], [0.2, 2.8, round(3 / root), round(8 / root)]));
});

Deno.test("InstanceNormalization scales each channel of each image", () => {
  const [y] = normalized(
    "InstanceNormalization",
    [PAIRS, tensor([2], [2, 4]), tensor([2], [0, 1])],
    {
      attributes: EPSILON,
    },
  );
  assertEquals(y, tensor([2, 2, 2], [-1, 1, -1, 3, -1, 1, 1, 1]));
});

Deno.test("GroupNormalization has a scale per group before opset 21, and per channel since", () => {
  const x = tensor([1, 4, 1], [-1, 1, 5, 7]), attributes = { num_groups: 2, ...EPSILON };
  const groups = [x, tensor([2], [2, 4]), tensor([2], [0, 1])];
  const [before] = normalized("GroupNormalization", groups, { attributes, opset: 18 });
  assertEquals(before, tensor([1, 4, 1], [-1, 1, -1, 3]));
  const channels = [x, tensor([4], [2, 4, 6, 8]), tensor([4], [0, 1, 2, 3])];
  const [since] = normalized("GroupNormalization", channels, { attributes, opset: 21 });
  assertEquals(since, tensor([1, 4, 1], [-1, 3, -1, 7]));
  const wrong = () =>
    evaluateAll("GroupNormalization", channels, { attributes: { num_groups: 3 } });
  assertThrows(wrong, RangeError, "its number of channels must be divisible by 3; got 4");
});

/** Two channels with a scale, a bias, a mean and a variance. */
const CHANNELS = [[2, 4], [0, 1], [1, 6], [1, 6]].map((values) => tensor([2], values));

Deno.test("BatchNormalization uses the given moments", () => {
  const [y, ...rest] = normalized("BatchNormalization", [PAIRS, ...CHANNELS], {
    attributes: EPSILON,
  });
  assertEquals(
    y,
    tensor([2, 2, 2], [
      -1,
      1,
      -0.333333333333,
      2.333333333333,
      -2,
      0,
      6.333333333333,
      6.333333333333,
    ]),
  );
  assertEquals(rest, []);
});

Deno.test("BatchNormalization in training uses moments of the batch, and updates the running ones", () => {
  const x = tensor([2, 2], [0, 5, 2, 7]);
  const attributes = { training_mode: 1, momentum: { float: 0.75 }, ...EPSILON };
  const made = normalized("BatchNormalization", [x, ...CHANNELS], { attributes });
  assertEquals(made, [
    tensor([2, 2], [-1, -1, 1, 3]),
    tensor([2], [1, 6]),
    tensor([2], [1, 4.75]),
  ]);
});

Deno.test("MeanVarianceNormalization normalizes each channel over images and positions", () => {
  const x = tensor([2, 2, 1, 1], [0, 10, 4, 30]);
  const [y] = evaluateAll("MeanVarianceNormalization", [x]);
  assertEquals(
    y,
    tensor([2, 2, 1, 1], [-2 / (2 + 1e-9), -10 / (10 + 1e-9), 2 / (2 + 1e-9), 10 / (10 + 1e-9)]),
  );
  const [rows] = normalized("MeanVarianceNormalization", [tensor([2, 2], [1, 3, 5, 5])], {
    attributes: { axes: [-1] },
  });
  assertEquals(rows, tensor([2, 2], [-0.999999999, 0.999999999, 0, 0]));
});

Deno.test("LpNormalization divides by the norm along an axis, and keeps zeros", () => {
  const x = tensor([2, 2], [3, -4, 0, 0]);
  assertEquals(normalized("LpNormalization", [x]), [tensor([2, 2], [0.6, -0.8, 0, 0])]);
  const sums = normalized("LpNormalization", [tensor([2, 2], [1, 2, -3, 6])], {
    attributes: { p: 1, axis: 0 },
  });
  assertEquals(sums, [tensor([2, 2], [0.25, 0.25, -0.75, 0.75])]);
});

Deno.test("LRN divides by the squares of nearby channels", () => {
  const attributes = { size: 3, alpha: { float: 3 }, beta: { float: 1 }, bias: { float: 0 } };
  const [y] = normalized("LRN", [tensor([1, 3, 1, 1], [1, 2, 3])], { attributes });
  assertEquals(y, tensor([1, 3, 1, 1], [0.2, 0.142857142857, 0.230769230769]));
});

Deno.test("BatchNormalization rejects inputs without one number per channel", () => {
  const [scale, bias, mean] = CHANNELS, three = tensor([3], [1, 1, 1]);
  const wrong = () => evaluateAll("BatchNormalization", [PAIRS, scale, bias, mean, three]);
  assertThrows(wrong, RangeError, "must have one number per channel; got [3]");
});
