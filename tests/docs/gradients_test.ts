/** Compares the tables of docs/gradients.md with the code, and checks its programs in a user's folder. */
import { assert, assertEquals } from "@std/assert";
import { RULED_OPERATORS } from "../../src/onnx/grad/rules.ts";
import { PROCESSOR_PASSES, SIMPLIFYING_PASSES, WEBGPU_PASSES } from "../../src/onnx/mod.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { tablesOf } from "./tables.ts";

const PAGE = await Deno.readTextFile(new URL("docs/gradients.md", ROOT));

Deno.test("the page of gradients names every operator that has a rule, and no other", () => {
  const rows = tablesOf(PAGE)("family");
  const ruled = new Set(RULED_OPERATORS.map((op) => op.split(".").at(-1)!));
  const words = new Set(rows.flatMap(([, names]) => names!.match(/\w+/g) ?? []));
  assertEquals([...ruled].filter((name) => !words.has(name)), []);
  // Operators without a gradient need no rule; comparisons and casts are described in words.
  const told = rows.filter(([family]) => family !== "zero gradient")
    .flatMap(([, names]) =>
      names!.replaceAll(/\(.*?\)/g, "").split(",").map((name) => name.trim())
    );
  assertEquals(told.filter((name) => !ruled.has(name)), []);
});

Deno.test("the page of gradients names the domain of each operator that is not ONNX's alone", () => {
  const others = RULED_OPERATORS.filter((op) => op.includes("."));
  assert(others.length > 0);
  assertEquals(others.filter((op) => !PAGE.includes(`\`${op}\``)), []);
});

Deno.test("the page of gradients has every pass, in order, those for WebGPU last", () => {
  const named = tablesOf(PAGE)("pass").map(([name]) => name);
  const passes = [...SIMPLIFYING_PASSES, ...PROCESSOR_PASSES, ...WEBGPU_PASSES];
  assertEquals(named, passes.map(({ name }) => name));
  assertEquals(WEBGPU_PASSES.length, 4);
});

/** The first block of JSON on a page. */
function jsonOf(page: string) {
  return JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(page)![1]!);
}

Deno.test("the page maps its imports to the places of the project", async () => {
  const own = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const mapped = Object.entries<string>(jsonOf(PAGE));
  assertEquals(mapped.map(([name]) => name), ["@std/assert"]);
  for (const [, place] of mapped) {
    assert((await Deno.stat(new URL(place.replace("./hooke/", ""), ROOT))).isFile);
  }
  const used = [...PAGE.matchAll(/ from "([^"]+)"/g)].map(([, name]) => name!);
  const exported = Object.keys(own.exports).map((name) => `@hooke/hooke${name.slice(1)}`);
  const known = new Set([...exported, ...mapped.map(([name]) => name)]);
  assertEquals(used.filter((name) => !known.has(name)), []);
});
