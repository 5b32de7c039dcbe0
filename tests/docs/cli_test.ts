import { assertEquals } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";
import { blockOf } from "../../tools/docs/blocks.ts";
import { commandBlocks } from "../../tools/docs/generated_blocks.ts";

Deno.test("docs/cli.md shows the help of each command", async () => {
  const page = await Deno.readTextFile(new URL("docs/cli.md", ROOT));
  for (const [name, block] of Object.entries(await commandBlocks())) {
    assertEquals(blockOf(page, name), block, `${name}: run deno task gen:pages`);
  }
});
