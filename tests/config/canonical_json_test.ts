import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { canonicalJson } from "../../src/config/mod.ts";

Deno.test("canonicalJson() gives the example of RFC 8785, section 3.2.2", () => {
  const input = JSON.parse(
    String
      .raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  );
  assertEquals(
    canonicalJson(input),
    String
      .raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

Deno.test("canonicalJson() sorts names by UTF-16 code units, as in RFC 8785, section 3.2.3", () => {
  const names = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
  const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));
  assertEquals(
    Object.keys(JSON.parse(text)).toSorted(),
    ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"],
  );
  assertEquals(
    text,
    '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\ud83d\ude00":0,"\ufb33":0}',
  );
});

Deno.test("canonicalJson() writes numbers as in RFC 8785, appendix B", () => {
  const samples: [bits: bigint, text: string][] = [
    [0x0000000000000000n, "0"],
    [0x8000000000000000n, "0"],
    [0x0000000000000001n, "5e-324"],
    [0x8000000000000001n, "-5e-324"],
    [0x7fefffffffffffffn, "1.7976931348623157e+308"],
    [0x4340000000000000n, "9007199254740992"],
    [0x4430000000000000n, "295147905179352830000"],
    [0x44b52d02c7e14af5n, "9.999999999999997e+22"],
    [0x44b52d02c7e14af6n, "1e+23"],
    [0x444b1ae4d6e2ef4en, "999999999999999700000"],
    [0x444b1ae4d6e2ef50n, "1e+21"],
    [0x3eb0c6f7a0b5ed8cn, "9.999999999999997e-7"],
    [0x3eb0c6f7a0b5ed8dn, "0.000001"],
    [0x41b3de4355555556n, "333333333.3333334"],
    [0xbecbf647612f3696n, "-0.0000033333333333333333"],
    [0x43143ff3c1cb0959n, "1424953923781206.2"],
  ];
  const view = new DataView(new ArrayBuffer(8));
  for (const [bits, text] of samples) {
    view.setBigUint64(0, bits);
    assertEquals(canonicalJson(view.getFloat64(0)), text);
  }
});

Deno.test("canonicalJson() leaves out undefined members, and writes typed arrays as numbers, dates as strings", () => {
  assertEquals(canonicalJson({ b: undefined, a: 1 }), '{"a":1}');
  assertEquals(canonicalJson(Float32Array.of(0.1, -0)), "[0.10000000149011612,0]");
  assertEquals(canonicalJson({ at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}');
});

Deno.test("canonicalJson() accepts shared objects but not cycles, objects without prototype, and a __proto__ member", () => {
  const shared = { x: 1 };
  assertEquals(
    canonicalJson({ a: shared, b: [shared, shared] }),
    '{"a":{"x":1},"b":[{"x":1},{"x":1}]}',
  );
  assertEquals(canonicalJson(Object.assign(Object.create(null), { x: 1 })), '{"x":1}');
  assertEquals(canonicalJson(JSON.parse('{"__proto__":{"y":2}}')), '{"__proto__":{"y":2}}');
});

Deno.test("canonicalJson() refuses values that would be lost or ambiguous, and names their path", () => {
  class Settings {}
  const cycle: Record<string, unknown> = {};
  cycle.inner = [{ cycle }];
  const refused: [value: unknown, message: string][] = [
    [NaN, "value must be a finite number; got NaN"],
    [
      { a: [1, { b: -Infinity }] },
      "value.a[1].b must be a finite number; got -Infinity",
    ],
    [Float64Array.of(1, NaN), "value[1] must be a finite number; got NaN"],
    [
      undefined,
      "value must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got undefined",
    ],
    [
      { a: [undefined] },
      "value.a[0] must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got undefined",
    ],
    [
      [, 1],
      "value[0] must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got undefined",
    ],
    [
      { "a b": { f() {} } },
      'value["a b"].f must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got function f',
    ],
    [
      { s: Symbol("s") },
      "value.s must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got Symbol(s)",
    ],
    [
      { [Symbol("s")]: 1 },
      "value must be an object whose keys are all strings; got Symbol(s)",
    ],
    [
      { n: 10n },
      "value.n must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got 10n",
    ],
    [
      BigInt64Array.of(1n),
      "value[0] must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got 1n",
    ],
    [
      { m: new Map() },
      "value.m must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got a Map",
    ],
    [
      { m: new Set() },
      "value.m must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got a Set",
    ],
    [
      { m: new Settings() },
      "value.m must be plain data (null, a boolean, number, string, array, plain object, Date or typed array of numbers); got a Settings",
    ],
    [{ m: new DataView(new ArrayBuffer(1)) }, "value.m must be plain data"],
    [{ m: new ArrayBuffer(1) }, "value.m must be plain data"],
    [{ d: new Date(NaN) }, "value.d must be a valid date"],
    [{ t: "\ud800" }, 'value.t must be well-formed Unicode without lone surrogates; got "\\ud800"'],
    [{ "\ud800": 1 }, "value must be well-formed Unicode without lone surrogates"],
    [
      cycle,
      "value.inner[0].cycle must be an object that does not contain itself; got an Object",
    ],
  ];
  for (const [value, message] of refused) {
    assertThrows(
      () => canonicalJson(value),
      TypeError,
      `Cannot write canonical JSON: ${message}`,
    );
  }
});

Deno.test("canonicalJson() of any JSON value parses back to an equal value with the same text", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), (value) => {
      const text = canonicalJson(value);
      assertEquals(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assertEquals(canonicalJson(JSON.parse(text)), text);
    }),
    { numRuns: 40 },
  );
});
