// Files that a disk has damaged: each flipped bit must be reported.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  openSink,
  openSystems,
  type SinkReport,
  type StoredSink,
  verifySink,
} from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { few, test } from "../suite.ts";
import { randomOf } from "./zarr_fuzz.ts";

const ENDINGS = ["xyz", "jsonl", "db", "zarr"];

function frames(): Batch {
  const batch = Batch.from([0, 1, 2, 3].map((i) => ({
    symbols: ["Ar", "Ne"],
    positions: [i, 0.1, 0.2, -i, Math.sqrt(i), 7],
    energy: -i / 3,
    info: { label: `system ${i}`, crc32c: 5 },
  })));
  batch.set("step", [0, 10, 20, 30], { level: "system", dtype: "i32" });
  return batch;
}

async function written(path: string): Promise<void> {
  const sink = await openSink(path);
  await sink.write(frames());
  await sink.close();
}

function whole(path: string, systems: number): SinkReport {
  const summary = `${path}: ${systems} systems, no damage found`;
  return { path, systems, unsummed: 0, damage: [], summary };
}

/** Returns the files of a sink: one, or those of a folder. */
async function filesOf(path: string): Promise<string[]> {
  if (!(await Deno.stat(path)).isDirectory) return [path];
  const names = Array.from(Deno.readDirSync(path), ({ name }) => `${path}/${name}`).sort();
  return (await Promise.all(names.map(filesOf))).flat();
}

/** Returns all values that a reader gets. */
async function contentOf(path: string): Promise<unknown> {
  await using systems = await openSystems(path);
  return await Promise.all(Array.from({ length: systems.length }, async (_, i) => {
    const system = await systems.get(i);
    return [system.info, system.fields().map(({ name }) => [name, ...system.get(name)])];
  }));
}

async function inSink<T>(path: string, work: (sink: StoredSink) => Promise<T>): Promise<T> {
  const sink = await openSink(path);
  try {
    return await work(sink);
  } finally {
    await sink.close();
  }
}

for (const ending of ENDINGS) {
  Deno.test(`a .${ending} has no damage after it was written, added to, truncated and rewritten`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      await written(path);
      assertEquals(await verifySink(path), whole(path, 4));
      await inSink(path, async (sink) => {
        await sink.write(frames());
        await sink.truncate(3);
        await sink.write(frames());
      });
      assertEquals(await verifySink(path), whole(path, 7));
    }));

  Deno.test(`a flipped bit in a .${ending} is reported, or is in unused space and changes nothing`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`, random = randomOf(3);
      await written(path);
      const right = await contentOf(path), files = await filesOf(path);
      const all = Array.from({ length: 200 }, () => random()), flips = few(all.slice(0, 4), all);
      let reported = 0;
      for (const place of flips) {
        const file = files[Math.floor(place * files.length)]!, bytes = await Deno.readFile(file);
        const bit = Math.floor(random() * 8 * bytes.length), wrong = bytes.slice();
        wrong[bit >> 3]! ^= 1 << (bit & 7);
        await Deno.writeFile(file, wrong);
        const { damage } = await verifySink(path).catch((error) => ({ damage: [error] }));
        if (damage.length > 0) reported++;
        else assertEquals(await contentOf(path), right, `bit ${bit} of ${file}`);
        await Deno.writeFile(file, bytes);
      }
      if (ending === "zarr" && flips === all) {
        assert(reported > 0.7 * flips.length, `${reported} were reported`);
      }
      if (ending === "xyz" || ending === "jsonl") assertEquals(reported, flips.length);
    }));
}

test("missing parts are reported: a chunk, a row, the end of a record, a checksum", () =>
  withFolder(async (folder) => {
    const [text, store] = [`${folder}/x.jsonl`, `${folder}/x.zarr`];
    await written(text);
    await written(store);
    await Deno.remove(`${store}/core/positions/c/0/0`);
    const { damage: [chunk] } = await verifySink(store);
    assertEquals(chunk, { place: `${store}/core/positions, chunk 0`, reason: "it is missing" });
    const whole = await Deno.readTextFile(text);
    await Deno.writeTextFile(text, whole.replace(/,"crc32c":"[0-9a-f]{8}"/, ""));
    assertEquals((await verifySink(text)).damage, [
      { place: "line 1", reason: "its checksum is missing" },
    ]);
    await Deno.writeTextFile(text, whole.slice(0, -5));
    const { damage, systems } = await verifySink(text);
    assertEquals([systems, damage.map(({ reason }) => reason)], [
      3,
      ["the file ends with an incomplete record"],
    ]);
  }));

test("metadata that were removed from a .zarr or cut in half are reported", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await written(path);
    for (const name of ["", "core/", "custom/", "hooke/", "meta/"]) {
      const file = `${path}/${name}zarr.json`, text = await Deno.readTextFile(file);
      await Deno.remove(file);
      assertEquals((await verifySink(path)).damage[0], { place: file, reason: "it is missing" });
      await Deno.writeTextFile(file, text.slice(0, text.length / 2));
      assertEquals((await verifySink(path)).damage[0]?.place, file);
      await Deno.writeTextFile(file, text);
    }
    assertEquals(await verifySink(path), whole(path, 4));
  }));

test("a chunk that was removed from a .zarr is an error when it is read or added to", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await written(path);
    await Deno.remove(`${path}/core/positions/c/0/0`);
    const message = `${path}/core/positions: its chunk 0 is missing`;
    await assertRejects(() => contentOf(path), SyntaxError, message);
    await assertRejects(() => openSink(path), SyntaxError, message);
  }));

test("files of other programs have no checksums: only their form is checked, as that of tables", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`, table = `${folder}/x.csv`;
    await Deno.writeTextFile(path, "1\nProperties=species:S:1:pos:R:3\nAr 0 0 0\n");
    const { summary, ...report } = await verifySink(path);
    assertEquals(report, { path, systems: 1, unsummed: 1, damage: [] });
    assertStringIncludes(summary, "; 1 part has no checksum: only the format was checked");
    const frame = "1\nProperties=species:S:1:pos:R:3\nAr 0 0 0\n";
    await Deno.writeTextFile(path, frame + frame.replace("0 0 0", "0 zero 0"));
    const { damage: [wrong, ...others] } = await verifySink(path);
    assertEquals([wrong!.place, others], ["frame 2, lines 4 to 6", []]);
    assertStringIncludes(wrong!.reason, "line 6"); // the reason has the line of the file
    await written(table);
    assertEquals((await verifySink(table)).damage, []);
    await assertRejects(() => verifySink(`${folder}/none.xyz`), Error, "there is no such file");
  }));
