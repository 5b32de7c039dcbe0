// Files of systems that are only read, as for training, while another process may write to them.
import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Batch } from "../../src/batch/mod.ts";
import { openSink, openSystems } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { SYSTEMS } from "./formats.ts";

const at = (x: number) => Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0] }]);

async function fill(path: string, from: number, to: number): Promise<void> {
  const sink = await openSink(path);
  for (let x = from; x < to; x++) await sink.write(at(x));
  await sink.close();
}

for (const ending of ["xyz", "jsonl"]) {
  Deno.test(`a record of .${ending} that is being written is neither read nor removed`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await fill(path, 0, 3);
      const whole = await Deno.readTextFile(path);
      const record = whole.slice(0, whole.length / 3);
      const [first, rest] = [record.slice(0, -3), record.slice(-3)];
      await Deno.writeTextFile(path, first, { append: true });
      await using systems = await openSystems(path, { onWarning: () => {} });
      assertEquals([systems.length, (await systems.get(2)).positions[0]], [3, 2]);
      await Deno.writeTextFile(path, rest, { append: true });
      assertEquals(await Deno.readTextFile(path), whole + record);
    }));
}

for (const ending of SYSTEMS) {
  Deno.test(`systems of .${ending} are read while a sink writes; a later reader gets more`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await fill(path, 0, 5);
      await using before = await openSystems(path);
      await fill(path, 5, 9);
      await using after = await openSystems(path);
      assertEquals([before.length, after.length], [5, 9]);
      for (const place of [4, 0, 3, 4]) {
        assertEquals((await before.get(place)).positions[0], place);
        assertEquals((await after.get(place + 4)).positions[0], place + 4);
      }
      await assertRejects(() => before.get(5), RangeError, "whole number below 5");
    }));

  Deno.test(`a reader of .${ending} sees systems that replace those it has read before`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await fill(path, 0, 4);
      await using systems = await openSystems(path);
      assertEquals((await systems.get(1)).positions[0], 1);
      const sink = await openSink(path);
      await sink.clear();
      await sink.close();
      await fill(path, 20, 24);
      assertEquals((await systems.get(1)).positions[0], 21);
    }));
}

Deno.test("a database of an older version is read, but not added to", () =>
  withFolder(async (folder) => {
    const path = `${folder}/old.db`;
    await fill(path, 0, 2);
    const database = new DatabaseSync(path);
    database.exec("UPDATE information SET value = '8' WHERE name = 'version'");
    database.close();
    await using systems = await openSystems(path);
    assertEquals((await systems.get(1)).positions[0], 1);
    await assertRejects(() => openSink(path), RangeError, "version must be 9");
  }));

Deno.test("a file without systems is refused and not changed", () =>
  withFolder(async (folder) => {
    for (const ending of SYSTEMS) {
      const path = `${folder}/x.${ending}`;
      await (await openSink(path)).close();
      await assertRejects(() => openSystems(path), RangeError, `Cannot read ${path}`);
    }
    await Deno.writeTextFile(`${folder}/x.csv`, "energy\n1\n2");
    await assertRejects(() => openSystems(`${folder}/x.csv`), TypeError, "rows of numbers");
    assertEquals(await Deno.readTextFile(`${folder}/x.csv`), "energy\n1\n2");
  }));

Deno.test("a frame with fewer rows than atoms is named where the next one is expected", async () => {
  const path = `${await Deno.makeTempDir()}/short.xyz`;
  await Deno.writeTextFile(path, "1\n\nAr 0 0 0\n3\n\nAr 0 0 0\nAr 0 0 4\n1\n\nAr 0 0 0\n");
  await assertRejects(
    () => openSystems(path),
    SyntaxError,
    "The frame before it, which begins in line 4, may have more or fewer rows than atoms",
  );
});

Deno.test("a file that ends within a frame names the atoms that are missing", async () => {
  const path = `${await Deno.makeTempDir()}/short.xyz`;
  await Deno.writeTextFile(path, "1\n\nAr 0 0 0\n3\n\nAr 0 0 0\nAr 0 0 4\n");
  await assertRejects(
    () => openSystems(path),
    SyntaxError,
    "short.xyz: the frame that begins in line 4 declares 3 atoms, but the file ends after 2 of them, in line 7",
  );
});
