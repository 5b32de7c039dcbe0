import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { atomColors, formulaOf, scaleOf, valuesOf } from "../../../src/page/viewer/color_by.ts";
import { colorMapOf } from "../../../src/page/viewer/color_map.ts";
import type { ViewerFrame } from "../../../src/page/protocol.ts";

const FRAME: ViewerFrame = {
  numbers: Uint8Array.of(8, 1, 1),
  positions: new Float32Array(9),
  fields: {
    forces: Float32Array.of(3, 0, 4, 0, 0, 0, 0, -1, 0),
    charges: Float32Array.of(-0.8, 0.4, NaN),
  },
};

/** Lightness of a color in CIELAB, from 0 to 100. */
function lightness([red, green, blue]: readonly number[]): number {
  const linear = [red!, green!, blue!].map((byte) => {
    const x = byte / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  const y = 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

Deno.test("the color map becomes lighter evenly, so that equal steps look equal in gray, too", () => {
  const map = colorMapOf(false);
  const values = Array.from({ length: 11 }, (_, i) => lightness(map(i / 10)));
  const steps = values.slice(1).map((value, i) => value - values[i]!);
  const mean = (values[10]! - values[0]!) / 10;
  for (const step of steps) assert(step > 0.6 * mean && step < 1.4 * mean, steps.join());
  assert(values[10]! - values[0]! > 55);
});

Deno.test("values on both sides of zero have two hues that are equally light", () => {
  const map = colorMapOf(true);
  const [low, middle, high] = [map(0), map(0.5), map(1)];
  assert(low[2] > low[0] && high[0] > high[2]);
  assertAlmostEquals(lightness(low), lightness(high), 6);
  assert(lightness(middle) > 88);
});

Deno.test("a scale covers lengths of vectors from zero, values of both signs evenly, and earlier frames", () => {
  assertEquals([...valuesOf(FRAME, "forces")!], [5, 0, 1]);
  assertEquals(scaleOf(FRAME, "forces", undefined), {
    field: "forces",
    unit: "eV/Å",
    least: 0,
    most: 5,
    isDiverging: false,
    isLength: true,
  });
  const charges = scaleOf(FRAME, "charges", undefined)!;
  assertAlmostEquals(charges.least, -0.8, 1e-6);
  assertAlmostEquals(charges.most, 0.8, 1e-6);
  const later = { ...FRAME, fields: { forces: Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0) } };
  assertEquals(scaleOf(later, "forces", scaleOf(FRAME, "forces", undefined))!.most, 5);
  assertEquals(scaleOf(FRAME, "spins", undefined), undefined);
});

Deno.test("atoms have the colors of their elements, or those of the map, and gray without a value", () => {
  const byElement = atomColors(FRAME, undefined);
  assertEquals([...byElement.subarray(0, 3)], [224, 53, 43]);
  const byCharge = atomColors(FRAME, scaleOf(FRAME, "charges", undefined));
  assertEquals([...byCharge.subarray(0, 3)], [...colorMapOf(true)(0)]);
  assertEquals([...byCharge.subarray(6)], [128, 128, 128]);
});

Deno.test("formulas list carbon and hydrogen first", () => {
  assertEquals(formulaOf({ numbers: Uint8Array.of(8, 1, 6, 1, 1, 1) }), "CH4O");
  assertEquals(formulaOf({ numbers: Uint8Array.of(17, 11, 119) }), "ClNaX");
});
