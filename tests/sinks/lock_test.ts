// Only one writer per file: a second one is refused, and the first is not affected.
import { assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { lockPath } from "../../src/base/path_lock.ts";
import { CsvFile, LineFile, openSink, openSystems } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const atom = (x: number) => Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0] }]);

for (const ending of ["xyz", "jsonl", "csv", "db", "zarr"]) {
  Deno.test(`a .${ending} is locked while a sink writes to it, and free once the sink is closed`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      const first = await openSink(path);
      await first.write(atom(1));
      const error = await assertRejects(
        () => openSink(path),
        Error,
        `Cannot open ${path}: another run`,
      );
      assertEquals((error as { code?: string }).code, "EBUSY");
      await first.write(atom(2)); // the refusal has not affected it
      await first.close();
      {
        await using second = await openSink(path);
        assertEquals(second.length, 2);
      }
      await (await openSink(path)).close(); // the end of the block has closed the second one
    }));
}

Deno.test("files of lines and tables have one writer, too", () =>
  withFolder(async (folder) => {
    const files = [1, 2].flatMap(() => [
      new LineFile(`${folder}/lines`),
      new CsvFile(`${folder}/table`, ["a"]),
    ]);
    await files[0]!.open();
    await files[1]!.open();
    for (const file of files.slice(2)) await assertRejects(() => file.open(), Error, "another run");
    for (const file of files.slice(0, 2)) await file.close();
    for (const file of files.slice(2)) {
      await file.open();
      await file.close();
    }
  }));

Deno.test("a file that is refused for its content is not locked", () =>
  withFolder(async (folder) => {
    for (const ending of ["xyz", "jsonl", "csv", "db"]) {
      const path = `${folder}/x.${ending}`;
      await Deno.writeTextFile(path, "a,b\n1,no number\n".repeat(99));
      for (let i = 0; i < 2; i++) await assertRejects(() => openSink(path), SyntaxError);
    }
  }));

Deno.test("readers need no lock", () =>
  withFolder(async (folder) => {
    for (const ending of ["xyz", "jsonl", "db", "zarr"]) {
      const path = `${folder}/x.${ending}`;
      const writer = await openSink(path);
      await writer.write(atom(1));
      await writer.flush();
      await using systems = await openSystems(path);
      assertEquals(systems.length, 1);
      await writer.close();
    }
  }));

Deno.test("a lock is on the file itself: another name or a link is locked, too", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "");
    await Deno.symlink(`${folder}/a`, `${folder}/b`);
    const lock = lockPath(`${folder}/a`)!;
    assertEquals(lockPath(`${folder}/b`), undefined);
    await Deno.rename(`${folder}/a`, `${folder}/c`);
    assertEquals(lockPath(`${folder}/c`), undefined);
    lock.release();
    lock.release();
    lockPath(`${folder}/c`)!.release();
  }));
