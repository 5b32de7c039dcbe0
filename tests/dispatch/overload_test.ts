import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  AmbiguousOverloadError,
  any,
  defineOverload,
  NoOverloadError,
} from "@hooke/hooke/dispatch";
import { DynamicsStage, hook, Loop, overload, type StageOf, stages } from "@hooke/hooke";
import type { BaseContext } from "@hooke/hooke/hooks";

class HookContext {}
class DynamicsContext extends HookContext {}
class TrainingContext extends HookContext {}
const OtherStage = stages<BaseContext>()("other", ["SOME"]);
type OtherStage = StageOf<typeof OtherStage>;

// The four cases that plum shows on hook-shaped overloads; stages of any kind are strings.
Deno.test("the most specific signature over all arguments wins", () => {
  const f = defineOverload()
    .on([HookContext, any], () => "any")
    .on([HookContext, DynamicsStage], () => "stage")
    .on([DynamicsContext, DynamicsStage], () => "both")
    .on([DynamicsContext, DynamicsStage.ON_CONVERGE], () => "member");
  assertEquals(f(new DynamicsContext(), "dynamics/ON_CONVERGE"), "member");
  assertEquals(f(new DynamicsContext(), "dynamics/AFTER_STEP"), "both");
  assertEquals(f(new TrainingContext(), "dynamics/AFTER_STEP"), "stage");
  assertEquals(f(new TrainingContext(), "other/SOME"), "any");
});

Deno.test("stages of a kind go to its row, any other stage to the fallback", () => {
  const f = defineOverload().on([HookContext, DynamicsStage], () => "dynamics").on(
    [HookContext, String],
    () => "fallback",
  );
  assertEquals(f(new HookContext(), "dynamics/AFTER_STEP"), "dynamics");
  assertEquals(f(new HookContext(), "other/SOME"), "fallback");
});

Deno.test("ambiguity is found at definition, where plum finds it in mid-run", () => {
  const half = defineOverload().on([DynamicsContext, String], () => 1);
  const error = assertThrows(
    () => half.on([HookContext, DynamicsStage], () => 2),
    AmbiguousOverloadError,
  );
  assertEquals(error.rows, ["(DynamicsContext, String)", "(HookContext, dynamics/*)"]);
  assertStringIncludes(error.message, "first add an overload for the arguments that both accept");
  // The row for what both take, given first, settles it.
  const settled = defineOverload().on([DynamicsContext, DynamicsStage], () => 0).on([
    DynamicsContext,
    String,
  ], () => 1).on([HookContext, DynamicsStage], () => 2);
  assertEquals(settled(new DynamicsContext(), "dynamics/AFTER_STEP"), 0);
  assertEquals(settled(new TrainingContext(), "dynamics/AFTER_STEP"), 2);
  assertEquals(settled(new DynamicsContext(), "other/SOME"), 1);
});

Deno.test("nothing matching is an error that names the nearest rows", () => {
  const f = defineOverload().on([DynamicsContext, DynamicsStage], () => 1).on(
    [Number, Number],
    () => 2,
  )
    .on([TrainingContext], () => 3);
  const call = f as unknown as (...args: unknown[]) => unknown;
  const error = assertThrows(() => call(new DynamicsContext(), 7), NoOverloadError);
  assertStringIncludes(error.message, "Cannot dispatch (DynamicsContext, 7)");
  assertEquals(error.nearest[0], "(DynamicsContext, dynamics/*)");
  assertThrows(() => call(), NoOverloadError);
  assertThrows(() => call(1), NoOverloadError);
  assertThrows(() => call(1, 2, 3), NoOverloadError);
  assertThrows(
    () => (defineOverload() as unknown as () => void)(),
    NoOverloadError,
    "the set is empty",
  );
});

Deno.test("the same signature twice is ambiguous at definition", () => {
  const isList = (x: unknown): x is unknown[] => Array.isArray(x);
  for (const matcher of [HookContext, "a", 1, DynamicsStage, any, isList, null, undefined, NaN]) {
    assertThrows(
      () => defineOverload().on([matcher, 1], () => 1).on([matcher, 1], () => 2),
      AmbiguousOverloadError,
      "already has this signature",
    );
  }
});

Deno.test("classes go by prototype depth, primitives by their wrapper, Object takes any object", () => {
  class A {}
  class B extends A {}
  class C extends B {}
  const f = defineOverload().on([A], () => "A").on([C], () => "C").on([B], () => "B").on(
    [Object],
    () => "Object",
  ).on([Number], () => "Number")
    .on([String], () => "String").on([Boolean], () => "Boolean").on([BigInt], () => "BigInt").on([
      Symbol,
    ], () => "Symbol").on([null], () => "null").on([undefined], () => "undefined").on([
      Float32Array,
    ], () => "Float32Array");
  const call = f as (x: unknown) => string;
  for (let round = 0; round < 2; round++) { // the second time from memory
    assertEquals(
      [
        new A(),
        new B(),
        new C(),
        {},
        [],
        1,
        "x",
        true,
        1n,
        Symbol.iterator,
        null,
        undefined,
        new Float32Array(1),
        Object.create(null),
        () => {},
      ].map((x) => call(x)),
      [
        "A",
        "B",
        "C",
        "Object",
        "Object",
        "Number",
        "String",
        "Boolean",
        "BigInt",
        "Symbol",
        "null",
        "undefined",
        "Float32Array",
        "Object",
        "Object",
      ],
    );
  }
});

