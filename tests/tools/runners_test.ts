import { assertEquals } from "@std/assert";
import { generate, LONGEST } from "../../tools/runners/generate.ts";
import { RUNNERS } from "../../src/hooks/runners.gen.ts";

Deno.test("the committed runners are what their generator writes (deno task gen:runners)", async () => {
  const path = new URL("../../src/hooks/runners.gen.ts", import.meta.url);
  assertEquals(await Deno.readTextFile(path), generate());
  assertEquals(RUNNERS.length, LONGEST);
});
