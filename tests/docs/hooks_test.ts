/** docs/hooks.md against the ready-made hooks that there are. */
import { assertEquals } from "@std/assert";
import * as hooke from "../../mod.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/hooks.md", import.meta.url));

Deno.test("docs/hooks.md has every ready-made hook for engines for atoms", () => {
  const listed = [...PAGE.matchAll(/^\| `(\w+Hook)` +\|/gm)].map(([, name]) => name!);
  const there = Object.keys(hooke).filter((name) => /^[A-Z]\w*Hook$/.test(name));
  assertEquals(listed.toSorted(), there.toSorted());
});
