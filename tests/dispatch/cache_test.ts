// What an overload set remembers: never a wrong handler, no more than it says, nothing at the call.
import { assertEquals, assertThrows } from "@std/assert";
import { any, defineOverload, NoOverloadError } from "@hooke/hooke/dispatch";
import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { callable, Memory } from "../../src/dispatch/cache.ts";
import { makeRow } from "../../src/dispatch/rows.ts";

type Untyped = (...args: unknown[]) => unknown;

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

class A {}
class B extends A {}

/** Bytes that are still held after `body`. */
function heldBy(body: () => void): number {
  gc();
  const before = Deno.memoryUsage().heapUsed;
  body();
  gc();
  return Deno.memoryUsage().heapUsed - before;
}

/** The callable of a set that takes anything, and how often it had to search. */
function counted(names: readonly string[] = []): { f: Untyped; searches: () => number } {
  let searches = 0;
  const literals = names.map((value) => ({ type: "literal", value } as const));
  const f = callable([makeRow(literals, () => {})], () => {
    searches++;
    return (...args: unknown[]) => args;
  });
  return { f, searches: () => searches };
}

Deno.test("calls that no row takes leave nothing behind", () => {
  const f = defineOverload().on(["x", "y"], () => 1).on(
    ["x", "y", "z"],
    () => 2,
  ) as unknown as Untyped;
  for (const rest of [["y"], ["y", "z"]]) {
    const held = heldBy(() => {
      for (let i = 0; i < 10_000; i++) {
        assertThrows(() => f(`stage ${i}`, ...rest), NoOverloadError);
      }
    });
    assertEquals(held < 1e6, true, `${held} bytes`);
  }
});

Deno.test("a combination is searched for once, up to 1024 maps and handlers in all", () => {
  const { f, searches } = counted(["x", "y", "z"]);
  for (const args of [["a", "b"], ["a", "b", "c"], ["a"], []]) {
    const before = searches();
    for (let i = 0; i < 5; i++) assertEquals(f(...args), args);
    assertEquals(searches(), before + 1, `${args.length} arguments`);
  }
  const before = searches();
  for (let round = 0; round < 3; round++) for (let i = 0; i < 100; i++) f(`s${i}`, "b");
  assertEquals(searches(), before + 100);
  for (let i = 0; i < 2000; i++) f(`t${i}`, "b");
  f("s0", "b");
  assertEquals(searches(), before + 2101, "s0 was forgotten on the way");
});

Deno.test("more arguments than any row has are not remembered, only handed on", () => {
  const { f, searches } = counted(["x"]);
  for (let i = 0; i < 3; i++) assertEquals(f(1, 2, 3, 4, 5, 6), [1, 2, 3, 4, 5, 6]);
  assertEquals(searches(), 3);
});

Deno.test("a memory counts maps as well as handlers, and forgets all rather than hold more than 1024", () => {
  const memory = new Memory(), handler = () => {};
  memory.remember([2, "a", "b"], handler);
  assertEquals(memory.nodes, 3); // the map of pairs, that of "a", the handler
  memory.remember([2, "a", "c"], handler);
  assertEquals(memory.nodes, 4);
  for (let i = 0; i < 500; i++) memory.remember([3, `a${i}`, `b${i}`, `c${i}`], handler);
  assertEquals(memory.pair("a", "b"), undefined);
  let most = 0;
  for (let i = 0; i < 5000; i++) {
    memory.remember([3, `a${i}`, `b${i}`, `c${i}`], handler);
    memory.remember([2, `a${i}`, `b${i}`], handler);
    most = Math.max(most, memory.nodes);
    assertEquals(memory.pair(`a${i}`, `b${i}`), handler);
    assertEquals(memory.find([2, `a${i}`, `b${i}`]), handler);
  }
  assertEquals(memory.pair("a0", "b0"), undefined);
  assertEquals(memory.find([3, "a0", "b0", "c0"]), undefined);
  assertEquals(most <= 1024 && most > 1000, true, `${most} nodes`);
});

Deno.test("twelve combinations in turn, then one of them alone: each gets its own handler", () => {
  const classes = Array.from({ length: 12 }, () => class {});
  type Rows = Untyped & { on(matchers: readonly unknown[], f: () => number): Rows };
  const set = classes.reduce(
    (rows, cls, i) => rows.on([any, cls], () => i),
    defineOverload() as unknown as Rows,
  );
  for (let round = 0; round < 50; round++) {
    assertEquals(classes.map((cls) => set(0, new cls())), classes.map((_, i) => i));
  }
  for (let round = 0; round < 50; round++) assertEquals(set(0, new classes[7]!()), 7);
});

