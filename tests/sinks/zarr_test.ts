import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FileSystemStore } from "@zarrita/storage";
import * as zarr from "zarrita";
import { Batch } from "../../src/batch/mod.ts";
import { openSink, ZarrSink } from "../../src/sinks/mod.ts";
import { namesIn, withFolder } from "../checkpoint/folder.ts";
import { slowTest, test } from "../suite.ts";
import { frameAt } from "./zarr_endless.ts";

/** Returns the values of an array as another program reads them. */
async function valuesOf(path: string, name: string): Promise<number[]> {
  const array = await zarr.open(zarr.root(new FileSystemStore(path)).resolve(name), {
    kind: "array",
  });
  const { data } = await zarr.get(array);
  return Array.from(data as ArrayLike<number | bigint>, Number);
}

/** Returns the number of bytes of all files of a folder. */
function sizeOf(path: string): number {
  return Array.from(Deno.readDirSync(path)).reduce((sum, { name, isDirectory }) => {
    const one = `${path}/${name}`;
    return sum + (isDirectory ? sizeOf(one) : Deno.statSync(one).size);
  }, 0);
}

test("another reader finds rows, pointers and edges counted in the store", async () => {
  for (const compression of ["zstd", "none"] as const) {
    await withFolder(async (folder) => {
      const path = `${folder}/x.zarr`;
      await using sink = new ZarrSink(path, { compression });
      const pair = { symbols: ["O", "H"], positions: [0, 0, 0, 1, 0, 0], edges: [0, 1, 1, 0] };
      await sink.write(Batch.from([pair, { symbols: ["Ar"], positions: [7, 8, 9] }, pair]));
      await sink.flush();
      await sink.write(Batch.from([pair]));
      await sink.flush();
      assertEquals(await valuesOf(path, "meta/atoms_ptr"), [0, 2, 3, 5, 7]);
      assertEquals(await valuesOf(path, "meta/edges_ptr"), [0, 2, 2, 4, 6]);
      assertEquals(await valuesOf(path, "meta/samples_mask"), [1, 1, 1, 1]);
      assertEquals(await valuesOf(path, "core/atomic_numbers"), [8, 1, 18, 8, 1, 8, 1]);
      assertEquals(
        await valuesOf(path, "core/neighbor_list"),
        [0, 1, 1, 0, 3, 4, 4, 3, 5, 6, 6, 5],
      );
      assertEquals((await valuesOf(path, "core/positions")).slice(6, 9), [7, 8, 9]);
      assertEquals(await valuesOf(path, "custom/systemId"), [0, 1, 2, 0]);
    });
  }
});

test("info is read back with its arrays; info that is not plain data is refused by name", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await using sink = new ZarrSink(path);
    await sink.open();
    const known = (info: Record<string, unknown>) =>
      Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], info }]);
    const info = { w: Float32Array.of(1, -0), none: NaN, $x: [null, { deep: [Infinity] }] };
    await sink.write(known(info));
    for (const bad of [1n, () => 1, new Date(0), new Map(), undefined]) {
      const write = async () => await sink.write(known({ fine: 1, bad }));
      await assertRejects(
        write,
        TypeError,
        `Cannot write to ${path}: info.bad must be plain data`,
      );
    }
    assertEquals((await sink.read()).infos, [info]);
  });
});

test("readers find flushed systems, and only those, while a sink writes", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await using sink = new ZarrSink(path);
    await sink.open();
    await sink.write(frameAt(0));
    await sink.flush();
    await sink.write(frameAt(1));
    const other = new ZarrSink(path);
    assertEquals((await other.read()).size, 1);
    await sink.flush();
    assertEquals([...(await other.read()).get("step")], [0, 1]);
  });
});

slowTest(
  "a thousand frames take few files, and space that flushes leave unused is reused",
  async () => {
    await withFolder(async (folder) => {
      const count = (path: string): number =>
        Array.from(Deno.readDirSync(path)).reduce(
          (sum, { name, isDirectory }) => sum + (isDirectory ? count(`${path}/${name}`) : 1),
          0,
        );
      const sizes = [];
      for (const every of [1000, 1]) {
        const path = `${folder}/${every}.zarr`;
        await using sink = new ZarrSink(path, { fields: ["forces"] });
        for (let step = 0; step < 300; step++) {
          await sink.write(frameAt(step));
          if (step % every === 0) await sink.flush();
        }
        await sink.close();
        assert(count(path) < 40, `${count(path)} files`);
        sizes.push(sizeOf(path));
      }
      // Each flush writes the last chunk again, into the space of an older state of it.
      assert(sizes[1]! < 2 * sizes[0]!, `${sizes[1]} bytes where ${sizes[0]} would do`);
    });
  },
);

