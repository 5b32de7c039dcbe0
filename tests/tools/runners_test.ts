import { assertEquals } from "@std/assert";
import { generate, generatePoints, LONGEST } from "../../tools/runners/generate.ts";
import { RUNNERS } from "../../src/hooks/run/runners.gen.ts";

const HOOKS = new URL("../../src/hooks/run/", import.meta.url);

Deno.test("the committed runners and points are what their generator writes (deno task gen:runners)", async () => {
  assertEquals(await Deno.readTextFile(new URL("runners.gen.ts", HOOKS)), generate());
  assertEquals(await Deno.readTextFile(new URL("points.gen.ts", HOOKS)), generatePoints());
  assertEquals(RUNNERS.length, LONGEST);
});
