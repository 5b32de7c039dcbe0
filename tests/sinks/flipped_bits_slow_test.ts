// Each bit of a small file, flipped.
import { flipsOf, isAsItWas } from "./flipped_bits.ts";
import { assertEquals } from "@std/assert";

for (const ending of ["xyz", "jsonl"]) {
  Deno.test(`.${ending}: each flipped bit is reported, and opening the file removes nothing`, async () => {
    assertEquals(await flipsOf(ending, () => true), isAsItWas);
  });
}