slowTest(
  "a store continues after an earlier sink, in the middle of chunks and shards",
  async () => {
    for (const compression of ["zstd", "none"] as const) {
      await withFolder(async (folder) => {
        const path = `${folder}/x.zarr`, options = { compression, chunkBytes: 64 };
        for (let from = 0; from < 700; from += 100) {
          await using sink = new ZarrSink(path, options);
          for (let step = from; step < from + 100; step++) await sink.write(frameAt(step));
        }
        // 64 bytes are two rows of three numbers, and 254 chunks a shard.
        assert(namesIn(`${path}/core/positions/c`).length > 3);
        const all = await new ZarrSink(path).read();
        const steps = Array.from({ length: 700 }, (_, step) => step);
        assertEquals([...all.get("step")], steps);
        const expected = Batch.from(steps.map((step) => frameAt(step).system(0)));
        assertEquals(all.get("positions"), expected.get("positions"));
        assertEquals(all.get("edges"), expected.get("edges"));
      });
    }
  },
);

test("float32 keeps seven digits, and only the chosen fields are stored", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await using sink = new ZarrSink(path, { precision: "f32", fields: ["energy"] });
    await sink.write(frameAt(1));
    const back = await sink.read();
    assertEquals(back.get("energy")[0], Math.fround(1 / 3));
    assertEquals(back.get("energy") instanceof Float64Array, true);
    assertEquals([back.has("forces"), back.has("step"), back.has("edges")], [false, true, false]);
    assertEquals([...back.get("masses")], [4.002602, 4.002602]); // of the elements, because the masses were not stored
  });
});

test("only the chunks of a slice are read", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    {
      await using sink = new ZarrSink(path, { compression: "none", chunkBytes: 128 });
      for (let step = 0; step < 50; step++) await sink.write(frameAt(step));
    }
    const file = `${path}/core/positions/c/0/0`, bytes = await Deno.readFile(file);
    const index = new DataView(bytes.buffer, bytes.length - 254 * 16 - 4);
    index.setBigUint64(16 * 3, 2n ** 40n, true); // the fourth chunk does not exist any more
    await Deno.writeFile(file, bytes);
    const sink = new ZarrSink(path);
    await assertRejects(() => sink.read(), SyntaxError, "match their checksums");
    const { crc32c } = await import("../../src/base/crc32c.ts");
    const sum = crc32c(bytes.subarray(bytes.length - 254 * 16 - 4, bytes.length - 4));
    new DataView(bytes.buffer).setUint32(bytes.length - 4, sum, true);
    await Deno.writeFile(file, bytes);
    await assertRejects(() => sink.read(), SyntaxError, "core/positions");
    assertEquals((await sink.slice({ steps: [40, 41] })).get("positions"), frameAt40());
  });
});

function frameAt40(): Float64Array {
  return Batch.from([frameAt(40).system(0), frameAt(41).system(0)]).get("positions");
}

test("select returns systems in the order of the given places, with repetitions", async () => {
  await withFolder(async (folder) => {
    await using sink = new ZarrSink(`${folder}/x.zarr`, { chunkBytes: 64 });
    for (let step = 0; step < 20; step++) await sink.write(frameAt(step));
    const some = await sink.select([17, 3, 3, 4, 0]);
    assertEquals([...some.get("step")], [17, 3, 3, 4, 0]);
    assertEquals(some.infos.map(({ step }) => step), [17, 3, 3, 4, 0]);
    assertEquals(some.system(0).get("edges"), frameAt(17).system(0).get("edges"));
    await assertRejects(() => sink.select([20]), RangeError, "below 20");
    await assertRejects(() => sink.select([]), RangeError);
  });
});