Deno.test("literals beat guards, guards beat kinds and classes, those beat any", () => {
  const isShout = (x: unknown): x is string => typeof x === "string" && x === x.toUpperCase();
  const f = defineOverload().on([any], () => "any").on([String], () => "String").on(
    [isShout],
    () => "guard",
  ).on(["HO"], () => "literal").on(["dynamics/*"], () => "kind");
  assertEquals(["HO", "HEY", "hey", "dynamics/AFTER_STEP", "dynamics", 3].map((x) => f(x)), [
    "literal",
    "guard",
    "String",
    "kind",
    "String",
    "any",
  ]);
  // In whatever order they are added.
  const g = defineOverload().on(["HO"], () => "literal").on([String], () => "String").on(
    [isShout],
    () => "guard",
  );
  assertEquals(["HO", "HEY", "hey"].map((x) => g(x)), ["literal", "guard", "String"]);
});

Deno.test("two different guards that both match are found at the call, and named", () => {
  function isSmall(x: unknown): x is number {
    return typeof x === "number" && x < 10;
  }
  const isEven = (x: unknown): x is number => typeof x === "number" && x % 2 === 0;
  const f = defineOverload().on([isSmall], () => "small").on([isEven], () => "even");
  assertEquals([f(3), f(12)], ["small", "even"]);
  const error = assertThrows(
    () => f(4),
    AmbiguousOverloadError,
    "no order exists between two guards, or for a class with a custom Symbol.hasInstance",
  );
  assertEquals(error.rows, ["(isSmall)", "(isEven)"]);
});

Deno.test("a guard is asked at every call, for its answer may differ within a class", () => {
  const isLong = (x: unknown): x is string => typeof x === "string" && x.length > 3;
  const f = defineOverload().on([isLong], () => "long").on([String], () => "short");
  assertEquals(["a", "abcd", "b", "efgh"].map((x) => f(x)), ["short", "long", "short", "long"]);
});

Deno.test("a set is immutable: extending it elsewhere leaves it as it was", () => {
  const base = defineOverload().on([HookContext], () => "base");
  const mine = base.on([DynamicsContext], () => "mine");
  assertEquals(base(new DynamicsContext()), "base");
  assertEquals(mine(new DynamicsContext()), "mine");
  assertEquals(mine.otherwise(() => "else")(1), "else");
  assertThrows(() => (mine as (x: unknown) => unknown)(1), NoOverloadError);
});

Deno.test("invoke reaches a less specific row, explain says which row wins and over which", () => {
  const f = defineOverload().on([HookContext, any], () => "any").on(
    [DynamicsContext, any],
    (ctx, x): string => `dynamics, then ${f2.invoke([HookContext, any])(ctx, x)}`,
  );
  const f2 = f;
  assertEquals(f(new DynamicsContext(), 1), "dynamics, then any");
  assertEquals(
    f.explain(new DynamicsContext(), 1),
    "(DynamicsContext, any), before (HookContext, any)",
  );
  assertEquals(f.explain(new HookContext(), 1), "(HookContext, any)");
  assertEquals(f.otherwise(() => 0).explain(1), "otherwise");
  assertThrows(() => f.invoke([Number, any]), NoOverloadError);
});

Deno.test("no matcher, no handler: errors that say so", () => {
  const on = defineOverload().on as (matchers: unknown, f: unknown) => unknown;
  assertThrows(
    () => on([{}], () => 1),
    TypeError,
    "a matcher must be a kind, a literal, a class or a guard",
  );
  assertThrows(() => on([1], "f"), TypeError, "its handler must be a function");
});

Deno.test("the arguments and the number of them decide, from none to four", () => {
  const f = defineOverload().on([], () => 0).on([any], () => 1).on([any, any], () => 2).on([
    any,
    any,
    any,
  ], () => 3).on([any, any, any, Number], (_a, _b, _c, d) => d);
  const call = f as unknown as (...args: unknown[]) => unknown;
  assertEquals([call(), call(1), call(1, 2), call(1, 2, 3), call(1, 2, 3, 9), call(undefined)], [
    0,
    1,
    2,
    3,
    9,
    1,
  ]);
});

