/** Messages about input that is readable, but cannot be right, say what to do. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { hooke, tempFolder } from "./session.ts";

const CELL = 'Lattice="5.3 0 0 0 5.3 0 0 0 5.3"';

Deno.test("atoms that are too close are named with their distance, also across the cell", async () => {
  await using folder = await tempFolder();
  const cases: readonly (readonly [text: string, warning: string])[] = [
    ["2\n\nAr 0 0 0\nAr 0 0 0\n", "atoms 0 and 1 are 0.00 Å apart. Remove one of them"],
    ["2\n\nAr 0 0 0\nAr 0.39 0 0\n", "atoms 0 and 1 are 0.39 Å apart. Lengths must be in Å"],
    [`2\n${CELL}\nAr 0.1 0 0\nAr 5.2 0 0\n`, "atoms 0 and 1 are 0.20 Å apart"],
    ['1\nLattice="0.4 0 0 0 9 0 0 0 9"\nAr 0 0 0\n', "atom 0 and its periodic image are 0.40 Å"],
  ];
  for (const [text, warning] of cases) {
    const path = `${folder.path}/a.xyz`;
    await Deno.writeTextFile(path, text);
    const out = `${folder.path}/out.xyz`;
    const { err } = await hooke(["singlepoint", path, "-o", out, "--overwrite"]);
    assertStringIncludes(err, `Warning: ${path}: ${warning}`);
  }
  const path = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(path, `2\n${CELL}\nAr 0 0 0\nAr 2.65 2.65 0\n`);
  const { err } = await hooke(["singlepoint", path, "-o", `${folder.path}/out.xyz`, "--overwrite"]);
  assertEquals(err.includes("apart"), false, err);
});

Deno.test("md refuses a file as its folder, and npt without a cell, before it writes anything", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(path, "2\n\nAr 0 0 0\nAr 3.8 0 0\n");
  const cases: readonly (readonly [args: readonly string[], message: string])[] = [
    [["-o", `${folder.path}/x.h5`], "--out names a folder"],
    [["--ensemble", "npt", "-o", `${folder.path}/x`], "a.xyz is not periodic in three directions"],
  ];
  for (const [args, message] of cases) {
    const { code, err } = await hooke(["md", path, ...args]);
    assertEquals(code, 2);
    assertStringIncludes(err, message);
  }
  assertEquals((await Array.fromAsync(Deno.readDir(folder.path))).length, 1);
});
