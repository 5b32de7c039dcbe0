import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { runInNewContext } from "node:vm";
import { Batch, type SavedBatch } from "../../src/batch/mod.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/checkpoint/mod.ts";
import { bits, checkpointData, CLASSES } from "./bits.ts";

/** Data after a trip through a checkpoint. */
function restore(data: unknown): unknown {
  return decodeCheckpoint(encodeCheckpoint({ kind: "test", schema: 1, data })).data;
}

/** A float64 with these bits. */
function float(pattern: bigint): Float64Array {
  return new Float64Array(BigUint64Array.of(pattern).buffer);
}

Deno.test("the format follows sections.ts byte for byte", () => {
  const data = { b: Uint16Array.of(0x0102), a: { x: -0, $y: 5n }, "9": 1, "10": Int8Array.of(-1) };
  const header = '{"byteOrder":"little","data":{"10":{"$array":["Int8Array",1]},"9":1,' +
    '"a":{"$$y":{"$bigint":"5"},"x":{"$number":"-0"}},"b":{"$array":["Uint16Array",1]}},' +
    '"kind":"test","schema":1}';
  const bytes = encodeCheckpoint({ kind: "test", schema: 1, data });
  const end = 32 + 184; // the header has 176 bytes, 180 with its seal
  assertEquals(header.length, 176);
  assertEquals(
    bytes.subarray(0, 24).toHex(),
    [
      "89484b430d0a1a0a",
      "01000000",
      "b0000000",
      (end + 16).toString(16).padStart(2, "0") + "00000000000000",
    ].join(""),
  );
  assertEquals(new TextDecoder().decode(bytes.subarray(32, 32 + 176)), header);
  assertEquals(bytes.subarray(end, end + 4).toHex(), "ff000000");
  assertEquals(bytes.subarray(end + 8, end + 12).toHex(), "02010000");
  // The seals by an independent CRC-32C, bit by bit.
  const sections = [[0, 28], [32, end - 4], [end, end + 4], [end + 8, end + 12]] as const;
  let register = 0xffffffff;
  for (const [from, to] of sections) {
    for (const byte of bytes.subarray(from, to)) {
      register ^= byte;
      for (let i = 0; i < 8; i++) register = register >>> 1 ^ (register & 1 ? 0x82f63b78 : 0);
    }
    assertEquals(new DataView(bytes.buffer).getUint32(to, true), ~register >>> 0);
  }
  assertEquals(bytes.length, end + 16);
});

Deno.test("every saved value is restored bitwise", () => {
  fc.assert(
    fc.property(checkpointData(), (data) => assertEquals(bits(restore(data)), bits(data))),
    { numRuns: 500 },
  );
});

Deno.test("NaN payloads, signed zeros and subnormals are restored", () => {
  for (
    const pattern of [
      0x7ff8000000000000n,
      0xfff8000000000000n,
      0x7ff0000000000001n,
      0xfff7ffffffffffffn,
      0x8000000000000000n,
      0x0000000000000001n,
      0x7ff0000000000000n,
    ]
  ) {
    const { x } = restore({ x: float(pattern) }) as { x: Float64Array<ArrayBuffer> };
    assertEquals(new BigUint64Array(x.buffer)[0], pattern);
  }
});

Deno.test("typed arrays of all twelve classes are restored, also empty ones and extreme values", () => {
  for (const Class of CLASSES) {
    const array = new Class(new ArrayBuffer(16));
    new Uint8Array(array.buffer).set([0, 1, 127, 128, 255, 255, 255, 255, 255, 255, 255, 127]);
    const [full, empty] = restore([array, new Class(0)]) as ArrayBufferView[];
    assert(full instanceof Class && empty instanceof Class);
    assertEquals(bits([full, empty]), bits([array, new Class(0)]));
  }
  const extremes = [
    BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n),
    BigUint64Array.of(2n ** 64n - 1n),
  ];
  assertEquals(restore(extremes), extremes);
});

Deno.test("numbers, bigints and strings that JSON would change are restored", () => {
  const data = [
    -0,
    NaN,
    Infinity,
    -Infinity,
    5e-324,
    1.7976931348623157e308,
    0.1 + 0.2,
    2 ** 53 + 2,
    0n,
    -(10n ** 40n),
    "\ud800 alone",
    "\u2028",
    "\0",
    "",
  ];
  assertEquals(bits(restore(data)), bits(data));
});

