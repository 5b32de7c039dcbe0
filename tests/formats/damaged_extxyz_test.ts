import { assertEquals, assertRejects } from "@std/assert";
import { openSystems } from "../../src/sinks/mod.ts";

const GOOD = "2\n\nAr 0 0 0\nAr 3.8 0 0\n";
const LATTICE = 'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3';

/** Texts of files, and the number of atoms of each frame, or the message about it. */
const FILES: readonly (readonly [text: string, frames: readonly (number | string)[]])[] = [
  [`${GOOD}3\n\nAr 0 0 0\nAr 3.8 0 0\n${GOOD}`, [
    2,
    "begins in line 5 declares 3 atoms, but has 2 rows",
    2,
  ]],
  [
    `${GOOD}2\n\nAr 0 0 0\nAr 3.8 0 0\nAr 0 3 0\n\n${GOOD}`,
    [2, "begins in line 5 declares 2 atoms, but has 3 rows", 2],
  ],
  [`${GOOD}2\n${LATTICE}\nAr 0 0 0\nAr 3.8 0\n${GOOD}`, [
    2,
    "line 8: atom 1 must have 4 columns",
    2,
  ]],
  [`${GOOD}1\n\nXx 0 0 0\n${GOOD}`, [2, 'line 7: each species must be an element; got "Xx"', 2]],
  [`a title\nAr 0 0 0\n${GOOD}`, ["line 1: a frame must begin with its number of atoms", 2]],
  [`${GOOD}2\n\nAr 0 0 0\nAr 3.7`, [2, "line 8: atom 1 must have 4 columns"]],
];

Deno.test("a damaged frame of extended XYZ is set aside, and the others are read", async () => {
  const path = `${await Deno.makeTempDir()}/a.xyz`;
  for (const [text, frames] of FILES) {
    await Deno.writeTextFile(path, text);
    await using file = await openSystems(path, { damaged: "keep", onWarning: () => {} });
    assertEquals(file.length, frames.length, text);
    for (const [i, wanted] of frames.entries()) {
      if (typeof wanted === "string") {
        await assertRejects(() => file.get(i), SyntaxError, wanted);
        await assertRejects(() => file.get(i), SyntaxError, path);
      } else assertEquals((await file.get(i)).nodeCount, wanted);
    }
  }
});

Deno.test("a file without any whole frame is refused with the first reason", async () => {
  const path = `${await Deno.makeTempDir()}/a.xyz`;
  await Deno.writeTextFile(path, "3\n\nAr 0 0 0\n");
  await assertRejects(
    () => openSystems(path, { damaged: "keep" }),
    SyntaxError,
    "declares 3 atoms, but has 1 rows",
  );
  await Deno.writeTextFile(path, `${GOOD}3\n\nAr 0 0 0\n${GOOD}`);
  await assertRejects(() => openSystems(path), SyntaxError, path); // damaged frames are kept only on request
});
