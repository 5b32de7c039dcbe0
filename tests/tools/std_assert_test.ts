// The stand-in for @std/assert against what @std documents. The judge is node:assert, because a stand-in that
// accepted everything would accept its own tests too.
import judge from "node:assert/strict";
import * as std from "../../tools/airgap/std_assert/mod.ts";

/** Runs `fn`, which must fail its assertion, and returns the message. */
function messageOf(fn: () => void): string {
  try {
    fn();
  } catch (error) {
    judge.ok(error instanceof std.AssertionError, `threw ${error}`);
    judge.equal(error.name, "AssertionError");
    return error.message;
  }
  judge.fail("the assertion held");
}

class Point {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}
class Vector {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}

const SAME: Array<[what: string, a: unknown, b: unknown]> = [
  ["NaN and NaN", NaN, NaN],
  ["0 and -0", { x: 0 }, { x: -0 }],
  ["sets in another order", new Set([1, new Set([2, 3])]), new Set([new Set([3, 2]), 1])],
  ["maps in another order", new Map([["a", 1], ["b", 2]]), new Map([["b", 2], ["a", 1]])],
  ["maps with objects as keys", new Map([[{ x: 1 }, true]]), new Map([[{ x: 1 }, true]])],
  ["sets that hold undefined", new Set([undefined, {}]), new Set([{}, undefined])],
  ["typed arrays with NaN", new Float64Array([1, NaN]), new Float64Array([1, NaN])],
  ["two invalid dates", new Date("no"), new Date("no")],
  ["equal regular expressions", /a+/g, /a+/g],
  ["equal addresses", new URL("https://example.test"), new URL("https://example.test")],
  ["an object without a prototype and a plain one", Object.assign(Object.create(null), { a: 1 }), {
    a: 1,
  }],
  ["equal symbol keys", { [Symbol.for("k")]: 1 }, { [Symbol.for("k")]: 1 }],
  ["instances of one class", new Point(1, 2), new Point(1, 2)],
  ["buffers with the same bytes", new Uint8Array([1, 2]).buffer, new Uint8Array([1, 2]).buffer],
];

const DIFFERENT: Array<[what: string, a: unknown, b: unknown]> = [
  ["5 and 6", 5, 6],
  ["a number and its text", 5, "5"],
  ["null and undefined", null, undefined],
  ["null and an object", null, {}],
  ["arrays in another order", [1, 2, 3], [1, 3, 2]],
  ["a list of holes and an empty one", new Array(3), []],
  ["arrays of other lengths", [1, 2, 3], [1, 2]],
  ["an array and an object with its indices", [1], { 0: 1 }],
  ["a missing property and an undefined one", { a: undefined }, {}],
  ["two undefined properties of other names", { a: undefined }, { b: undefined }],
  ["sets of one size", new Set([1, 2, 3]), new Set([1, 2, 4])],
  ["sets of other sizes", new Set([1, 2]), new Set([1, 2, 3])],
  ["maps with other values", new Map([[{ x: 1 }, 1]]), new Map([[{ x: 1 }, 2]])],
  ["maps with other keys", new Map([["a", 1]]), new Map([["b", 1]])],
  ["typed arrays with other values", new Uint8Array([1, 2]), new Uint8Array([2, 1])],
  ["typed arrays of other types", new Uint8Array([1]), new Int8Array([1])],
  ["a valid date and an invalid one", new Date(0), new Date("no")],
  ["two instants", new Date(0), new Date(1)],
  ["flags of a regular expression", /a/g, /a/i],
  ["instances of two classes", new Point(1, 2), new Vector(1, 2)],
  ["an instance and a plain object", new Point(1, 2), { x: 1, y: 2 }],
  ["fresh symbols of one name", { [Symbol("k")]: 1 }, { [Symbol("k")]: 1 }],
  ["buffers with other bytes", new Uint8Array([1, 2]).buffer, new Uint8Array([1, 3]).buffer],
  ["two functions", () => 1, () => 1],
];

Deno.test("equal() takes as the same", async (t) => {
  for (const [what, a, b] of SAME) {
    await t.step(what, () => {
      judge.equal(std.equal(a, b), true);
      judge.equal(std.equal(b, a), true);
    });
  }
});

Deno.test("equal() tells apart", async (t) => {
  for (const [what, a, b] of DIFFERENT) {
    await t.step(what, () => {
      judge.equal(std.equal(a, b), false);
      judge.equal(std.equal(b, a), false);
    });
  }
});