Deno.test("names with a meaning in the format or in JavaScript are restored", () => {
  const data = JSON.parse(
    '{"$array":["Float64Array",3],"$bigint":"1","$$":{"$number":"NaN"},"__proto__":{"polluted":1},"":2}',
  );
  const restored = restore(data) as Record<string, unknown>;
  assertEquals(bits(restored), bits(data));
  assertEquals(Object.getPrototypeOf(restored), Object.prototype);
  for (const names of [{ $array: 1 }, { "10": Int8Array.of(10), "9": Int8Array.of(9) }]) {
    assertEquals(bits(restore(names)), bits(names));
  }
});

Deno.test("equal contents have equal bytes, whatever the order of members", () => {
  const encode = (data: unknown) => encodeCheckpoint({ kind: "test", schema: 1, data });
  const [x, y] = [Float64Array.of(1), Float64Array.of(2)];
  assertEquals(encode({ x, y, "2": 0, "10": 0 }), encode({ y, "10": 0, x, "2": 0 }));
  assertNotEquals(encode({ x, y }), encode({ x: y, y: x }));
});

Deno.test("encoding and decoding copy, and share no memory with the state", () => {
  const positions = Float64Array.of(1, 2, 3);
  const bytes = encodeCheckpoint({ kind: "test", schema: 1, data: positions });
  positions.fill(9);
  const restored = decodeCheckpoint(bytes).data as Float64Array;
  bytes.fill(0);
  assertEquals(restored, Float64Array.of(1, 2, 3));
  assertEquals([restored.byteOffset, restored.buffer.byteLength], [0, 24]);
});

Deno.test("bytes may be unaligned, or in a Node buffer", () => {
  const bytes = encodeCheckpoint({ kind: "test", schema: 1, data: Float64Array.of(7) });
  const memory = new Uint8Array(bytes.length + 8).fill(0xaa);
  memory.set(bytes, 3);
  const buffer = Buffer.from(memory.buffer, 3, bytes.length);
  const restored = [
    decodeCheckpoint(memory.subarray(3, 3 + bytes.length)),
    decodeCheckpoint(buffer),
  ];
  memory.fill(0);
  for (const { data } of restored) assertEquals(data, Float64Array.of(7));
});

Deno.test("arrays in shared and WebAssembly memory and of another realm are saved", () => {
  const shared = new Float32Array(new SharedArrayBuffer(8));
  shared.set([1, 2]);
  const inWasm = new Float64Array(new WebAssembly.Memory({ initial: 1 }).buffer, 64, 2).fill(3);
  const foreign = runInNewContext("({ list: [1, { a: new Int32Array([4]) }] })");
  assertEquals(restore({ shared, inWasm, foreign }), {
    shared: Float32Array.of(1, 2),
    inWasm: Float64Array.of(3, 3),
    foreign: { list: [1, { a: Int32Array.of(4) }] },
  });
});

Deno.test("kind and schema are restored; shared objects become separate", () => {
  const shared = { x: Int8Array.of(1) };
  const content = { kind: "dynamics/NVE \u{1f986}", schema: 0, data: [shared, shared] };
  const restored = decodeCheckpoint(encodeCheckpoint(content));
  assertEquals(restored, content);
  const [one, two] = restored.data as (typeof shared)[];
  assert(one!.x !== two!.x);
});

Deno.test("five hundred levels are restored, one more is rejected", () => {
  const nested = (levels: number) => {
    let data: unknown = 1;
    for (let i = 0; i < levels; i++) data = i % 2 ? [data] : { a: data };
    return data;
  };
  assertEquals(bits(restore(nested(500))), bits(nested(500)));
  assertThrows(() => restore(nested(501)), TypeError, "must be at most 500 levels deep");
});

Deno.test("the values in the info of systems keep their order", () => {
  const atom = { symbols: ["Ar"], positions: [0, 0, 0] };
  const infos = [{ name: "a", labels: "x", file: "y", 7: 1 }, { a: 1, b: 2 }, {}];
  const data = Batch.from(infos.map((info) => ({ ...atom, info }))).save();
  const batch = Batch.load(restore(data) as SavedBatch);
  assertEquals(batch.infos.map((info) => Object.entries(info)), infos.map(Object.entries));
  const sorted = Batch.from([{ ...atom, info: { a: 1, b: 2 } }]).save();
  assertEquals("infoNames" in sorted, false);
});
