import { assertEquals } from "@std/assert";
import { loadedFirst } from "../../tools/sizes/bundle_size.ts";
import { segmentsOf } from "../../tools/sizes/source_map.ts";

Deno.test("a page loads first what its script imports, and not what it imports by a call", () => {
  const files = new Map([
    ["page.js", 'import{a as b}from"./shared.js";import"./alone.js";let c=import("./late.js");'],
    ["shared.js", 'export*from"./deep.js";'],
    ["alone.js", 'import{e}from"./shared.js";'],
    ["deep.js", ""],
    ["late.js", 'import"./later.js";'],
    ["later.js", ""],
  ]);
  assertEquals(loadedFirst(files, "page.js"), ["page.js", "shared.js", "alone.js", "deep.js"]);
});

Deno.test("the pieces of a bundle are those of its source map, lines without positions included", () => {
  // Line 0: columns 2 and 5 of sources 0 and 1; line 1 has no position; line 2: column 0 of source 0.
  const map = { sources: ["../../src/a.ts", "/x/wasm/pkg/b.js"], mappings: "EAAA,GCAA;;ADAA" };
  assertEquals(segmentsOf("1;aaabb\nb\naa", map), [
    { source: "", text: "1;" },
    { source: "src/a.ts", text: "aaa" },
    { source: "wasm/pkg/b.js", text: "bb\n" },
    { source: "wasm/pkg/b.js", text: "b\n" },
    { source: "wasm/pkg/b.js", text: "" },
    { source: "src/a.ts", text: "aa\n" },
  ]);
});
