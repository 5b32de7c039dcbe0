import { assertEquals, assertThrows } from "@std/assert";
import { assertNear, assertSameBits } from "../../src/testing/mod.ts";

Deno.test("numbers are near within a part of what they should be, or of the scale", () => {
  assertNear([100.9, -100.9], [100, -100], 0.01);
  assertThrows(() => assertNear([101.1], [100], 0.01), Error, "[0] is 101.1, not 100 ± 1");
  assertNear([0.009], [0], 0.01, 1);
  assertThrows(() => assertNear([0.011], [0], 0.01, 1), Error, "[0] is 0.011, not 0 ± 0.01");
  assertThrows(() => assertNear([1e-300], [0], 0.01), Error, "[0] is 1e-300, not 0 ± 0");
  assertNear([0], [-0], 0);
});

Deno.test("NaN is near nothing, and infinity only near itself", () => {
  for (const [is, must] of [[NaN, 1], [1, NaN], [NaN, NaN], [Infinity, 1], [1, Infinity]]) {
    assertThrows(() => assertNear([0, is!], [0, must!], 0.1), Error, `[1] is ${is}, not ${must}`);
  }
  assertThrows(() => assertNear([-Infinity], [Infinity], 0.1), Error, "[0] is -Infinity");
  assertThrows(() => assertNear([1], [1.1], NaN), Error);
  assertNear([Infinity], [Infinity], 0);
});

Deno.test("as many numbers must be there, and it is said where the first is wrong, and how many are", () => {
  assertThrows(() => assertNear([1, 2], [1], 0.1), Error, "There are 2 numbers, not 1");
  assertThrows(() => assertSameBits([], [1]), Error, "There are 0 numbers, not 1");
  const message = "[1] is 3, not 2 ± 0.2; so are 2 of 3";
  assertThrows(() => assertNear([1, 3, 4], [1, 2, 3], 0.1), Error, message);
});

Deno.test("bits of 0, -0 and NaN are compared, too", () => {
  assertSameBits([0.1, NaN, -0, Infinity], Float64Array.of(0.1, NaN, -0, Infinity));
  const { message } = assertThrows(() => assertSameBits([0], [-0]), Error);
  assertEquals(message, "[0] is 0, not -0, bitwise");
  assertThrows(() => assertSameBits([0.1 + 0.2], [0.3]), Error, "[0] is 0.30000000000000004");
});
