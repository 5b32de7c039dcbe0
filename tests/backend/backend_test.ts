/** Behavior of our own backends beyond the conformance suite. */
import { assertEquals, assertThrows } from "@std/assert";
import { openBackend } from "../../src/backend/mod.ts";
import { Lab } from "../kernels/lab.ts";

Deno.test("an unknown backend name is rejected", () => {
  assertThrows(
    () => openBackend("cuda"),
    RangeError,
    'its name must be reference or wasm; got "cuda"',
  );
  assertThrows(() => openBackend("toString"), RangeError, '"toString"');
});

Deno.test("memory beyond 32 bits is rejected, and not truncated", async () => {
  using lab = await Lab.open("wasm", [1]);
  // 4 bytes each: 2 ** 32 + 4 of them would be 4 to a module of 32 bits.
  for (const length of [2 ** 30 + 1, 2 ** 29, 2 ** 50]) {
    assertThrows(() => lab.backend.alloc("real", length), RangeError, "the memory of WebAssembly");
  }
  assertEquals(await lab.read(lab.real([1])), [1]);
});
