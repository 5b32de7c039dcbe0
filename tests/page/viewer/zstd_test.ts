import { assertEquals, assertThrows } from "@std/assert";
import { constants, zstdCompressSync } from "node:zlib";
import { unpackZstd } from "../../../src/page/viewer/read/zstd/zstd.ts";

/** Data of several kinds: floats of a trajectory, text, few symbols, noise, repeats at all distances. */
function samples(): [string, Uint8Array][] {
  let state = 12345;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const bytes = (count: number, one: (i: number) => number) =>
    Uint8Array.from({ length: count }, (_, i) => one(i));
  const floats = Float32Array.from({ length: 6_000 }, (_, i) => (i % 300) * 0.1 + random());
  const words = Array.from(
    { length: 3000 },
    () => ["water", "argon ", "energy=", "\n"][random() * 4 | 0],
  );
  // Copies at few distances in turn, which are coded as the last distances.
  const rows = Array.from(
    { length: 1200 },
    (_, i) => `H ${i % 7}.${(random() * 1000) | 0} ${i % 11}.5 -${i % 5}.25 0.${i % 3}00\n`,
  );
  return [
    ["rows", new TextEncoder().encode(rows.join(""))],
    ["nothing", new Uint8Array(0)],
    ["one byte", Uint8Array.of(7)],
    ["zeros", new Uint8Array(140_000)],
    ["floats", new Uint8Array(floats.buffer)],
    ["words", new TextEncoder().encode(words.join(""))],
    ["three symbols", bytes(20_000, () => random() ** 3 * 3 | 0)],
    ["skewed symbols", bytes(20_000, () => random() ** 6 * 256 | 0)],
    ["noise", bytes(5000, () => random() * 256 | 0)],
    ["counter", new Uint8Array(Uint32Array.from({ length: 5_000 }, (_, i) => i * 3).buffer)],
    ["blocks of noise twice", bytes(90_000, (i) => Math.imul(i % 30_000, 2654435761) >>> 24)],
  ];
}

Deno.test("data that the host compressed are decompressed, at all kinds of levels", () => {
  for (const [name, data] of samples()) {
    for (const level of [1, 19]) {
      const params = { [constants.ZSTD_c_compressionLevel]: level };
      const packed = zstdCompressSync(data, { params });
      const same = indexOfDifference(unpackZstd(packed, data.length), data);
      assertEquals(same, undefined, `${name}, level ${level}`);
    }
  }
});

Deno.test("damaged data never give other data silently beyond their length, and never hang", () => {
  const data = samples()[5]![1];
  const packed = new Uint8Array(zstdCompressSync(data));
  for (const end of [0, 3, 9, packed.length >> 1, packed.length - 1]) {
    if (end === 0) continue;
    assertThrows(
      () => unpackZstd(packed.subarray(0, end), data.length),
      SyntaxError,
      "Cannot decompress",
    );
  }
  assertThrows(() => unpackZstd(packed, data.length - 1), SyntaxError, "at most");
  for (let at = 0; at < packed.length; at += 151) {
    const flipped = packed.slice();
    flipped[at]! ^= 1 << (at & 7);
    try {
      const out = unpackZstd(flipped, data.length);
      assertEquals(out.length <= data.length, true);
    } catch (error) {
      assertEquals(error instanceof SyntaxError, true, `byte ${at}: ${error}`);
    }
  }
});

function indexOfDifference(a: Uint8Array, b: Uint8Array): string | undefined {
  if (a.length !== b.length) return `lengths ${a.length} and ${b.length}`;
  const at = a.findIndex((x, i) => x !== b[i]);
  return at === -1 ? undefined : `byte ${at}`;
}
