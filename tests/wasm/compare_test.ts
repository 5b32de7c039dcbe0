import { assertEquals } from "@std/assert";
import { compareBytes, compareInterfaces } from "../../tools/wasm/compare.ts";

/** A module that exports one function of no arguments, which answers with `answer`. */
function module(name: string, answer: number): Uint8Array<ArrayBuffer> {
  const exported = [1, name.length, ...new TextEncoder().encode(name), 0, 0];
  return Uint8Array.from([
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    [1, 5, 1, 0x60, 0, 1, 0x7f],
    [3, 2, 1, 0],
    [7, exported.length, ...exported],
    [10, 6, 1, 4, 0, 0x41, answer, 0x0b],
  ].flat());
}

const files = (wasm: Uint8Array<ArrayBuffer>, types = "export {}") =>
  new Map([["a.wasm", wasm], ["a.d.ts", new TextEncoder().encode(types)]]);

Deno.test("compareBytes() names the files that differ and those that are not committed", () => {
  const before = files(module("kick", 1));
  assertEquals(compareBytes(before, files(module("kick", 1))), []);
  assertEquals(compareBytes(before, files(module("kick", 2))), [
    "a.wasm: 37 bytes are committed, 37 were compiled",
  ]);
  before.delete("a.d.ts");
  assertEquals(compareBytes(before, files(module("kick", 1))), ["a.d.ts is not committed"]);
});

Deno.test("compareInterfaces() overlooks other code, but neither another name nor another type", async () => {
  const before = files(module("kick", 1));
  assertEquals(await compareInterfaces(before, files(module("kick", 2))), []);
  assertEquals(await compareInterfaces(before, files(module("drift", 1))), [
    "a.wasm: 13 bytes are committed, 14 were compiled",
  ]);
  assertEquals(await compareInterfaces(before, files(module("kick", 1), "export { type }")), [
    "a.d.ts: 9 bytes are committed, 15 were compiled",
  ]);
});