Deno.test("objects without a class are looked at each time, alone, in pairs and in threes", () => {
  const hidden = Object.create(A.prototype, { constructor: { value: undefined } }) as object;
  const bare = Object.create(null) as object;
  const f = defineOverload().on([A], () => "A").on([Object], () => "Object").on(
    [A, any],
    () => "A, any",
  ).on([Object, any], () => "Object, any").on([any, any, A], () => "any, any, A").on(
    [any, any, Object],
    () => "any, any, Object",
  ) as unknown as Untyped;
  for (let round = 0; round < 2; round++) {
    assertEquals([f(hidden), f(bare)], ["A", "Object"]);
    assertEquals([f(hidden, 1), f(bare, 1)], ["A, any", "Object, any"]);
    assertEquals([f(1, 1, hidden), f(1, 1, bare)], ["any, any, A", "any, any, Object"]);
  }
  const g = defineOverload().on([any, A], () => "A").on([any, Object], () => "Object");
  assertEquals([g(1, hidden), g(1, bare), g(1, hidden)], ["A", "Object", "A"]);
  const fn = Object.setPrototypeOf(() => {}, null) as unknown;
  const h = defineOverload().on([Function], () => "Function").on([Object], () => "Object").on(
    [undefined],
    () => "undefined",
  ) as unknown as Untyped;
  assertEquals([h(fn), h(bare), h(() => {}), h(undefined), h(fn)], [
    "Object",
    "Object",
    "Function",
    "undefined",
    "Object",
  ]);
});

Deno.test("an instance is not taken for its class, nor a primitive for the object around it", () => {
  const f = defineOverload().on([A], () => "A").on([Object], () => "Object").on(
    [A, any],
    () => "A",
  ).on([Object, any], () => "Object").otherwise(() => "else") as Untyped;
  const values = [new B(), B, new A(), A, 5, Object(5), true, Object(true), 1n, Object(1n), "s"];
  const expected = ["A", "Object", "A", "Object", "else", "Object", "else", "Object", "else"];
  for (let round = 0; round < 2; round++) {
    assertEquals(values.map((x) => f(x)), [...expected, "Object", "else"]);
    assertEquals(values.map((x) => f(x, 0)), [...expected, "Object", "else"]);
    assertEquals(values.map((x) => f(x)).reverse(), [...expected, "Object", "else"].reverse());
  }
});

Deno.test("functions, and strings that no row names, are remembered by their class, not one by one", () => {
  const { f, searches } = counted();
  for (let i = 0; i < 5; i++) f(() => {}, () => i);
  assertEquals(searches(), 1);
  for (let i = 0; i < 5; i++) f(`${i}`, `stage ${i}`);
  assertEquals(searches(), 2);
});

Deno.test("a pair called again and again is kept apart from the memory, in place of one that is not", () => {
  const { f, searches } = counted(["x", "y", "z"]);
  for (let i = 0; i < 8; i++) f("a", `${i}`);
  for (let i = 0; i < 100; i++) f("a", "0");
  for (let i = 0; i < 1100; i++) f("a", "b", `${i}`); // until the memory is emptied
  const before = searches();
  f("a", "0");
  assertEquals(searches(), before);
  f("a", "1");
  assertEquals(searches(), before + 1);
});

Deno.test("primitives of each kind are distinguished, by value only if a row names one", () => {
  const names = ["Number", "String", "Boolean", "BigInt", "Symbol"];
  const values = [1, "", true, 1n, Symbol()];
  const f = defineOverload().on([Number, any], () => "Number").on([String, any], () => "String").on(
    [Boolean, any],
    () => "Boolean",
  ).on([BigInt, any], () => "BigInt").on([Symbol, any], () => "Symbol");
  const g = f.on([1, any], () => "one").on([undefined, NaN], () => "undefined, NaN").on(
    [null, any],
    () => "null",
  ) as unknown as Untyped;
  const h = f.otherwise(() => "else");
  for (let round = 0; round < 2; round++) {
    assertEquals([2, ...values.slice(1)].map((x) => h(x, 0)), names);
    assertEquals([h(undefined, 0), h(null, 0)], ["else", "else"]);
    assertEquals([2, ...values.slice(1)].map((x) => g(x, 0)), names);
    assertEquals([g(1, 0), g(undefined, NaN), g(null, 0)], ["one", "undefined, NaN", "null"]);
  }
});

Deno.test("a call with two arguments makes no garbage, whatever was called before", () => {
  let calls = 0;
  const count = () => void calls++;
  const f = defineOverload().on([A, B], count).on([A], count).on([A, A, A], count).otherwise(
    count,
  ) as Untyped;
  const a = new A(), b = new B();
  const others = (n: number) => {
    for (let i = 0; i < n; i++) [f(), f(a), f(a, a, a), f(a, a, a, a, a, a)];
  };
  const pairs = (n: number, g: Untyped) => {
    for (let i = 0; i < n; i++) g(a, b);
  };
  // A place that has called several functions has none of them inlined, where garbage might be optimized away.
  for (const g of [() => {}, () => 1, () => a, () => b, () => "", () => null]) pairs(100, g);
  let least = Infinity;
  for (let i = 0; i < 12; i++) {
    others(5000);
    pairs(200_000, f); // long enough to be compiled again
    gc();
    const before = Deno.memoryUsage().heapUsed;
    pairs(10_000, f);
    const grown = Deno.memoryUsage().heapUsed - before;
    if (grown >= 0) least = Math.min(least, grown);
  }
  assertEquals(calls, 12 * (4 * 5000 + 210_000));
  assertEquals(least / 10_000 < 1, true, `${least / 10_000} bytes per call`);
});