class A0 {}
class A1 extends A0 {}
class A2 extends A1 {}
const MATCHERS = [A0, A1, A2, String, Number, "x", "k/ONE", "k/*", 1, any, null] as const;
const VALUES = [new A0(), new A1(), new A2(), "x", "k/ONE", "k/TWO", "z", 1, 2, null, true];
const rows = fc.array(
  fc.array(fc.integer({ min: 0, max: MATCHERS.length - 1 }), { minLength: 2, maxLength: 2 }),
  { maxLength: 8 },
);

/** Does the value pass, the slow and obvious way? */
function obvious(matcher: unknown, x: unknown): boolean {
  if (matcher === any) return true;
  if (matcher === "k/*") return typeof x === "string" && x.startsWith("k/");
  if (matcher === String) return typeof x === "string";
  if (matcher === Number) return typeof x === "number";
  if (typeof matcher === "function") return x instanceof (matcher as typeof A0);
  return x === matcher;
}

Deno.test("dispatch equals a search for the one row whose values are a subset of all others that match", () => {
  // A row is more specific when every value it takes is taken by the other: here the values can be listed.
  const taken = (row: number[]) =>
    new Set(
      VALUES.flatMap((a, i) =>
        VALUES.flatMap((b, j) =>
          obvious(MATCHERS[row[0]!], a) && obvious(MATCHERS[row[1]!], b) ? [i * 100 + j] : []
        )
      ),
    );
  fc.assert(
    fc.property(rows, (all) => {
      let set = defineOverload() as unknown as {
        on(m: readonly unknown[], f: () => unknown): typeof set;
      } & ((...args: unknown[]) => unknown);
      const kept: number[][] = [];
      for (const row of all) {
        try {
          set = set.on(row.map((i) => MATCHERS[i]), () => row);
          kept.push(row);
        } catch (error) {
          assertInstanceOf(error, AmbiguousOverloadError);
        }
      }
      for (let round = 0; round < 2; round++) {
        for (const [i, a] of VALUES.entries()) {
          for (const [j, b] of VALUES.entries()) {
            const matching = kept.filter((row) => taken(row).has(i * 100 + j));
            if (matching.length === 0) {
              assertThrows(() => set(a, b), NoOverloadError);
              continue;
            }
            const winner = set(a, b) as number[];
            const own = taken(winner);
            for (const row of matching) {
              assertEquals(own.isSubsetOf(taken(row)), true, `${winner} against ${row}`);
            }
          }
        }
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("an overload set as a hook is matched when it is registered, by context class and stage", async () => {
  const seen: string[] = [];
  const describe = overload()
    .on(DynamicsStage, (_ctx, stage) => void seen.push(`kind ${stage}`))
    .on("dynamics/AFTER_STEP", () => void seen.push("stage"))
    .otherwise((_ctx, stage) => void seen.push(`else ${stage}`));
  const loop = new Loop({
    kinds: [DynamicsStage, OtherStage] as const,
    context: {} as never,
    step(loop) {
      loop.fire("dynamics/BEFORE_STEP");
      loop.fire("dynamics/AFTER_STEP");
      loop.fire("other/SOME");
    },
  }, {
    hooks: [hook({ name: "set", on: describe })],
  });
  await loop.run(1);
  assertEquals(seen, ["kind dynamics/BEFORE_STEP", "stage", "else other/SOME"]);
  const { overloads: matched } = loop.hooks.list()[0]!;
  assertEquals([
    matched["dynamics/BEFORE_STEP"],
    matched["dynamics/AFTER_STEP"],
    matched["other/SOME"],
  ], ["(any, dynamics/*)", '(any, "dynamics/AFTER_STEP")', "otherwise"]);
});

Deno.test("a set with a guard on the context is asked at each call", async () => {
  const seen: string[] = [];
  const isLate = (ctx: unknown): ctx is BaseContext => (ctx as BaseContext).stepCount >= 2;
  const set = overload().on([isLate, OtherStage], () => void seen.push("late")).on([
    any,
    OtherStage,
  ], () => void seen.push("early"));
  const loop = new Loop({ kinds: OtherStage, step: (loop) => loop.fire("other/SOME") });
  loop.hooks.add(hook({ name: "guarded", kinds: [OtherStage], on: set }));
  await loop.run(4);
  assertEquals(seen, ["early", "early", "late", "late"]);
});

Deno.test("a context class with its own Symbol.hasInstance is asked at each call", async () => {
  class Late {
    static [Symbol.hasInstance](ctx: unknown): boolean {
      return (ctx as BaseContext).stepCount >= 2;
    }
  }
  const seen: string[] = [];
  const set = overload().on([Late, OtherStage], () => void seen.push("late")).on(
    [any, OtherStage],
    () => void seen.push("early"),
  );
  const loop = new Loop({ kinds: OtherStage, step: (loop) => loop.fire("other/SOME") });
  loop.hooks.add(hook({ name: "guarded", kinds: [OtherStage], on: set }));
  await loop.run(4);
  assertEquals(seen, ["early", "early", "late", "late"]);
});
