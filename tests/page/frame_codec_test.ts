import { assertEquals, assertThrows } from "@std/assert";
import { decodeFrame, encodeFrame } from "../../src/page/frame_codec.ts";
import type { ViewerFrame } from "../../src/page/protocol.ts";

const WATER: ViewerFrame = {
  step: 12,
  label: "Wasser, größer",
  numbers: Uint8Array.of(8, 1, 1),
  positions: Float32Array.of(0, 0, 0, 0.96, 0, 0, -0.24, 0.93, 0),
  cell: Float32Array.of(10, 0, 0, 0, 11, 0, 0, 0, 12),
  pbc: [true, true, false],
  fields: { charges: Float32Array.of(-0.8, 0.4, 0.4), forces: new Float32Array(9).fill(0.5) },
};

Deno.test("a frame has the same values after it was encoded", () => {
  assertEquals(decodeFrame(encodeFrame(WATER)), WATER);
  const part = { ...WATER, further: ["masses"] };
  assertEquals(decodeFrame(encodeFrame(part)), part);
  const { numbers, positions } = WATER;
  assertEquals(decodeFrame(encodeFrame({ numbers, positions })), {
    numbers,
    positions,
    fields: {},
  });
});

Deno.test("bytes that are cut, longer or of something else are an error", () => {
  const bytes = encodeFrame(WATER);
  for (const length of [0, 3, 4, 20, bytes.length - 1]) {
    assertThrows(() => decodeFrame(bytes.slice(0, length)), SyntaxError, "Cannot read a frame");
  }
  assertThrows(() => decodeFrame(Uint8Array.of(...bytes, 0)), SyntaxError, "do not match");
  const damaged = bytes.slice();
  damaged[5] = 0;
  assertThrows(() => decodeFrame(damaged), SyntaxError, "header is damaged");
});
