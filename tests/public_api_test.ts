import { assert, assertEquals } from "@std/assert";
import { apiChanges, publicApi, readSnapshot } from "../tools/architecture/public_api.ts";

Deno.test("each entry point exports the committed names (deno task api:update rewrites them)", async () => {
  assertEquals(apiChanges(await readSnapshot(), await publicApi()), []);
});

/** A name without case, underscores and plural, as a reader remembers it. */
function remembered(name: string): string {
  return name.toLowerCase().replaceAll("_", "").replace(/ies$/, "y").replace(/sses$/, "ss")
    .replace(/(?<=[^s])s$/, "");
}

/** The exported names without their kinds. */
async function exportedNames(): Promise<Record<string, string[]>> {
  const entries = Object.entries(await readSnapshot());
  return Object.fromEntries(
    entries.map(([point, names]) => [point, names.map((name) => name.split(":")[0]!)]),
  );
}

Deno.test("the main entry point exports at most 120 names", async () => {
  const { ".": names } = await exportedNames();
  assert(names!.length <= 120, `${names!.length} names`);
});

Deno.test("no two exported names differ in case or plural only", async () => {
  const names = new Set(Object.values(await exportedNames()).flat());
  const groups = Object.values(Object.groupBy(names, remembered)).filter((each) =>
    each!.length > 1
  );
  assertEquals(groups, []);
  assertEquals(["Overload", "overloads", "DEVICES", "PASSES"].map(remembered), [
    "overload",
    "overload",
    "device",
    "pass",
  ]);
});

Deno.test("each name of the main entry point belongs to an entry point of its area, too", async () => {
  const { ".": main, ...areas } = await exportedNames();
  const names = new Set(Object.values(areas).flat());
  assertEquals(main!.filter((name) => !names.has(name)), []);
});
