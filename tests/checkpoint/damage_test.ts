import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/checkpoint/mod.ts";
import { crc32c } from "../../src/base/crc32c.ts";
import { joinSections, PREAMBLE_LENGTH, sectionSize } from "../../src/checkpoint/sections.ts";

const DATA = { step: 40, positions: Float64Array.of(1, NaN, -0), status: Int8Array.of(1, -1) };
const BYTES = encodeCheckpoint({ kind: "dynamics/NVE", schema: 3, data: DATA });

/** A sound container around any header. */
function withHeader(header: string, ...arrays: Uint8Array[]): Uint8Array {
  return joinSections([new TextEncoder().encode(header), ...arrays]);
}

/** The same bytes with another preamble, sealed: what another version of the container would begin with. */
function withVersion(version: number): Uint8Array {
  const bytes = BYTES.slice();
  const view = new DataView(bytes.buffer);
  view.setUint32(8, version, true);
  view.setUint32(28, crc32c(bytes.subarray(0, 28)), true);
  return bytes;
}

Deno.test("a file truncated at any byte is rejected as truncated", () => {
  for (let length = 0; length < BYTES.length; length++) {
    const { message } = assertThrows(
      () => decodeCheckpoint(BYTES.subarray(0, length)),
      SyntaxError,
    );
    const requirement = length < 32 ? "at least 32 bytes" : `${BYTES.length} bytes`;
    assertEquals(
      message,
      `Cannot read a checkpoint: it must have ${requirement}; got ${length} bytes, because the file is truncated`,
    );
  }
});

Deno.test("a file with any flipped bit is rejected as damaged", () => {
  for (let at = 0; at < BYTES.length * 8; at++) {
    const bytes = BYTES.slice();
    bytes[at >> 3]! ^= 1 << (at & 7);
    const expected = at < 64
      ? "it must begin with the bytes 89 48 4b 43 0d 0a 1a 0a"
      : "the checksum of";
    assertThrows(() => decodeCheckpoint(bytes), SyntaxError, expected);
  }
});

Deno.test("a file with any replaced byte is rejected, and the error names the part", () => {
  for (let at = 8; at < BYTES.length; at++) {
    for (const change of [0xff, 0x55, 0x80 ^ at & 0x7f || 1]) {
      const bytes = BYTES.slice();
      bytes[at]! ^= change;
      const array = BYTES.length - at;
      const part = at < 32
        ? "its preamble"
        : array <= 8
        ? "data.status"
        : array <= 40
        ? "data.positions"
        : "its header";
      assertThrows(
        () => decodeCheckpoint(bytes),
        SyntaxError,
        `Cannot read a checkpoint: the checksum of ${part} must be `,
      );
    }
  }
});

Deno.test("intact parts of two versions of a file are not accepted together", () => {
  const later = encodeCheckpoint({
    kind: "dynamics/NVE",
    schema: 3,
    data: { ...DATA, positions: Float64Array.of(2, NaN, -0), status: Int8Array.of(1, 2) },
  });
  for (let at = 0; at <= BYTES.length; at++) {
    const mixed = BYTES.slice();
    mixed.set(later.subarray(at), at);
    const isOneOfBoth = [BYTES, later].some((whole) => whole.every((byte, i) => byte === mixed[i]));
    if (isOneOfBoth) decodeCheckpoint(mixed);
    else assertThrows(() => decodeCheckpoint(mixed), SyntaxError, "the checksum of");
  }
});

Deno.test("another kind of file is rejected by its first bytes, a longer file by its length", () => {
  const foreign = [
    new TextEncoder().encode('{"step": 1}'),
    Uint8Array.of(0x89, 0x50),
    new Uint8Array(99),
  ];
  for (const bytes of foreign) {
    assertThrows(() => decodeCheckpoint(bytes), SyntaxError, "it must begin with the bytes 89 48");
  }
  assertThrows(
    () => decodeCheckpoint(Uint8Array.of(...BYTES, 0)),
    SyntaxError,
    `it must have ${BYTES.length} bytes; got ${
      BYTES.length + 1
    } bytes, because the file is followed by other data`,
  );
  assertThrows(
    () => decodeCheckpoint("text" as never),
    TypeError,
    'it must be a Uint8Array; got "text"',
  );
});

Deno.test("a newer container version is reported as such, whatever else has changed", () => {
  const message = "Cannot read a checkpoint: the version of its container must be 1; got 2";
  assertThrows(() => decodeCheckpoint(withVersion(2)), RangeError, message);
  const changed = withVersion(2).subarray(0, 200);
  changed.fill(0xee, 32);
  assertThrows(() => decodeCheckpoint(changed), RangeError, message);
  assertThrows(() => decodeCheckpoint(withVersion(0)), RangeError, "got 0");
});

