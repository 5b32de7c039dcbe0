// Files that another program began or added to: records without a checksum are not damage, unless Hooke wrote
// them with one.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import { Batch } from "../../src/batch/mod.ts";
import { openSink, openSystems, type SinkReport, verifySink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const argon = (x: number, info = {}) =>
  Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0], info }]);

/** Records that another program may have written. */
const THEIRS = {
  xyz: "1\nProperties=species:S:1:pos:R:3 from=others\nAr 0 0 0\n",
  jsonl: '{"hooke":1,"systemId":0,"numbers":[18],"positions":[[0,0,0]],"masses":[39.9],' +
    '"cell":[0,0,0,0,0,0,0,0,0],"pbc":[0,0,0]}\n',
};
/** Checksums, and all marks of a record that had one. */
const SUMS = { xyz: / hooke_crc32c=x[0-9a-f]{8}/, jsonl: /,"crc32c":"[0-9a-f]{8}"/ };
const MARKS = {
  xyz: / hooke_sums_from=\d+ hooke_crc32c=x[0-9a-f]{8}/,
  jsonl: /,"sumsFrom":\d+,"crc32c":"[0-9a-f]{8}"/,
};
/** Lines of a record. */
const LINES = { xyz: 3, jsonl: 1 };

type Ending = keyof typeof THEIRS;

async function add(path: string, count: number): Promise<void> {
  const sink = await openSink(path);
  for (let x = 0; x < count; x++) await sink.write(argon(x));
  await sink.close();
}

function placeOf(ending: Ending, record: number): string {
  const line = record * LINES[ending] + 1;
  return ending === "xyz" ? `frame ${record + 1}, lines ${line} to ${line + 2}` : `line ${line}`;
}

/** Changes the text of one record. */
async function edit(path: string, ending: Ending, record: number, what: RegExp): Promise<void> {
  const lines = (await Deno.readTextFile(path)).split("\n"), size = LINES[ending];
  const own = lines.slice(record * size, (record + 1) * size).join("\n");
  assertMatch(own, what);
  lines.splice(record * size, size, own.replace(what, ""));
  await Deno.writeTextFile(path, lines.join("\n"));
}

const found = ({ systems, unsummed, damage }: SinkReport) => [systems, unsummed, damage];

for (const ending of ["xyz", "jsonl"] as const) {
  Deno.test(`.${ending}: records of another program, before and between those of Hooke, are not checked and not damage`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await Deno.writeTextFile(path, THEIRS[ending].repeat(3));
      await add(path, 2);
      assertEquals(found(await verifySink(path)), [5, 3, []]);
      await Deno.writeTextFile(path, THEIRS[ending].repeat(2), { append: true });
      assertEquals(found(await verifySink(path)), [7, 5, []]);
      await add(path, 1);
      await add(path, 1);
      const report = await verifySink(path);
      assertEquals(found(report), [9, 5, []]);
      assertEquals(
        report.summary,
        `${path}: 9 systems, no damage found; 5 parts have no checksum: only the format was checked`,
      );
    }));

  Deno.test(`.${ending}: a record of Hooke without its checksum is damage in a file with records of other programs`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await Deno.writeTextFile(path, THEIRS[ending].repeat(2));
      await add(path, 2);
      await Deno.writeTextFile(path, THEIRS[ending], { append: true });
      await add(path, 2);
      const whole = await Deno.readTextFile(path);
      // No record follows the last one, which could show that it was written with its marks.
      const cases = [2, 3, 5, 6].flatMap((record) =>
        [SUMS, MARKS].map((marks) => [record, marks[ending]] as const)
      ).filter(([record, marks]) => ![3, 6].includes(record) || marks === SUMS[ending]);
      for (const [record, marks] of cases) {
        await Deno.writeTextFile(path, whole);
        await edit(path, ending, record, marks);
        const reason = "its checksum is missing";
        const place = placeOf(ending, record);
        assertEquals(found(await verifySink(path)), [7, 4, [{ place, reason }]], place);
      }
    }));

  Deno.test(`.${ending}: the first record with a checksum is known after the file was truncated, emptied and added to`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await Deno.writeTextFile(path, THEIRS[ending].repeat(3));
      const sink = await openSink(path);
      await sink.write(argon(1));
      await sink.truncate(2);
      await sink.write(argon(2));
      await sink.flush();
      assertEquals(found(await verifySink(path)), [3, 2, []]);
      await sink.clear();
      for (const x of [0, 1]) await sink.write(argon(x));
      await sink.close();
      await edit(path, ending, 0, MARKS[ending]);
      assertEquals((await verifySink(path)).damage.length, 1);
    }));
}

