// Missing parent folders of the files of sinks and checkpoints.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { readCheckpoint, writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { CsvFile, LineFile, openSink, openSystems } from "../../src/sinks/mod.ts";
import { namesIn, withFolder } from "../checkpoint/folder.ts";

const argon = () => Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]);

for (const ending of ["xyz", "jsonl", "csv", "db", "zarr"]) {
  Deno.test(`a .${ending} is created with its parent folders`, () =>
    withFolder(async (folder) => {
      const sink = await openSink(`${folder}/a/b/x.${ending}`);
      await sink.write(argon());
      await sink.close();
      assertEquals(namesIn(`${folder}/a/b`), [`x.${ending}`]);
    }));
}

Deno.test("tables, files of lines and checkpoints are created with their folders, by paths and by URLs", () =>
  withFolder(async (folder) => {
    const at = (name: string) => new URL(`file://${folder}/with%20space/${name}`);
    const files = [new CsvFile(at("a/x.csv"), ["a"]), new LineFile(at("b/lines"))];
    for (const file of files) {
      await file.open();
      await file.close();
    }
    await writeCheckpoint(at("c/x.hooke"), { kind: "walk", schema: 1, data: 5 });
    assertEquals((await readCheckpoint(`${folder}/with space/c/x.hooke`)).data, 5);
    assertEquals(namesIn(`${folder}/with space`), ["a", "b", "c"]);
  }));

Deno.test("reading a file that does not exist creates no folder", () =>
  withFolder(async (folder) => {
    const error = await assertRejects(() => openSystems(`${folder}/a/x.xyz`));
    assert(error instanceof Error);
    assertEquals(
      [error.message, (error as { code?: unknown }).code],
      [`Cannot open ${folder}/a/x.xyz: there is no such file or folder`, "ENOENT"],
    );
    assertEquals(namesIn(folder), []);
  }));

Deno.test("a folder that cannot be created is named, with the cause", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (const ending of ["xyz", "jsonl", "csv", "db"]) {
      const error = await assertRejects(() => openSink(`${folder}/file/a/x.${ending}`), Error);
      assertEquals(
        error.message,
        `Cannot open ${folder}/file/a/x.${ending}: a part of its path is a file and not a folder`,
      );
    }
  }));
