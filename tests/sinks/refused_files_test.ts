// Files that sinks must not change, and refusals by the file system.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Batch } from "../../src/batch/mod.ts";
import { CsvSink, JsonlSink, openSink, openSystems, SINK_FORMATS } from "../../src/sinks/mod.ts";
import { namesIn, withFolder } from "../checkpoint/folder.ts";
import { FILES } from "./formats.ts";

const atom = (x: number) => Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0], energy: x }]);

Deno.test("a path with an unknown ending is refused, and the known endings are named", async () => {
  for (const path of ["x", "x.txt", "x.xyz.gz", ".xyz/x", "x.jsonl\\y"]) {
    await assertRejects(() => openSink(path), RangeError, ".xyz, .extxyz, .jsonl, .csv, .db");
  }
  await assertRejects(() => openSink(3 as unknown as string), TypeError, "3");
  const formats = { ".log": (path: string) => new JsonlSink(path) };
  await assertRejects(
    () => openSink("x.xyz", { formats }),
    RangeError,
    'its path must end with one of .log; got "x.xyz"',
  );
  assert(Object.isFrozen(SINK_FORMATS));
});

Deno.test("endings of paths are not case-sensitive", () =>
  withFolder(async (folder) => {
    const sink = await openSink(`${folder}/x.JSONL`);
    assert(sink instanceof JsonlSink);
    await sink.close();
  }));

Deno.test("a file of another format is refused and not changed", () =>
  withFolder(async (folder) => {
    const files: readonly (readonly [string, string])[] = [
      ["xyz", "a letter\n"],
      ["xyz", '{"hooke":1,"numbers":[1]}\n'],
      ["xyz", "1\nProperties=species:S:1:pos:R:3\nAr 0 zero 0\n"],
      ["jsonl", '{"numbers":[1]}\n'],
      ["jsonl", "[1, 2]\n"],
      ["jsonl", "step,energy\n1,2\n"],
      ["jsonl", '{"hooke":1,"numbers":[1]}\n'],
      ["csv", "time is money\n1\n"],
      ["csv", "a,a\n1,2\n"],
      ["csv", "a,b\n1,2,3\n"],
      ["csv", "a,b\n1,two\n"],
      ["db", "a letter\n".repeat(100)],
      ["db", "SQLite format 3\0 and then nothing of the kind".repeat(100)],
    ];
    for (const [ending, text] of files) {
      const path = `${folder}/x.${ending}`;
      await Deno.writeTextFile(path, text);
      await assertRejects(() => openSink(path), SyntaxError, undefined, text);
      assertEquals(await Deno.readTextFile(path), text);
    }
    await Deno.writeTextFile(`${folder}/x.csv`, "a,b\n1,2\n");
    const other = new CsvSink(`${folder}/x.csv`, ["a", "c"]);
    await assertRejects(() => other.open(), RangeError, '"a,c"');
  }));

Deno.test("a file of a newer version is refused and not changed", () =>
  withFolder(async (folder) => {
    const line = '{"hooke":2,"atoms":"as they are written in years to come"}\n';
    await Deno.writeTextFile(`${folder}/x.jsonl`, line);
    await assertRejects(
      () => openSink(`${folder}/x.jsonl`),
      RangeError,
      "the version in line 1 must be 1 or less; got 2",
    );
    assertEquals(await Deno.readTextFile(`${folder}/x.jsonl`), line);

    const path = `${folder}/x.db`;
    const sink = await openSink(path);
    await sink.write(atom(1));
    await sink.close();
    const versions = [
      ["10", RangeError, "its version must be 9 to be added to; got 10"],
      ["8", RangeError, "its version must be 9 to be added to; got 8"],
      ["ten", SyntaxError, 'it must be an ASE database whose version is a number; got "ten"'],
    ] as const;
    for (const [version, kind, words] of versions) {
      using database = new DatabaseSync(path);
      database.prepare("UPDATE information SET value = ? WHERE name = 'version'").run(version);
      const bytes = await Deno.readFile(path);
      await assertRejects(() => openSink(path), kind, words);
      assertEquals(await Deno.readFile(path), bytes);
    }
  }));

Deno.test("a database of another program is refused and not changed", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.db`;
    for (const table of ["notes", "systems"]) {
      using database = new DatabaseSync(path);
      database.exec(`CREATE TABLE ${table} (text TEXT)`);
      const bytes = await Deno.readFile(path);
      await assertRejects(() => openSink(path), SyntaxError, "must be an ASE database");
      assertEquals(await Deno.readFile(path), bytes);
    }
  }));

Deno.test("a folder at the path, and a file in place of its folder, are errors with a code", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (const ending of FILES) {
      await Deno.mkdir(`${folder}/x.${ending}`);
      const cases: readonly (readonly [string, string])[] = [
        [`${folder}/x.${ending}`, "EISDIR"],
        [`${folder}/file/x.${ending}`, "ENOTDIR"],
      ];
      for (const [path, code] of cases) {
        const error = await assertRejects(() => openSink(path), Error, `Cannot open ${path}`);
        assertEquals((error as Error & { code: unknown }).code, code);
        assert(error.cause instanceof Error);
      }
    }
    assertEquals(namesIn(folder), ["file", ...FILES.map((ending) => `x.${ending}`)].sort());
  }));

Deno.test("a sink that cannot be opened throws at the flush, and other sinks continue", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (const ending of FILES) {
      const good = await openSink(`${folder}/good.${ending}`);
      const bad = SINK_FORMATS[`.${ending}`]!(`${folder}/file/bad.${ending}`, {});
      const sink = await bad;
      for (const x of [1, 2]) {
        await good.write(atom(x));
        try {
          await sink.write(atom(x));
        } catch { /* of the write before */ }
      }
      await assertRejects(() => sink.flush(), Error, "Cannot open");
      assertEquals(sink.length, 0);
      await good.close();
      assertEquals(good.length, 2);
      await sink.close().catch(() => {});
    }
  }));

Deno.test("an error of reading a text file names the file and the line", () =>
  withFolder(async (folder) => {
    const files: readonly (readonly [name: string, text: string, words: string])[] = [
      [
        "a.xyz",
        "1\nProperties=species:S:1:pos:R:3\nAr 0 x 0\n",
        'line 3: pos must be numbers; got "x"',
      ],
      ["b.xyz", "1\n\nAr 0 0 0\n1\n\nAr 0 x 0\n", "line 6"],
      ["a.jsonl", '{"hooke":1,"numbers":[1]}\n', ": line 1 is not a valid system"],
      ["b.jsonl", '{"hooke":1,\n', ": line 1 is not a valid system"],
    ];
    for (const [name, text, words] of files) {
      const path = `${folder}/${name}`;
      await Deno.writeTextFile(path, text);
      const inSystems = async () => {
        await using systems = await openSystems(path);
        for (let i = 0; i < systems.length; i++) await systems.get(i);
      };
      for (const read of [() => openSink(path), inSystems]) {
        const error = await assertRejects(read, SyntaxError, `Cannot read ${path}`);
        assertStringIncludes(error.message, words);
      }
    }
  }));

Deno.test("a file without systems is called empty", () =>
  withFolder(async (folder) => {
    for (const ending of ["xyz", "jsonl", "db", "zarr"]) {
      const path = `${folder}/x.${ending}`, words = `Cannot read ${path}: it is empty`;
      const sink = await openSink(path);
      await assertRejects(() => sink.read(), RangeError, words);
      await sink.close();
      await assertRejects(() => openSystems(path), RangeError, words);
    }
  }));
