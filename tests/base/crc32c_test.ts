import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { crc32c } from "../../src/base/crc32c.ts";

Deno.test("crc32c() gives the values of RFC 3720, appendix B.4, and the check value of the CRC catalog", () => {
  const known: [bytes: Uint8Array, crc: number][] = [
    [new Uint8Array(32), 0x8a9136aa],
    [new Uint8Array(32).fill(0xff), 0x62a8ab43],
    [Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
    [Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
    [new TextEncoder().encode("123456789"), 0xe3069283],
    [new Uint8Array(0), 0],
  ];
  for (const [bytes, crc] of known) assertEquals(crc32c(bytes), crc);
});

Deno.test("crc32c() goes on from what came before, wherever the bytes are divided", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 50 }), fc.nat(50), (bytes, at) => {
    assertEquals(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at))), crc32c(bytes));
  }));
});
