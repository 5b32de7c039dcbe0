import { assertEquals } from "@std/assert";
import { RULED_OPERATORS } from "../../src/onnx/grad/rules.ts";

Deno.test("the page of gradients names every operator that has a rule", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/gradients.md", import.meta.url));
  const [, table = ""] = page.split(/## Operators|Rules are made of/),
    words = new Set(table.match(/\w+/g));
  const names = RULED_OPERATORS.map((op) => op.split(".").at(-1)!);
  assertEquals(names.filter((name) => !words.has(name)), []);
});
