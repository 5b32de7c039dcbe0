import { assertEquals, assertThrows } from "@std/assert";
import { outputOf, tensor } from "./one_node.ts";

/** 1 … n in a tensor of these lengths. */
function counted(dims: readonly number[]) {
  return tensor(dims, Array.from({ length: dims.reduce((p, n) => p * n, 1) }, (_, i) => i + 1));
}

const LINE = counted([1, 1, 5]), PAIR = tensor([1, 1, 2], [1, 10]);

Deno.test("Conv does not reverse its weights", () => {
  assertEquals(outputOf("Conv", [LINE, PAIR]), tensor([1, 1, 4], [21, 32, 43, 54]));
  const wide = { attributes: { strides: [2], dilations: [2], pads: [1, 1] } };
  assertEquals(outputOf("Conv", [LINE, PAIR], wide), tensor([1, 1, 3], [20, 42, 4]));
});

Deno.test("auto_pad adds the odd element at the end for SAME_UPPER and at the start for SAME_LOWER", () => {
  const padded = (auto_pad: string) => outputOf("Conv", [LINE, PAIR], { attributes: { auto_pad } });
  assertEquals(padded("SAME_UPPER"), tensor([1, 1, 5], [21, 32, 43, 54, 5]));
  assertEquals(padded("SAME_LOWER"), tensor([1, 1, 5], [10, 21, 32, 43, 54]));
  assertEquals(padded("VALID"), tensor([1, 1, 4], [21, 32, 43, 54]));
});

Deno.test("Conv sums over the channels of its group, and adds a bias", () => {
  const x = counted([1, 4, 2]),
    ones = (channels: number) =>
      tensor([2, channels, 1], [1, 1, 1, 1, 10, 10, 10, 10].slice(4 - channels, 4 + channels));
  const bias = tensor([2], [0.5, -0.5]);
  const whole = outputOf("Conv", [x, ones(4), bias]);
  assertEquals(whole, tensor([1, 2, 2], [16.5, 20.5, 159.5, 199.5]));
  const parted = outputOf("Conv", [x, ones(2), bias], { attributes: { group: 2 } });
  assertEquals(parted, tensor([1, 2, 2], [4.5, 6.5, 119.5, 139.5]));
});

Deno.test("Conv works on images with two and three axes", () => {
  const square = outputOf("Conv", [
    counted([2, 1, 2, 2]),
    tensor([1, 1, 2, 2], [1, 10, 100, 1000]),
  ]);
  assertEquals(square, tensor([2, 1, 1, 1], [4321, 8765]));
  const padded = outputOf(
    "Conv",
    [counted([1, 1, 2, 2]), tensor([1, 1, 2, 2], [1, 10, 100, 1000])],
    {
      attributes: { pads: [1, 0, 0, 0] },
    },
  );
  assertEquals(padded, tensor([1, 1, 2, 1], [2100, 4321]));
  const cube = outputOf("Conv", [
    counted([1, 1, 2, 2, 2]),
    tensor([1, 1, 2, 1, 2], [1, 10, 100, 1000]),
  ]);
  assertEquals(cube, tensor([1, 1, 1, 2, 1], [6521, 8743]));
});

Deno.test("Conv of an image smaller than the window is empty", () => {
  const none = outputOf("Conv", [counted([1, 1, 1]), PAIR]);
  assertEquals(none, tensor([1, 1, 0], []));
});

Deno.test("Conv rejects weights for another number of channels", () => {
  const wrong = () => outputOf("Conv", [LINE, tensor([1, 2, 1], [1, 1])]);
  assertThrows(wrong, RangeError, "its weights must fit the image with 1 groups");
});

Deno.test("ConvTranspose spreads each element over the window", () => {
  const x = tensor([1, 1, 2], [1, 2]);
  assertEquals(outputOf("ConvTranspose", [x, PAIR]), tensor([1, 1, 3], [1, 12, 20]));
  const apart = { attributes: { strides: [3], output_padding: [1] } };
  assertEquals(
    outputOf("ConvTranspose", [x, PAIR], apart),
    tensor([1, 1, 6], [1, 10, 0, 2, 20, 0]),
  );
  const cut = { attributes: { strides: [2], dilations: [2], pads: [1, 0] } };
  assertEquals(outputOf("ConvTranspose", [x, PAIR], cut), tensor([1, 1, 4], [0, 12, 0, 20]));
});

Deno.test("ConvTranspose produces the requested output_shape", () => {
  const x = tensor([1, 1, 2], [1, 2]);
  const made = (attributes: Record<string, string | number[]>) =>
    outputOf("ConvTranspose", [x, PAIR], { attributes: { strides: [1], ...attributes } });
  assertEquals(made({ output_shape: [2] }), tensor([1, 1, 2], [12, 20]));
  assertEquals(made({ output_shape: [2], auto_pad: "SAME_UPPER" }), tensor([1, 1, 2], [1, 12]));
  assertEquals(made({ auto_pad: "SAME_LOWER" }), tensor([1, 1, 2], [12, 20]));
});

Deno.test("ConvTranspose is the adjoint of Conv: ⟨conv x, y⟩ = ⟨x, convᵀ y⟩", () => {
  const attributes = { group: 2, strides: [2, 1], dilations: [1, 2], pads: [1, 0, 0, 2] };
  const wave = (dims: number[], f: number) => {
    const { data } = counted(dims);
    return tensor(dims, data.map((i) => Math.sin(f * i)));
  };
  const weights = wave([4, 3, 2, 2], 1.3), x = wave([2, 6, 4, 5], 0.7);
  const forward = outputOf("Conv", [x, weights], { attributes });
  const y = wave([...forward.dims], 0.3);
  const back = outputOf("ConvTranspose", [y, weights], { attributes });
  const dot = (a: Float64Array, b: Float64Array) =>
    a.reduce((sum, each, i) => sum + each * b[i]!, 0);
  // The last row of x is under no window, so that it does not come back.
  assertEquals(back.dims, [2, 6, 3, 5]);
  const covered = x.data.filter((_, i) => Math.floor(i / 5) % 4 < 3);
  const difference = dot(forward.data, y.data) - dot(covered, back.data);
  assertEquals(Math.abs(difference) < 1e-12, true, `${difference}`);
});
