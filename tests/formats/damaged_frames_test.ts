import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fcc } from "../../src/batch/mod.ts";
import { openStructures, writeStructures } from "../../src/formats/mod.ts";
import { hooke, tempFolder } from "../cli/session.ts";

const crystal = fcc({ element: "Ar", a: 5.26 });

/** Damages the second of three frames: `wrong` breaks a row, `short` removes one. */
const DAMAGE: Readonly<Record<string, (row: string) => string>> = {
  wrong: (row) => row.replace(/ 0 | \d\.\d\d\d/, (text) => text.replace(/\d/, "x")),
  short: () => "",
};

/** Names of files, the beginning of a frame, and whether a missing row is damage. */
const FORMATS: readonly (readonly [name: string, begin: RegExp, kinds: readonly string[]])[] = [
  ["a.dump", /^ITEM: ATOMS.*\n/gm, ["wrong", "short"]],
  ["XDATCAR", /^Direct.*\n/gm, ["wrong", "short"]],
  ["a.pdb", /^MODEL.*\n/gm, ["wrong"]],
];

for (const [name, begin, kinds] of FORMATS) {
  for (const kind of kinds) {
    Deno.test(`${name}: a frame with a ${kind} row keeps its index, and the others are read`, async () => {
      await using folder = await tempFolder();
      const path = `${folder.path}/${name}`;
      await writeStructures(path, [crystal, crystal, crystal]);
      const text = await Deno.readTextFile(path);
      const [, second] = [...text.matchAll(begin)], from = second!.index + second![0].length;
      const to = text.indexOf("\n", from) + 1;
      const damaged = text.slice(0, from) + DAMAGE[kind]!(text.slice(from, to)) + text.slice(to);
      await Deno.writeTextFile(path, damaged);
      await assertRejects(() => openStructures(path), SyntaxError, "line ");
      await using file = await openStructures(path, { damaged: "keep" });
      assertEquals(file.length, 3);
      for (const i of [0, 2]) assertEquals((await file.get(i)).nodeCount, 4);
      await assertRejects(() => file.get(1), SyntaxError, "line ");
      const to2 = `${folder.path}/out`, { code } = await hooke(["screen", path, "-o", to2]);
      assertEquals(code, 3);
      const rows = (await Deno.readTextFile(`${to2}/status.csv`)).trim().split("\n").slice(1);
      assertEquals(rows.length, 3);
      assertStringIncludes(rows[1]!, `${path},1,,failed`);
      assertEquals([rows[0], rows[2]].map((row) => row!.includes("failed")), [false, false]);
    });
  }
}

Deno.test("a file with damaged frames only is refused", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.dump`;
  await Deno.writeTextFile(path, "nonsense\nITEM: TIMESTEP\n");
  await assertRejects(
    () => openStructures(path, { damaged: "keep" }),
    SyntaxError,
    'a line "ITEM: …" must stand here',
  );
});
