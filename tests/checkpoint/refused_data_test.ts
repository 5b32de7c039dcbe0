import { assertEquals, assertThrows } from "@std/assert";
import { encodeCheckpoint } from "../../src/checkpoint/mod.ts";

/** The error's message on saving this. */
function refusal(data: unknown): string {
  return assertThrows(() => encodeCheckpoint({ kind: "test", schema: 1, data }), TypeError).message;
}

Deno.test("values that cannot be restored are rejected with their path", () => {
  class Writer {}
  class Positions extends Float64Array {}
  class Rows extends Array {}
  const cycle: Record<string, unknown> = {};
  cycle.inner = [{ cycle }];
  const plain =
    "must be plain data (null, a boolean, number, bigint, string, array, plain object or typed array); got";
  const refused: [data: unknown, message: string][] = [
    [
      { hooks: { log: { state: { file: new Writer() } } } },
      `data.hooks.log.state.file ${plain} a Writer`,
    ],
    [{ a: [1, { done() {} }] }, `data.a[1].done ${plain} function done`],
    [() => 1, `data ${plain} function`],
    [{ "my log": Symbol("s") }, `data["my log"] ${plain} Symbol(s)`],
    [
      { a: { [Symbol("s")]: 1 } },
      "data.a must be an object whose keys are all strings; got Symbol(s)",
    ],
    [undefined, `data ${plain} undefined`],
    [{ a: undefined }, `data.a ${plain} undefined`],
    [[1, , 2], `data[1] ${plain} undefined`],
    [{ a: new Map() }, `data.a ${plain} a Map`],
    [{ a: new Set() }, `data.a ${plain} a Set`],
    [{ a: new Date(0) }, `data.a ${plain} a Date`],
    [{ a: new Number(1) }, `data.a ${plain} a Number`],
    [{ a: Promise.resolve() }, `data.a ${plain} a Promise`],
    [{ a: new ArrayBuffer(1) }, `data.a ${plain} an ArrayBuffer`],
    [{ a: new DataView(new ArrayBuffer(1)) }, `data.a ${plain} a DataView`],
    [{ a: new Positions(3) }, `data.a ${plain} a Positions`],
    [{ a: Rows.of(1) }, `data.a ${plain} a Rows`],
    [
      { a: Object.assign([1], { unit: "eV" }) },
      'data.a must be an array without named members; got "unit"',
    ],
    [
      cycle,
      "data.inner[0].cycle must be an object that does not contain itself; got an Object",
    ],
  ];
  for (const [data, message] of refused) {
    assertEquals(refusal(data), `Cannot save a checkpoint: ${message}`);
  }
});

Deno.test("an array with detached memory is rejected instead of saved as empty", () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const inWasm = new Float64Array(memory.buffer, 0, 4);
  memory.grow(1);
  const shrunk = new ArrayBuffer(32, { maxByteLength: 64 });
  const outside = new Float64Array(shrunk, 16, 2);
  shrunk.resize(8);
  const moved = new Int8Array(4);
  structuredClone(moved, { transfer: [moved.buffer] });
  for (const positions of [inWasm, outside, moved]) {
    assertEquals(
      refusal({ positions }),
      "Cannot save a checkpoint: data.positions must be a typed array whose memory is not detached; " +
        `got ${positions instanceof Int8Array ? "an Int8Array" : "a Float64Array"}`,
    );
  }
});

Deno.test("invalid kinds and schemas are rejected", () => {
  const encode = (kind: unknown, schema: unknown) => () =>
    encodeCheckpoint({ kind, schema, data: 1 } as never);
  assertThrows(encode("", 1), TypeError, 'its kind must be a non-empty string; got ""');
  assertThrows(encode(5n, 1), TypeError, "its kind must be a non-empty string; got 5");
  for (const schema of [-1, 0.5, NaN, 2 ** 53, "1", undefined]) {
    assertThrows(
      encode("test", schema),
      RangeError,
      `its schema must be a non-negative integer; got ${schema}`,
    );
  }
});
