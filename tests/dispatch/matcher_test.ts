// Which values a matcher takes, how two matchers relate, and what is said of a wrong one.
import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import {
  AmbiguousOverloadError,
  any,
  defineOverload,
  NoOverloadError,
} from "@hooke/hooke/dispatch";
import { overload } from "@hooke/hooke";

type Untyped = (...args: unknown[]) => unknown;

class Even {
  static [Symbol.hasInstance](x: unknown): boolean {
    return typeof x === "number" && x % 2 === 0;
  }
}

Deno.test("a class with its own Symbol.hasInstance is asked at every call", () => {
  const f = defineOverload().on([Even], () => "even").on([Even, any], () => "even").otherwise(
    () => "odd",
  ) as unknown as Untyped;
  assertEquals([2, 3, 4, 5].map((x) => f(x)), ["even", "odd", "even", "odd"]);
  assertEquals([2, 3, 4, 5].map((x) => f(x, x)), ["even", "odd", "even", "odd"]);
  class Derived extends Even {}
  const g = defineOverload().on([Derived], () => "even").otherwise(() =>
    "odd"
  ) as unknown as Untyped;
  assertEquals([3, 2, 5].map((x) => g(x)), ["odd", "even", "odd"], "an inherited one too");
});

Deno.test("objects of one class are distinguished by a class that reads a brand", () => {
  class Tensor {
    static [Symbol.hasInstance](x: unknown): boolean {
      return (x as { brand?: string }).brand === "tensor";
    }
  }
  const f = defineOverload().on([Tensor], () => "tensor").otherwise(() =>
    "other"
  ) as unknown as Untyped;
  assertEquals([{ brand: "tensor" }, {}, { brand: "tensor" }].map((x) => f(x)), [
    "tensor",
    "other",
    "tensor",
  ]);
});

Deno.test("a class with its own Symbol.hasInstance has no order against classes, kinds and guards", () => {
  class EvenToo extends Even {}
  const isFour = (x: unknown): x is number => x === 4;
  for (const other of [Number, EvenToo, isFour]) {
    for (const pair of [[Even, other], [other, Even]] as const) {
      const f = defineOverload().on([pair[0]], () => 0).on(
        [pair[1]],
        () => 1,
      ) as unknown as Untyped;
      const error = assertThrows(
        () => f(4),
        AmbiguousOverloadError,
        "or for a class with a custom Symbol.hasInstance",
      );
      assertEquals(error.rows.toSorted(), [`(${other.name})`, "(Even)"].toSorted());
    }
  }
  class Text {
    static [Symbol.hasInstance](x: unknown): boolean {
      return typeof x === "string";
    }
  }
  for (const pair of [[Text, "k/*"], ["k/*", Text]] as const) {
    const f = defineOverload().on([pair[0]], () => 0).on([pair[1]], () => 1) as unknown as Untyped;
    assertThrows(() => f("k/ONE"), AmbiguousOverloadError);
    assertEquals(f("other"), pair.indexOf(Text));
  }
});

Deno.test("a class with its own Symbol.hasInstance is above its literals, below any, and like itself", () => {
  const f = defineOverload().on([any], () => "any").on([Even], () => "even").on([4], () => "four");
  assertEquals([4, 2, 3, 4].map((x) => f(x)), ["four", "even", "any", "four"]);
  assertEquals(f.invoke([Even])(4 as never), "even");
  assertThrows(() => f.on([Even], () => 1), AmbiguousOverloadError, "already has this signature");
  class Never extends Even {
    static override [Symbol.hasInstance](): boolean {
      return false;
    }
  }
  assertEquals(f.on([Never], () => "never")(2), "even", "no rival where it does not accept");
});

Deno.test("a kind takes the stages after its slash, not those of a kind with a longer name", () => {
  const f = defineOverload().on(["dyn/*"], () => "dyn").on([String], () => "String");
  assertEquals(["dyn/X", "dynamics/X", "dyn", "dyn/", "xdyn/X"].map((x) => f(x)), [
    "dyn",
    "String",
    "String",
    "dyn",
    "String",
  ]);
});

Deno.test("Object takes no primitive, and crosses none of their classes", () => {
  const f = defineOverload().on([Object], () => 1) as unknown as Untyped;
  for (const x of [5, "s", true, 1n, Symbol.iterator, null, undefined]) {
    assertThrows(() => f(x), NoOverloadError);
  }
  for (const cls of [Number, String, Boolean, BigInt, Symbol]) {
    const crossed = defineOverload().on([cls, Object], () => 0).on(
      [Object, cls],
      () => 1,
    ) as unknown as Untyped;
    const x = cls === BigInt || cls === Symbol ? cls("1") : (cls as (x: unknown) => unknown)(1);
    assertEquals([crossed(x, {}), crossed({}, x)], [0, 1]);
    assertThrows(() => defineOverload().on([Object], () => 0).invoke([cls]), NoOverloadError);
  }
});

