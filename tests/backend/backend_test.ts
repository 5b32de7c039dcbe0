/** What our own backends do beside what all must. */
import { assertEquals, assertThrows } from "@std/assert";
import { openBackend } from "../../src/backend/mod.ts";
import { Lab } from "../kernels/lab.ts";

Deno.test("a backend of another name is refused", () => {
  assertThrows(() => openBackend("cuda"), RangeError, "must be one of reference, wasm");
  assertThrows(() => openBackend("toString"), RangeError, '"toString"');
});

Deno.test("memory that 32 bits cannot have is refused, and not taken for less", async () => {
  using lab = await Lab.open("wasm", [1]);
  // 4 bytes each: 2 ** 32 + 4 of them would be 4 to a module of 32 bits.
  for (const length of [2 ** 30 + 1, 2 ** 29, 2 ** 50]) {
    assertThrows(() => lab.backend.alloc("real", length), RangeError, "the memory of WebAssembly");
  }
  assertEquals(await lab.read(lab.real([1])), [1]);
});
