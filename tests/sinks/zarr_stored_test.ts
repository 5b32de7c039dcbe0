// Chunks that zstd hardly shrinks are stored in frames of raw blocks, and fields may begin late.
import { assert, assertEquals } from "@std/assert";
import { FileSystemStore } from "@zarrita/storage";
import * as zarr from "zarrita";
import { zstdDecompressSync } from "node:zlib";
import { Batch } from "../../src/batch/mod.ts";
import { ChunkPacker } from "../../src/sinks/zarr/chunk_packer.ts";
import { openHost } from "../../src/sinks/zarr/files.ts";
import { verifySink, ZarrSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const ZSTD = { compression: "zstd", level: 1 } as const;

function noise(size: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: size }, () => (state = state * 48271 % 2147483647) & 255);
}

Deno.test("each frame of zstd has its content, of any size, stored or compressed", () => {
  for (const size of [1, 255, 131071, 131072, 131073, 300_001]) {
    const packer = new ChunkPacker(openHost("test").zlib), shrinkage = { stored: 0 };
    const bytes = noise(size);
    const sizes = Array.from({ length: 40 }, () => {
      const body = packer.pack(bytes, ZSTD, shrinkage).slice(0, -4);
      const unpacked = zstdDecompressSync(body);
      assert(unpacked.length === size && unpacked.every((x, i) => x === bytes[i]), `${size} bytes`);
      return body.length;
    });
    assert(sizes.every((one) => one <= size + 20), `${size} bytes took ${sizes}`);
  }
});

Deno.test("bytes that shrink are compressed, also after some that do not", () => {
  const packer = new ChunkPacker(openHost("test").zlib), shrinkage = { stored: 0 };
  const sizeOf = (bytes: Uint8Array) => packer.pack(bytes, ZSTD, shrinkage).length;
  const zeros = new Uint8Array(65536);
  for (let i = 0; i < 9; i++) assert(sizeOf(zeros) < 100, `chunk ${i} of zeros`);
  sizeOf(noise(65536));
  const later = Array.from({ length: 60 }, () => sizeOf(zeros));
  assert(later.at(-1)! < 100 && later.filter((size) => size > 60000).length < 32, `${later}`);
  const fine = Array.from({ length: 9 }, () => {
    return packer.pack(noise(65536).fill(7, 0, 9999), { ...ZSTD, level: 3 }, shrinkage).length;
  });
  assert(fine.every((size) => size < 60000), "at a higher level all chunks are compressed");
});

Deno.test("other programs read chunks that are stored raw", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, atoms = 3000, frames = 8;
    const all = new Float32Array(noise(12 * atoms * frames).map((x) => x >> 1).buffer);
    {
      await using sink = new ZarrSink(path, { precision: "f32" });
      for (let i = 0; i < frames; i++) {
        const positions = all.subarray(3 * atoms * i, 3 * atoms * (i + 1));
        await sink.write(
          Batch.from([{ numbers: new Int32Array(atoms).fill(18), positions, cell: [9, 9, 9] }]),
        );
      }
    }
    const root = zarr.root(new FileSystemStore(path));
    const array = await zarr.open(root.resolve("core/positions"), { kind: "array" });
    assertEquals((await zarr.get(array)).data as Float32Array, all);
    assertEquals((await verifySink(path)).damage, []);
  });
});

Deno.test("a field that begins after several chunks of systems is read with its fill value before", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, first = 2500, later = 3;
    await using sink = new ZarrSink(path);
    const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]);
    for (let i = 0; i < first; i++) await sink.write(batch);
    await sink.flush();
    const named = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], info: { label: "late" } }]);
    named.set("late", 7, { level: "system", dtype: "f64", fill: -1 });
    named.set("tag", 8, { level: "node", dtype: "i32", fill: 5 });
    for (let i = 0; i < later; i++) await sink.write(named);
    const all = await sink.read();
    const expected = (before: number, after: number) => [
      ...Array<number>(first).fill(before),
      ...Array<number>(later).fill(after),
    ];
    assertEquals([...all.get("late")], expected(-1, 7));
    assertEquals([...all.get("tag")], expected(5, 8));
    assertEquals([all.infos[first - 1], all.infos[first]], [{}, { label: "late" }]);
    assertEquals((await verifySink(path)).damage, []);
  });
});