Deno.test("equal() ends on cycles and still tells them apart", () => {
  const ring = (value: number) => {
    const object: { value: number; self?: unknown } = { value };
    object.self = { back: object };
    return object;
  };
  judge.equal(std.equal(ring(1), ring(1)), true);
  judge.equal(std.equal(ring(1), ring(2)), false);
  const map = () => {
    const self = new Map<string, unknown>();
    return self.set("self", self);
  };
  judge.equal(std.equal(map(), map()), true);
});

Deno.test("equal() forgets what a search through a set only tried", () => {
  const [a1, a2, b1, b2] = [{ n: 1 }, { n: 2 }, { n: 1 }, { n: 2 }];
  judge.equal(std.equal([new Set([a1, a2]), a1], [new Set([b2, b1]), b2]), false);
  judge.equal(std.equal([new Set([a1, a2]), a1], [new Set([b2, b1]), b1]), true);
});

Deno.test("equal() refuses weak collections, whose entries cannot be listed", () => {
  judge.throws(() => std.equal(new WeakSet(), new WeakSet()), TypeError);
  judge.equal(std.equal(new WeakMap(), new WeakSet()), false);
});

Deno.test("assertEquals() shows both values, the lines that differ, and the note", () => {
  std.assertEquals({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] });
  const message = messageOf(() =>
    std.assertEquals({ a: 1, b: [2] }, { a: 1, b: [3] }, "after drift")
  );
  judge.match(message, /^Values are not equal: after drift/);
  judge.match(message, /^-.*b: \[ 2 \]/m);
  judge.match(message, /^\+.*b: \[ 3 \]/m);
  judge.match(messageOf(() => std.assertEquals(1, 2)), /^Values are not equal\.\n/);
});

Deno.test("assertNotEquals() fails on deeply equal values", () => {
  std.assertNotEquals([1], [2]);
  judge.match(messageOf(() => std.assertNotEquals([1], [1])), /^Expected actual: .* not to be: /);
});

Deno.test("assertStrictEquals() compares as Object.is does", () => {
  const list = [1];
  std.assertStrictEquals(list, list);
  std.assertStrictEquals(NaN, NaN);
  judge.match(messageOf(() => std.assertStrictEquals([1], list)), /not reference-equal/);
  judge.match(messageOf(() => std.assertStrictEquals(0, -0)), /not strictly equal/);
});

Deno.test("assertAlmostEquals() allows a ten-millionth of the expected value, or the given tolerance", () => {
  std.assertAlmostEquals(1e10 + 100, 1e10);
  std.assertAlmostEquals(1.05, 1, 0.1);
  std.assertAlmostEquals(-Infinity, -Infinity);
  std.assertAlmostEquals(NaN, NaN);
  messageOf(() => std.assertAlmostEquals(1e10 + 10_000, 1e10));
  messageOf(() => std.assertAlmostEquals(NaN, 0, 1));
  messageOf(() => std.assertAlmostEquals(0, NaN, 1));
  messageOf(() => std.assertAlmostEquals(1, Infinity));
  judge.match(
    messageOf(() => std.assertAlmostEquals(1.5, 1, 0.1)),
    /delta "0.5" is greater than "0.1"/,
  );
});

Deno.test("assert() and assertFalse() go by truthiness", () => {
  std.assert("x");
  std.assertFalse(0);
  judge.equal(messageOf(() => std.assert(NaN, "no number")), "no number");
  judge.equal(messageOf(() => std.assert(0)), "");
  messageOf(() => std.assertFalse([]));
});

Deno.test("assertExists() refuses null and undefined only", () => {
  for (const value of [0, "", false, NaN]) std.assertExists(value);
  judge.match(messageOf(() => std.assertExists(null)), /"null" to not be null or undefined/);
  messageOf(() => std.assertExists(undefined));
});

Deno.test("assertInstanceOf() names both classes", () => {
  std.assertInstanceOf(new TypeError(), Error);
  judge.equal(
    messageOf(() => std.assertInstanceOf(new Point(1, 2), Vector)),
    'Expected object to be an instance of "Vector" but was "Point".',
  );
  judge.match(messageOf(() => std.assertInstanceOf(5, Vector)), /but was "number"/);
});

Deno.test("the comparisons hold at their edges and not beyond", () => {
  std.assertGreater(2, 1);
  std.assertGreaterOrEqual(1, 1);
  std.assertLess("a", "b");
  std.assertLessOrEqual(new Date(1), new Date(1));
  judge.equal(messageOf(() => std.assertGreater(1, 1)), "Expect 1 > 1");
  judge.equal(messageOf(() => std.assertGreaterOrEqual(0, 1)), "Expect 0 >= 1");
  judge.equal(messageOf(() => std.assertLess(1, 1)), "Expect 1 < 1");
  judge.equal(messageOf(() => std.assertLessOrEqual(2, 1)), "Expect 2 <= 1");
  messageOf(() => std.assertLess(NaN, 1));
});