Deno.test(".db: rows of another program are not checked; a row of Hooke without its checksum is damage", () =>
  withFolder(async (folder) => {
    const { DatabaseSync } = await import("node:sqlite");
    const path = `${folder}/x.db`;
    const run = (sql: string) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    };
    await add(path, 3);
    run("DROP TABLE hooke_crc32c"); // as ASE leaves it
    assertEquals(found(await verifySink(path)), [3, 3, []]);
    await add(path, 2);
    assertEquals(found(await verifySink(path)), [5, 3, []]);
    const columns = "unique_id, ctime, mtime, numbers, positions, cell, pbc, natoms";
    run(
      `INSERT INTO systems (${columns}) SELECT ${
        columns.replace("unique_id", "'another'")
      } FROM systems WHERE id = 1`,
    );
    assertEquals(found(await verifySink(path)), [6, 4, []]);
    await add(path, 2);
    assertEquals(found(await verifySink(path)), [8, 4, []]);
    for (const id of [4, 5, 7, 8]) {
      const bytes = await Deno.readFile(path);
      run(`DELETE FROM hooke_crc32c WHERE id = ${id}`);
      const reason = "its checksum is missing";
      assertEquals(found(await verifySink(path)), [8, 5, [{ place: `row ${id}`, reason }]]);
      await Deno.writeFile(path, bytes);
    }
    const sink = await openSink(path);
    await sink.truncate(2);
    await sink.write(argon(1));
    await sink.close();
    assertEquals(found(await verifySink(path)), [3, 2, []]);
  }));

Deno.test("an array that another program added to a store has no checksum and is not damage", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await add(path, 2);
    const { unsummed } = await verifySink(path);
    await Deno.mkdir(`${path}/core/theirs`);
    const text = await Deno.readTextFile(`${path}/core/positions/zarr.json`);
    const { attributes: _, ...theirs } = JSON.parse(text);
    await Deno.writeTextFile(`${path}/core/theirs/zarr.json`, JSON.stringify(theirs));
    const { damage } = await verifySink(path);
    // The report says that its chunks are missing, and not that it has no checksum.
    assert(damage.every(({ reason }) => reason === "it is missing"), JSON.stringify(damage));
    await Deno.writeTextFile(
      `${path}/core/positions/zarr.json`,
      text.replace(/,?"crc32c":"[0-9a-f]{8}"/, ""),
    );
    assertEquals(unsummed, 0);
    const reasons = (await verifySink(path)).damage.filter(({ place }) =>
      place.includes("positions")
    );
    assertEquals(reasons, [
      { place: `${path}/core/positions/zarr.json`, reason: "its checksum is missing" },
    ]);
  }));

Deno.test("a frame that was read with its checksum keys is written to another sink without them", () =>
  withFolder(async (folder) => {
    const [from, to] = [`${folder}/from.xyz`, `${folder}/to.xyz`];
    await add(from, 1);
    const batch = Batch.from(parseExtxyz(await Deno.readTextFile(from)));
    assert("hooke_crc32c" in batch.infos[0]!);
    const sink = await openSink(to);
    await sink.write(batch);
    await sink.close();
    assertEquals(found(await verifySink(to)), [1, 0, []]);
    await using systems = await openSystems(to);
    assertEquals((await systems.get(0)).info, {});
  }));

Deno.test("only the form of a .csv is checked, and its report says so", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.csv`;
    const sink = await openSink(path);
    for (const energy of [1, 2]) {
      await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], energy }]));
    }
    await sink.close();
    const { summary, unsummed } = await verifySink(path);
    assertEquals(unsummed, 2);
    assertEquals(
      summary,
      `${path}: 2 systems, no damage found; 2 parts have no checksum: only the format was checked`,
    );
  }));
