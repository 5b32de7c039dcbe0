import { assertEquals, assertThrows } from "@std/assert";
import { constants, deflateRawSync, type ZlibOptions } from "node:zlib";
import { inflate } from "../../src/formats/npz/inflate.ts";

const words = new TextEncoder().encode("hooks of a loop, loops of hooks. ".repeat(40));
const DATA: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(0),
  "one byte": Uint8Array.of(7),
  zeros: new Uint8Array(70_000),
  words,
  noise: Uint8Array.from({ length: 70_000 }, (_, i) => Math.imul(i * i + 17, 0x9e3779b1) >>> 24),
  // Copies from the largest distance.
  "far copies": Uint8Array.from([...words, ...new Uint8Array(32_768 - words.length), ...words]),
};

const OPTIONS: Readonly<Record<string, ZlibOptions>> = {
  stored: { level: 0 },
  "fixed codes": { strategy: constants.Z_FIXED },
  "codes without copies": { strategy: constants.Z_HUFFMAN_ONLY },
  "codes of its own": { level: 9 },
};

for (const [kind, options] of Object.entries(OPTIONS)) {
  Deno.test(`zlib's data are decompressed: ${kind}`, () => {
    for (const [name, data] of Object.entries(DATA)) {
      const packed = deflateRawSync(data, options);
      assertEquals(inflate(packed, data.length).toHex(), data.toHex(), name);
    }
  });
}

Deno.test("damaged data are reported: cut short, of another length, or of an unknown type", () => {
  const packed = deflateRawSync(words, { level: 9 });
  const refused = (bytes: Uint8Array, length = words.length) =>
    assertThrows(
      () => inflate(bytes, length),
      SyntaxError,
      "Cannot decompress: the data are damaged",
    );
  for (const cut of [0, 1, packed.length >> 1, packed.length - 1]) refused(packed.slice(0, cut));
  for (const length of [0, words.length - 1, words.length + 1]) refused(packed, length);
  refused(Uint8Array.of(0b111));
  // Of a stored block, the length and its complement.
  refused(Uint8Array.of(1, 2, 0, 0xff, 0xff, 1, 2), 2);
});
