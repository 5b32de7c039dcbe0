// ARCHITECTURE.md names files and functions: they must exist.
import { assert } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";

const page = await Deno.readTextFile(new URL("ARCHITECTURE.md", ROOT));
const texts = new Map<string, string>();
for (const [path] of page.matchAll(/\b(?:src|tools|tests|wasm|bench)\/[\w./]+\.(?:ts|rs)\b/g)) {
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => undefined);
  assert(text !== undefined, `ARCHITECTURE.md names ${path}, which does not exist`);
  texts.set(path, text);
}

Deno.test("every function that ARCHITECTURE.md lists for a file is in that file", () => {
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  let count = 0;
  for (const [, file = "", functions = ""] of rows) {
    const text = texts.get(file.replaceAll("`", ""));
    if (text === undefined) continue;
    for (const [, name] of functions.matchAll(/`([^`]+)`/g)) {
      count++;
      const found = new RegExp(`(?<![\\w#])${name!.split(".").at(-1)!}\\b`).test(text);
      assert(found, `ARCHITECTURE.md lists ${name} in ${file}, which has none`);
    }
  }
  assert(count > 0, "ARCHITECTURE.md lists no function");
});