Deno.test("classes are distinguished from guards by their prototype, constructible or not", () => {
  const isGuard = {
    method(x: unknown): x is number {
      return x === 7;
    },
  };
  const f = defineOverload().on([BigInt], () => "BigInt").on([Symbol], () => "Symbol").on(
    [isGuard.method],
    () => "guard",
  );
  const call = f as unknown as Untyped;
  assertEquals([call(1n), call(Symbol.iterator), call(7)], ["BigInt", "Symbol", "guard"]);
  assertEquals(f.explain(1n), "(BigInt)");
  assertThrows(() => call(8), NoOverloadError);
});

Deno.test("two crossed rows are settled by a row for just what both take, no other", () => {
  class A {}
  class B extends A {}
  class C extends B {}
  const set = defineOverload().on([A, B], () => "A, B");
  const crossed = (f: typeof set) => f.on([B, A], () => "B, A");
  assertThrows(() => crossed(set), AmbiguousOverloadError);
  assertThrows(() => crossed(set.on([C, C], () => "C") as typeof set), AmbiguousOverloadError);
  assertThrows(() => crossed(set.on([A, A], () => "A") as typeof set), AmbiguousOverloadError);
  assertThrows(() => crossed(set.on([B, C], () => "B, C") as typeof set), AmbiguousOverloadError);
  const f = crossed(set.on([B, B], () => "B, B") as typeof set) as unknown as Untyped;
  assertEquals([f(new C(), new C()), f(new A(), new B()), f(new B(), new A())], [
    "B, B",
    "A, B",
    "B, A",
  ]);
});

Deno.test("the nearest rows are those that match most arguments and lack few", () => {
  const f = defineOverload().on([Number, any, any, any], () => 0).on([String], () => 1).on(
    [String, String],
    () => 2,
  ) as unknown as Untyped;
  const error = assertThrows(() => f(1), NoOverloadError);
  assertEquals(error.nearest, ["(String)", "(String, String)", "(Number, any, any, any)"]);
  const two = assertThrows(() => f("a", 1), NoOverloadError);
  assertEquals(two.nearest[0], "(String, String)");
});

Deno.test("invoke() names the row that lets most of the matchers through, and asks no guard about them", () => {
  const asked: unknown[] = [];
  const isOne = (x: unknown): x is number => asked.push(x) > 0 && x === 1;
  class A {}
  const f = defineOverload().on([Number, Boolean, Number], () => 0).on([isOne, A], () => 1).on(
    [String, any],
    () => 2,
  );
  const error = assertThrows(() => f.invoke([String, Number, "k/*"]), NoOverloadError);
  assertEquals(error.nearest[0], "(String, any)");
  assertStringIncludes(error.message, "Cannot dispatch (String, Number, k/*): no overload");
  assertEquals(asked, []);
});

Deno.test("values that are not lists, matchers or handlers are refused with the requirement", () => {
  for (const set of [defineOverload(), overload()]) {
    const { on, invoke } = set as unknown as { on: Untyped; invoke: Untyped };
    const bare = Object.create(null) as unknown;
    const adding = "Cannot add an overload:", finding = "Cannot find an overload:";
    const selector = "its selector must be a list of matchers, a kind or a stage";
    const list = "its matchers must be a list, one for each argument";
    const matcher = "a matcher must be a kind, a literal, a class or a guard";
    const handler = "its handler must be a function";
    const cases: readonly [() => unknown, string][] = [
      [() => invoke(5), `${finding} ${list}; got 5`],
      [() => invoke(undefined), `${finding} ${list}; got undefined`],
      [() => invoke("k/*"), `${finding} ${list}; got "k/*"`],
      [() => invoke([{}]), `${finding} ${matcher}; got Object`],
      [() => on(undefined, () => 1), `${adding} ${selector}; got undefined`],
      [() => on(null, () => 1), `${adding} ${selector}; got null`],
      [() => on(5, () => 1), `${adding} ${selector}; got 5`],
      [() => on({ kind: 5 }, () => 1), `${adding} ${selector}; got Object`],
      [() => on([bare], () => 1), `${adding} ${matcher}; got object`],
      [() => on([any, 1], 7), `${adding} ${handler}; got 7`],
      [() => on([any, 1]), `${adding} ${handler}; got undefined`],
      [() => on([any, 1], bare), `${adding} ${handler}; got object`],
    ];
    for (const [call, message] of cases) {
      const error = assertThrows(call);
      assertInstanceOf(error, TypeError);
      assertEquals(error.message, message);
    }
  }
  assertThrows(
    () => (defineOverload().otherwise as unknown as Untyped)(Symbol("s")),
    TypeError,
    "its handler must be a function; got Symbol(s)",
  );
});

Deno.test("a class with a static member called name is shown without it", () => {
  class Odd {
    static readonly name: string = "";
  }
  const call = defineOverload().on([Odd], () => 1) as unknown as Untyped;
  assertThrows(() => call(Odd), NoOverloadError, "Cannot dispatch (function): no overload");
  assertEquals(
    (defineOverload().on([Odd], () => 1) as { explain: Untyped }).explain(new Odd()),
    "(class)",
  );
});