Deno.test("a reader accepts only its own kind, and no newer schema", () => {
  assertEquals(decodeCheckpoint(BYTES, { kind: "dynamics/NVE", schema: 3 }).data, DATA);
  assertEquals(decodeCheckpoint(BYTES, { schema: 4 }).schema, 3);
  assertThrows(
    () => decodeCheckpoint(BYTES, { kind: "dynamics/FIRE", schema: 3 }),
    TypeError,
    'Cannot read a checkpoint: its kind must be "dynamics/FIRE"; got "dynamics/NVE"',
  );
  assertThrows(
    () => decodeCheckpoint(BYTES, { kind: "dynamics/NVE", schema: 2 }),
    RangeError,
    "its schema must be at most 2, the newest supported; got 3",
  );
  assertThrows(() => decodeCheckpoint(BYTES, { schema: NaN }), RangeError, "must be at most NaN");
  assertEquals(decodeCheckpoint(BYTES, { schema: 4, oldest: 3 }).schema, 3);
  assertThrows(
    () => decodeCheckpoint(BYTES, { schema: 4, oldest: 4 }),
    RangeError,
    "its schema must be at least 4, the oldest supported; got 3. Load it with the older version of Hooke that wrote it",
  );
});

Deno.test("an intact file with invalid content is rejected with the reason", () => {
  const header = (data: string, rest = '"byteOrder":"little","kind":"k","schema":1') =>
    withHeader(`{${rest},"data":${data}}`);
  const wrong: [bytes: Uint8Array, message: string][] = [
    [withHeader("{"), "its header must be JSON in UTF-8"],
    [joinSections([Uint8Array.of(0xff)]), "its header must be JSON in UTF-8"],
    [withHeader("null"), "its header must be an object; got null"],
    [withHeader("[]"), "its byte order must be little, that of this machine; got undefined"],
    [
      header("1", '"byteOrder":"big","kind":"k","schema":1'),
      'little, that of this machine; got "big"',
    ],
    [
      header("1", '"byteOrder":"little","kind":"","schema":1'),
      "its kind must be a non-empty string",
    ],
    [
      header("1", '"byteOrder":"little","kind":"k","schema":-1'),
      "its schema must be a non-negative integer",
    ],
    [
      withHeader('{"byteOrder":"little","kind":"k","schema":1}'),
      "its header must have a member data; got a header without it",
    ],
    [header('{"a":{"$date":0}}'), 'data.a must have only known tags; got {"$date":0}'],
    [header('{"$bigint":"1","b":1}'), "data must have only known tags"],
    [header('[{"$number":"1"}]'), "data[0] must be -0, NaN or infinite"],
    [header('{"$bigint":"-0"}'), "data must be an integer"],
    [header('{"$bigint":" 1"}'), "data must be an integer"],
    [
      header('{"$array":["Buffer",1]}'),
      'data must be a supported typed array; got "Buffer"',
    ],
    [
      header('{"$array":["Int8Array",-1]}'),
      "data must be the name of a typed array and its length",
    ],
    [header('{"$array":7}'), "data must be the name of a typed array and its length"],
    [header('{"$array":["Int8Array",1e15]}'), "data must end within the file of 120 bytes"],
    [header("[".repeat(9e3) + "]".repeat(9e3)), "must be at most 500 levels deep"],
    [
      withHeader('{"byteOrder":"little","data":1,"kind":"k","schema":1}', new Uint8Array(4)),
      "the file must end with its last array; got 8 more bytes",
    ],
  ];
  for (const [bytes, message] of wrong) {
    assertThrows(() => decodeCheckpoint(bytes), SyntaxError, message);
  }
});

Deno.test("a header longer than the file is rejected without reading beyond it", () => {
  const bytes = BYTES.slice();
  new DataView(bytes.buffer).setUint32(12, 0xffffffff, true);
  new DataView(bytes.buffer).setUint32(28, crc32c(bytes.subarray(0, 28)), true);
  assertThrows(() => decodeCheckpoint(bytes), SyntaxError, "its header must end within the file");
});

Deno.test("an array class that this runtime lacks is rejected by name", () => {
  const bytes = encodeCheckpoint({ kind: "k", schema: 1, data: { x: Float16Array.of(1) } });
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "Float16Array")!;
  Reflect.deleteProperty(globalThis, "Float16Array");
  try {
    assertThrows(
      () => decodeCheckpoint(bytes),
      SyntaxError,
      'data.x must be a supported typed array; got "Float16Array"',
    );
  } finally {
    Object.defineProperty(globalThis, "Float16Array", descriptor);
  }
});

Deno.test("any header and any bytes give content or an error with the reason", () => {
  const json = fc.json({ maxDepth: 4 });
  const tagged = fc.tuple(fc.constantFrom("$array", "$bigint", "$number", "$x", "$$x"), json)
    .map(([tag, value]) =>
      `{"byteOrder":"little","data":{"${tag}":${value}},"kind":"k","schema":1}`
    );
  const header = fc.oneof(json, tagged, fc.string());
  const files = fc.oneof(
    fc.tuple(header, fc.uint8Array()).map(([text, bytes]) => withHeader(text, bytes)),
    fc.uint8Array({ maxLength: 99 }),
    fc.uint8Array({ maxLength: 99 }).map((bytes) =>
      Uint8Array.of(...BYTES.subarray(0, 40), ...bytes)
    ),
  );
  fc.assert(
    fc.property(files, (bytes) => {
      try {
        assert("data" in decodeCheckpoint(bytes));
      } catch (error) {
        assert(error instanceof SyntaxError || error instanceof RangeError, String(error));
        assert(error.message.startsWith("Cannot read a checkpoint: "), error.message);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("sections begin at multiples of eight", () => {
  assertEquals([0, 4, 5, 12, 13].map(sectionSize), [8, 8, 16, 16, 24]);
  assertEquals(sectionSize(PREAMBLE_LENGTH), 32);
});
