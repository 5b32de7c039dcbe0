/** Lengths as polynomials in names: one text for each. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  addLengths,
  broadcastLengths,
  divideLengths,
  floorDivideLengths,
  isNotNegative,
  type KnownLength,
  lengthAt,
  maxLength,
  minLength,
  multiplyLengths,
  namesIn,
  productOf,
  readFileLength,
  subtractLengths,
} from "../../../src/onnx/infer/length.ts";

Deno.test("lengths in files are parsed to one canonical text per polynomial", () => {
  const texts: readonly (readonly [string, KnownLength])[] = [
    ["4*N", "4*N"],
    ["N*4", "4*N"],
    ["2*N + 2*N", "4*N"],
    ["s77", "s77"],
    ["s1+s0", "s0 + s1"],
    ["s0 - 1", "s0 - 1"],
    ["10 - N", "10 - N"],
    ["-N + 10", "10 - N"],
    ["s0**2", "s0*s0"],
    ["(a + b)*(a - b)", "a*a - b*b"],
    ["N - N", 0],
    ["12", 12],
    ["3*4", 12],
    ["(((N)))", "N"],
  ];
  for (const [text, length] of texts) assertEquals(readFileLength(text), length, text);
});

Deno.test("inexact divisions and texts that are not formulas become names", () => {
  assertEquals(readFileLength("s0//2"), "(s0//2)");
  assertEquals(readFileLength("(s0//2)"), "(s0//2)");
  assertEquals(readFileLength("(4*s0)//2"), "2*s0");
  assertEquals(readFileLength("3*((s0 + 1)//2)"), "3*((s0 + 1)//2)");
  assertEquals(readFileLength("Max(u0, 1)"), readFileLength("Max(1, u0)"));
  for (const name of ["batch size", "seq-len", "unk__0", "a)", "((", "2 +", "N N", "Größe"]) {
    assertEquals(readFileLength(name), name);
  }
  const twice = addLengths("batch size", "batch size");
  assertEquals(twice, "2*(batch size)");
  assertEquals(multiplyLengths(twice, 2), "4*(batch size)");
  assertEquals(divideLengths(twice, 2), "batch size");
  assertEquals(readFileLength(`${twice}`), twice);
});

Deno.test("very long texts and large powers are handled", () => {
  const deep = "(".repeat(100_000) + "N" + ")".repeat(100_000);
  assert(readFileLength(deep) === deep);
  assertEquals(readFileLength("N**999999"), "N**999999");
  const wide = Array.from({ length: 14 }, (_, i) => `(a${i} + b${i})`).join("*");
  assertEquals(readFileLength(wide), wide);
  let length: KnownLength = 1;
  for (let i = 0; i < 12; i++) length = multiplyLengths(length, `a${i} + b${i}`);
  assert(`${length}`.length < 2000, `${length}`);
});

Deno.test("sums, differences and products have a canonical text", () => {
  assertEquals(addLengths("N", "N"), "2*N");
  assertEquals(addLengths(3, addLengths("N", -3)), "N");
  assertEquals(subtractLengths("4*N", "N"), "3*N");
  assertEquals(subtractLengths("N + 1", "N"), 1);
  assertEquals(subtractLengths(0, "N"), "-N");
  assertEquals(productOf(["E", 4, "N", 2]), "8*E*N");
  assertEquals(productOf([]), 1);
  assertEquals(multiplyLengths("N", 0), 0);
});

Deno.test("cached results of different operations are kept apart", () => {
  assertEquals(multiplyLengths(7, "N - 1"), "7*N - 7");
  assertEquals(readFileLength("7*N - 1"), "7*N - 1");
  assertEquals(subtractLengths("7*N", 1), "7*N - 1");
});

Deno.test("divideLengths() returns only exact quotients", () => {
  assertEquals(divideLengths("48*N", 16), "3*N");
  assertEquals(divideLengths("48*N", "N"), 48);
  assertEquals(divideLengths("N*M + N", "N"), "M + 1");
  assertEquals(divideLengths("a*a - b*b", "a + b"), "a - b");
  assertEquals(divideLengths(0, "N"), 0);
  assertEquals(divideLengths("N", 2), undefined);
  assertEquals(divideLengths("N", "M"), undefined);
  assertEquals(divideLengths("N + 1", "N"), undefined);
  assertEquals(divideLengths(7, 2), undefined);
  assertEquals(divideLengths("N", 0), undefined);
  assertEquals(floorDivideLengths("N + 1", 2), "((N + 1)//2)");
  assertEquals(floorDivideLengths("6*N", 2), "3*N");
  assertEquals(floorDivideLengths("2*N + 1", 2), "N");
  assertEquals(floorDivideLengths("5*N + 7", 2), "((N + 1)//2) + 2*N + 3");
  assertEquals(readFileLength("((s0 - 1)//2) + 1"), readFileLength("(s0 + 1)//2"));
  assertEquals(floorDivideLengths("N", "M"), "(N//M)");
  assertEquals(floorDivideLengths(-3, 2), -2);
  assertEquals(floorDivideLengths("N", 0), undefined);
});

Deno.test("maxLength() and minLength() use that names are not negative", () => {
  assertEquals(maxLength(0, "N"), "N");
  assertEquals(maxLength("N + 1", "N"), "N + 1");
  assertEquals(minLength("N", "3*N"), "N");
  assertEquals(maxLength(0, "N - 1"), "Max(0, N - 1)");
  assertEquals(minLength(5, "N"), "Min(5, N)");
  assertEquals(maxLength(3, 7), 7);
  assertEquals(isNotNegative("Max(0, N - 1) + N"), true);
  assertEquals(isNotNegative("Min(5, N - 1)"), false);
  assertEquals(isNotNegative("?1"), true); // a length
  assertEquals(isNotNegative("?x1"), false); // may stand for any number
});

Deno.test("two lengths broadcast to a number other than 1, to their common name, or to undefined", () => {
  assertEquals(broadcastLengths("N", 1), "N");
  assertEquals(broadcastLengths(1, "N"), "N");
  assertEquals(broadcastLengths("N", "N"), "N");
  assertEquals(broadcastLengths("N", 3), 3);
  assertEquals(broadcastLengths(0, "N"), 0);
  assertEquals(broadcastLengths("N", "M"), undefined);
  assertEquals(broadcastLengths(2, 3), undefined);
});

Deno.test("lengthAt() evaluates a length", () => {
  assertEquals(lengthAt("3*((N + 1)//2) + Max(0, N - 7)", { N: 9 }), 17);
  assertEquals(lengthAt("Min(2*N, M)", { N: 9, M: 20 }), 18);
  assertEquals(lengthAt(4, {}), 4);
  assertEquals(lengthAt("N*M", { N: 2 }), NaN);
  assertEquals(namesIn("3*((N + 1)//2) + Max(0, M)").toSorted(), ["M", "N"]);
});

/** A length of the names a, b and c, with what it is to be where these are 2, 3 and 5. */
const NAMES = { a: 2, b: 3, c: 5 };
const lengths: fc.Arbitrary<KnownLength> = fc.letrec<{ any: KnownLength }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<KnownLength>("a", "b", "c"),
    fc.integer({ min: 0, max: 9 }),
    fc.tuple(
      fc.constantFrom(addLengths, subtractLengths, multiplyLengths, minLength, maxLength),
      tie("any"),
      tie("any"),
    ).map(([combine, x, y]) => combine(x, y)),
  ),
})).any;

Deno.test("arithmetic on lengths agrees with their values, and texts are parsed back", () => {
  const at = (length: KnownLength) => lengthAt(length, NAMES);
  fc.assert(fc.property(lengths, lengths, (x, y) => {
    assertEquals(at(addLengths(x, y)), at(x) + at(y));
    assertEquals(at(subtractLengths(x, y)), at(x) - at(y));
    assertEquals(at(multiplyLengths(x, y)), at(x) * at(y));
    assertEquals(at(minLength(x, y)), Math.min(at(x), at(y)));
    assertEquals(at(maxLength(x, y)), Math.max(at(x), at(y)));
    assertEquals(addLengths(x, y), addLengths(y, x));
    assertEquals(subtractLengths(addLengths(x, y), y), x);
    const quotient = divideLengths(multiplyLengths(x, y), y);
    if (y !== 0) assertEquals(quotient, x);
    if (typeof x === "string") assertEquals(readFileLength(x), x);
    if (at(y) > 0) assertEquals(at(floorDivideLengths(x, y)!), Math.floor(at(x) / at(y)));
  }));
});
