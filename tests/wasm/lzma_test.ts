import { assertEquals, assertThrows } from "@std/assert";
import { decompress } from "../../src/backend/wasm/lzma.ts";

const WORDS = new TextEncoder().encode("hooks of a loop, loops of hooks. ".repeat(40));
const SQUARES = new TextEncoder().encode(
  Array.from({ length: 60 }, (_, i) => `${i * i} `).join(""),
);

/** Data, and what `xz --format=raw --lzma1=preset=9e,lc=3,lp=0,pb=0` compresses them to. */
const DATA: Readonly<Record<string, readonly [plain: Uint8Array, packed: string]>> = {
  nothing: [
    new Uint8Array(),
    "AIP/+///wAAAAA==",
  ],
  "one byte": [
    Uint8Array.of(7),
    "AAPD6////+EAAAA=",
  ],
  zeros: [
    new Uint8Array(70_000),
    "AABwff3/rpChQBO9UzadtBhja6HucffmjXt9ZfnWMX0gmDAI0KpjdFkPpSvJ6t3ieQh83qiaWFUPOhUyNP///bDgAA==",
  ],
  words: [
    WORDS,
    "ADQczVNs8aXc5C4z3olouPgwZpJ6gf6ACgucKEo8Qr5rIQxF5t//8vPAAA==",
  ],
  squares: [
    SQUARES,
    "ABgIQySqKHHLNAIllDjUDUdmOccH/HUqEs+mguwHMVSQ5Y9njQleFo2xdwq0ijmI94w18kqpKuZAQe1hXtzWaqAbB62cOzZzj9ODj3Fxv64wRoXiKglPx2iSig9qWKOGi0n0wVSVKdwmk9OSuFZwIPqpguPJRDMLoaNj4EBkC+haFneUncCNS7bfNOuovusUxJ2LZ5FzE6FHhrFOQ3D+Ymba",
  ],
  rows: [
    Uint8Array.from(
      { length: 512 },
      (_, i) => [i >> 3, 7, 9, i >> 6, 1, 2, 3, 5 * (i >> 3)][i & 7]!,
    ),
    "AAACHwviaF5/Tg517KIM/AB68L4srfDp//0Bei9VaJFzDyJz9TyHEGW/yAJyatEsKQiXuNF1prOInHTiscZ5zr2n4mPlZ46k7aA0jn9K2JLyXKWKUPGvQTs4rvzoIUxRZ49PGi2TBdkl3KnfisMvkBjM+lRnolKHrQtryMci4+HA5/xjGTL65rlRv74fGP/beQyBpqGKNw/5TEIGKkBNFkJ8k0JrEfowIynDRC/8wNUTyt//Ep4AAA==",
  ],
  "far copies": [
    Uint8Array.from([...WORDS, ...new Uint8Array(200_000), ...WORDS, ...SQUARES, ...WORDS]),
    "ADQczVNs8aXc5C4z3olouPgwZpJ6gf6ACgucKEo8Qr5rIPS2fq9OqpXo9zZpZXohu2j+b4vCdvGmvOnIURlJCGeGhutrx5yE6BGoBUxlfXVMA7voUMHYoUwfR//+rQVhzT9YMKDmy1xJ1trsCH8mo+phRH5zYiAqQQxzCZKCxtJTNKpXUVl6Kve8G+2tcA1nfz2N6Zp45uVaamvEpSU8px1V5e1pDa/KCIaq9QkKwWZbWTA4tyNrQJkAyby7Lcn3iqxyMz31+dPV7C1F+57MdqTASK1nBgpdvR2yxQjsVzvPUwq9Cuy7HKoZ16O5NQ8DBw1nnp4ihNxQTuOHUGsfKy1jmiBJDECAe6JySmoTAweF85NwiGq7lLO6bzfin/yjCvg=",
  ],
};

for (const [name, [plain, packed]] of Object.entries(DATA)) {
  Deno.test(`xz's data are decompressed: ${name}`, () => {
    assertEquals(decompress(Uint8Array.fromBase64(packed), plain.length).toHex(), plain.toHex());
  });
}

Deno.test("damaged data are reported: cut short, longer, or with a copy from before the beginning", () => {
  const refused = (bytes: Uint8Array, length: number) =>
    assertThrows(
      () => decompress(bytes, length),
      SyntaxError,
      "Cannot decompress the kernels: the data are damaged",
    );
  for (const [plain, text] of [DATA.words!, DATA.squares!, DATA.rows!]) {
    const packed = Uint8Array.fromBase64(text);
    for (const cut of [0, 5, 6, packed.length >> 1]) refused(packed.slice(0, cut), plain.length);
    refused(packed, plain.length + 1);
  }
  refused(Uint8Array.from({ length: 40 }, (_, i) => i === 0 ? 0 : 255), 1000);
});