test("a folder or file that is not a store is not changed", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/other`);
    await Deno.writeTextFile(`${folder}/other/notes.txt`, "mine");
    await Deno.writeTextFile(`${folder}/file`, "mine");
    for (const name of ["other", "file", "file/within"]) {
      const sink = new ZarrSink(`${folder}/${name}`);
      await assertRejects(() => sink.open(), SyntaxError, `Cannot open ${folder}/${name}`);
    }
    assertEquals(namesIn(`${folder}/other`), ["notes.txt"]);
    await Deno.mkdir(`${folder}/empty`);
    await Deno.writeTextFile(`${folder}/empty/zarr.json.tmp`, "{"); // the first file, incomplete
    await using sink = new ZarrSink(`${folder}/empty`);
    await sink.open();
    assertEquals(namesIn(`${folder}/empty`), ["core", "custom", "hooke", "meta", "zarr.json"]);
  });
});

test("a store of a newer version is refused with that reason", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await (await openSink(path)).close();
    const root = await Deno.readTextFile(`${path}/zarr.json`);
    await Deno.writeTextFile(`${path}/zarr.json`, root.replace('"version":1', '"version":2'));
    await assertRejects(() => new ZarrSink(path).open(), RangeError, "version must be 1 or less");
  });
});

test("options are checked", () => {
  assertThrows(() => new ZarrSink("x", { level: 99 }), RangeError, "level must be a whole number");
  assertThrows(() => new ZarrSink("x", { compression: "blosc" as "zstd" }), TypeError, '"blosc"');
  assertThrows(() => new ZarrSink("x", { chunks: 2 } as object), TypeError, "among capacity");
});

test("a store that does not exist has no systems, and reading does not create it", async () => {
  await withFolder(async (folder) => {
    const sink = new ZarrSink(`${folder}/x.zarr`);
    await assertRejects(() => sink.read(), RangeError, "it is empty");
    assertEquals(namesIn(folder), []);
  });
});

test("a store that a killed process left incomplete is created anew", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await (await openSink(path)).close();
    for (const gone of ["meta/edges_ptr", "meta", "core", "hooke"]) {
      await Deno.remove(`${path}/${gone}`, { recursive: true });
      await assertRejects(() => new ZarrSink(path).read(), RangeError, "it is empty");
      await using sink = new ZarrSink(path);
      await sink.open();
    }
    await using sink = new ZarrSink(path);
    await sink.write(frameAt(3));
    assertEquals((await sink.read()).get("step")[0], 3);
  });
});

test("a field that no commit completed before a kill is removed; arrays of other programs stay", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    {
      await using sink = new ZarrSink(path);
      await sink.write(frameAt(0));
    }
    const root = await Deno.readTextFile(`${path}/zarr.json`);
    {
      await using sink = new ZarrSink(path);
      const frame = frameAt(1);
      frame.set("late", 5, { level: "system" });
      await sink.write(frame);
    }
    await Deno.writeTextFile(`${path}/zarr.json`, root); // the state before its last file was written
    const rows = await Deno.readTextFile(`${path}/custom/step/zarr.json`);
    const theirs = rows.replace(/"attributes":{.*?}},/, '"attributes":{},');
    await Deno.mkdir(`${path}/custom/theirs`);
    await Deno.writeTextFile(`${path}/custom/theirs/zarr.json`, theirs);
    await using sink = new ZarrSink(path);
    await sink.open();
    assertEquals(sink.length, 1);
    assertEquals(namesIn(`${path}/custom`), ["step", "systemId", "theirs", "zarr.json"]);
    assertEquals(await valuesOf(path, "custom/step"), [0]);
    await sink.write(frameAt(2));
    assertEquals([...(await sink.read()).get("step")], [0, 2]);
  });
});

test("systems that are written while a store is drained or cleared stay", async () => {
  await withFolder(async (folder) => {
    for (const isOpen of [true, false]) {
      await using sink = new ZarrSink(`${folder}/${isOpen}.zarr`, { chunkBytes: 64 });
      if (isOpen) await sink.open();
      for (let step = 0; step < 10; step++) sink.write(frameAt(step));
      const draining = sink.drain();
      for (let step = 10; step < 20; step++) sink.write(frameAt(step));
      assertEquals([...(await draining).get("step")], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const clearing = sink.clear();
      sink.write(frameAt(20));
      await clearing;
      sink.write(frameAt(21));
      assertEquals([...(await sink.read()).get("step")], [20, 21]);
      assertEquals(sink.length, 2);
    }
  });
});

test("a store may be in the current folder and have a name of one letter", async () => {
  const folder = await Deno.makeTempDir(), before = Deno.cwd();
  Deno.chdir(folder);
  try {
    const sink = new ZarrSink("s");
    await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]));
    await sink.close();
    assertEquals(sink.length, 1);
  } finally {
    Deno.chdir(before);
    await Deno.remove(folder, { recursive: true });
  }
});
