import type { Attributes } from "../../../src/onnx/mod.ts";
import { few } from "../../suite.ts";
import { checkSlopes } from "./check_slopes.ts";
import { assertOnRuntime } from "./on_runtime.ts";

type Dims = readonly number[];
type Case = readonly [image: Dims, weights: Dims, attributes: Attributes, bias?: Dims];

const CONVOLUTIONS: readonly Case[] = [
  [[2, 3, 5], [4, 3, 2], {}, [4]],
  [[2, 2, 6], [3, 2, 3], { strides: [2], pads: [1, 0] }],
  [[1, 2, 7], [2, 2, 2], { strides: [3], dilations: [2], pads: [0, 1] }, [2]],
  [[1, 1, 8], [1, 1, 3], { strides: [3] }],
  [[2, 2, 4, 5], [3, 2, 2, 3], { pads: [1, 0, 1, 2] }, [3]],
  [[1, 2, 5, 6], [2, 2, 2, 2], { strides: [2, 3], dilations: [2, 1] }],
  [[2, 4, 3, 3], [6, 2, 2, 2], { group: 2 }, [6]],
  [[2, 3, 4, 4], [3, 1, 2, 2], { group: 3, strides: [2, 1], pads: [0, 1, 1, 0] }],
  [[1, 4, 5], [4, 2, 2], { group: 2, dilations: [2], strides: [2] }],
  [[2, 2, 5], [6, 1, 2], { group: 2, strides: [2] }],
  [[1, 2, 3, 3, 3], [2, 2, 2, 2, 2], { strides: [1, 2, 1] }],
  [[1, 1, 1], [1, 1, 1], {}],
];

const SAME: readonly Case[] = ["SAME_UPPER", "SAME_LOWER", "VALID"].flatMap((pad): Case[] => [
  [[1, 2, 5, 4], [2, 2, 2, 3], { auto_pad: pad }],
  [[1, 2, 5, 4], [2, 2, 2, 1], { auto_pad: pad, strides: [2, 3] }],
]);

const TRANSPOSED: readonly Case[] = [
  [[2, 3, 4], [3, 2, 3], {}, [2]],
  [[1, 2, 3], [2, 2, 2], { strides: [3], output_padding: [2], pads: [1, 0] }],
  [[2, 2, 3, 2], [2, 3, 2, 3], { strides: [2, 1], dilations: [1, 2], pads: [0, 1, 1, 1] }, [3]],
  [[2, 4, 3, 3], [4, 3, 2, 2], { group: 2, strides: [2, 2], output_padding: [1, 0] }],
  [[1, 2, 2, 2, 2], [2, 1, 2, 2, 2], { strides: [1, 2, 1] }],
];

/** Lengths of weights are numbers where groups are. */
function caseOf(op: string, [image, weights, attributes, bias]: Case) {
  const isGrouped = "group" in attributes;
  const shape = isGrouped ? ["N", image[1]!, ...image.slice(2).map((_, i) => `L${i}`)] : undefined;
  return {
    op,
    attributes,
    inputs: [
      { dims: image, ...shape === undefined ? {} : { shape } },
      { dims: weights, ...isGrouped ? { shape: weights } : {} },
      ...bias === undefined ? [] : [{ dims: bias }],
    ],
  };
}

Deno.test("first and second derivatives of Conv agree with finite differences", () => {
  for (const each of CONVOLUTIONS) checkSlopes(caseOf("Conv", each));
});

Deno.test("the gradient of Conv with auto_pad agrees with finite differences", () => {
  for (const [image, weights, attributes] of SAME) {
    const kernel_shape = weights.slice(2);
    checkSlopes({
      op: "Conv",
      attributes: { ...attributes, kernel_shape },
      inputs: [{ dims: image }, { dims: weights }],
    });
  }
});

Deno.test("first and second derivatives of ConvTranspose agree with finite differences", () => {
  for (const each of TRANSPOSED) checkSlopes(caseOf("ConvTranspose", each));
});

Deno.test("Conv of an empty batch has a gradient", () => {
  checkSlopes(caseOf("Conv", [[0, 3, 5], [4, 3, 2], {}, [4]]));
});

Deno.test("onnxruntime runs the gradients of Conv and ConvTranspose", async () => {
  const all = [...CONVOLUTIONS, ...SAME];
  for (const [i, [image, weights, attributes, bias]] of all.entries()) {
    const inputs = [image, weights, ...bias === undefined ? [] : [bias]];
    for (const isFree of few([i % 2 === 0], [true, false])) {
      const kernel_shape = weights.slice(2);
      await assertOnRuntime(
        { op: "Conv", attributes: { ...attributes, kernel_shape }, inputs },
        isFree,
      );
    }
  }
  for (const [image, weights, attributes, bias] of TRANSPOSED) {
    const inputs = [image, weights, ...bias === undefined ? [] : [bias]];
    await assertOnRuntime({ op: "ConvTranspose", attributes, inputs }, false);
  }
});