Deno.test("assertMatch() and assertStringIncludes() quote what they looked for", () => {
  std.assertMatch("step 12", /\d+$/);
  std.assertStringIncludes("step 12", "12");
  judge.equal(
    messageOf(() => std.assertMatch("abc", /x/)),
    'Expected actual: "abc" to match: "/x/".',
  );
  judge.equal(
    messageOf(() => std.assertStringIncludes("abc", "x")),
    'Expected actual: "abc" to contain: "x".',
  );
});

Deno.test("assertArrayIncludes() compares deeply, in any order, and lists what is missing", () => {
  std.assertArrayIncludes([{ a: 1 }, { b: 2 }], [{ b: 2 }, { a: 1 }]);
  judge.match(
    messageOf(() => std.assertArrayIncludes([1, 2], [2, 3])),
    /missing: \[\s*3,?\s*\]/,
  );
});

Deno.test("assertObjectMatch() looks only at what is expected, at every depth", () => {
  std.assertObjectMatch({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } });
  std.assertObjectMatch(new Point(1, 2), { x: 1 });
  std.assertObjectMatch({ list: [{ a: 1, b: 2 }] }, { list: [{ a: 1 }] });
  messageOf(() => std.assertObjectMatch({ a: 1 }, { a: 2 }));
  messageOf(() => std.assertObjectMatch({ a: 1 }, { b: undefined }));
  messageOf(() => std.assertObjectMatch({ list: [1, 2] }, { list: [1] }));
  messageOf(() => std.assertObjectMatch({ b: { c: 2 } }, { b: { c: 3 } }));
});

Deno.test("assertThrows() returns the error and checks its class and message", () => {
  const error = new RangeError("Cannot run 3 steps");
  judge.equal(std.assertThrows(() => raise(error)), error);
  judge.equal(std.assertThrows(() => raise(error), RangeError, "3 steps"), error);
  judge.equal(std.assertThrows(() => raise("a string")), "a string");
  judge.match(
    messageOf(() => std.assertThrows(() => {}, "note")),
    /^Expected function to throw: note$/,
  );
  judge.equal(
    messageOf(() => std.assertThrows(() => raise(error), TypeError)),
    'Expected error to be instance of "TypeError", but was "RangeError".',
  );
  judge.equal(
    messageOf(() => std.assertThrows(() => raise(error), Error, "4 steps")),
    'Expected error message to include "4 steps", but got "Cannot run 3 steps".',
  );
  judge.match(messageOf(() => std.assertThrows(() => raise("a string"), Error)), /non-Error/);
});

Deno.test("assertRejects() wants a rejection, not a throw", async () => {
  const error = new TypeError("no such stage");
  const rejected = (fn: () => PromiseLike<unknown>, ...rest: [] | [typeof TypeError, string]) =>
    rest.length === 0 ? std.assertRejects(fn) : std.assertRejects(fn, ...rest);
  judge.equal(await rejected(() => Promise.reject(error)), error);
  judge.equal(await rejected(() => Promise.reject(error), TypeError, "stage"), error);
  await judge.rejects(() => rejected(() => Promise.resolve(1)), /Expected function to reject/);
  await judge.rejects(() => rejected(() => raise(error)), /throws when expected to reject/);
  await judge.rejects(
    () => rejected(() => Promise.reject(error), TypeError, "kind"),
    /to include "kind", but got "no such stage"/,
  );
  await judge.rejects(
    () => std.assertRejects(() => Promise.reject(error), RangeError),
    /instance of "RangeError", but was "TypeError"/,
  );
});

Deno.test("fail() and unreachable() always fail", () => {
  judge.equal(messageOf(() => std.fail()), "Failed assertion.");
  judge.equal(messageOf(() => std.fail("why")), "Failed assertion: why");
  judge.equal(messageOf(() => std.unreachable()), "Unreachable.");
});

Deno.test("assertions narrow types as the originals do", () => {
  const value: unknown = "text";
  std.assert(typeof value === "string");
  judge.equal(value.length, 4);
  const error: unknown = new RangeError("r");
  std.assertInstanceOf(error, RangeError);
  judge.equal(error.message, "r");
  const maybe: number | undefined = [1].at(0);
  std.assertExists(maybe);
  judge.equal(maybe.toFixed(1), "1.0");
});

function raise(error: unknown): never {
  throw error;
}
