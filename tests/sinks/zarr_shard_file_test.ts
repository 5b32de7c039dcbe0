import { assert, assertEquals } from "@std/assert";
import { crc32c } from "../../src/base/crc32c.ts";
import type { FileSystem } from "../../src/sinks/zarr/files.ts";
import { INDEX_SIZE, ShardFile } from "../../src/sinks/zarr/shard_file.ts";
import { randomOf } from "./zarr_fuzz.ts";

/** A disk with one file. It calls `killed` with every state in which a kill could leave the file. */
function diskOf(killed: (bytes: Uint8Array) => void): FileSystem {
  let bytes: Uint8Array = new Uint8Array(0);
  const put = (part: Uint8Array, position: number) => {
    const next = new Uint8Array(Math.max(bytes.length, position + part.length));
    next.set(bytes);
    next.set(part, position);
    bytes = next;
    killed(bytes);
  };
  const resize = (size: number) => {
    const next = new Uint8Array(size);
    next.set(bytes.subarray(0, size));
    bytes = next;
  };
  const file = {
    read(buffer: Uint8Array, offset: number, length: number, position: number) {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return Promise.resolve({ bytesRead: part.length });
    },
    write(buffer: Uint8Array, offset: number, length: number, position: number) {
      const all = buffer.subarray(offset, offset + length);
      // A page is written entirely or not at all; of several pages, a kill may leave the first ones.
      const inPage = Math.min(length, 4096 - position % 4096);
      put(all.subarray(0, inPage), position);
      if (inPage < length) put(all.subarray(inPage), position + inPage);
      return Promise.resolve({ bytesWritten: length });
    },
    truncate(size: number) {
      resize(size);
      killed(bytes);
      return Promise.resolve();
    },
    stat: () => Promise.resolve({ size: bytes.length }),
    sync: () => Promise.resolve(),
    datasync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const fs: Pick<FileSystem, "open" | "mkdir"> = {
    open(_, flags) {
      if (flags === "w+") resize(0);
      return Promise.resolve(file);
    },
    mkdir: () => Promise.resolve(undefined),
  };
  return fs as FileSystem;
}

/** Returns the chunks of a shard by the index at its end; `undefined` if the index is not complete. */
function chunksIn(bytes: Uint8Array): Map<number, Uint8Array> | undefined {
  const at = bytes.length - INDEX_SIZE;
  if (at < 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  const sum = view.getUint32(INDEX_SIZE - 4, true);
  if (sum !== crc32c(bytes.subarray(at, at + INDEX_SIZE - 4))) return undefined;
  const chunks = new Map<number, Uint8Array>();
  for (let chunk = 0; chunk < 254; chunk++) {
    const from = view.getBigUint64(16 * chunk, true),
      size = view.getBigUint64(16 * chunk + 8, true);
    if (from === 2n ** 64n - 1n) continue;
    chunks.set(chunk, bytes.slice(Number(from), Number(from + size)));
  }
  return chunks;
}

/** Returns bytes that identify a state of a chunk. */
function stateOf(chunk: number, state: number, size: number): Uint8Array {
  return new Uint8Array(size).map((_, i) => chunk * 31 + state * 7 + i);
}

Deno.test("at every moment the index at the end is complete and refers to committed chunks", async () => {
  for (const seed of [1, 2]) {
    const random = randomOf(seed), committed = new Map<number, Uint8Array>();
    let coming = new Map<number, Uint8Array>(), checks = 0, largest = 0;
    const fs = diskOf((bytes) => {
      largest = Math.max(largest, bytes.length);
      if (committed.size === 0) return;
      checks++;
      const chunks = chunksIn(bytes);
      assert(chunks !== undefined, "there is no whole index");
      for (const [chunk, right] of committed) {
        const found = String(chunks.get(chunk));
        const isThere = found === String(right) || found === String(coming.get(chunk));
        assert(isThere, `chunk ${chunk} is ${found.slice(0, 40)}, not ${right.slice(0, 9)}`);
      }
    });
    let shard = await ShardFile.make(fs, "c/0"), chunk = 0, size = 40, total = 0;
    for (let state = 0; state < 150 && chunk < 254; state++) {
      const isDone = random() < 0.3;
      const bytes = stateOf(chunk, state, isDone ? 1900 : size);
      await shard.put(chunk, bytes);
      coming.set(chunk, bytes);
      if (isDone) total += 1900;
      [chunk, size] = isDone ? [chunk + 1, 40] : [chunk, size + Math.floor(100 * random())];
      if (random() < 0.6) {
        const isEnd = random() < 0.1;
        await (isEnd ? shard.finish() : shard.commit());
        for (const [one, right] of coming) committed.set(one, right);
        coming = new Map();
        const kept = Math.max(...committed.keys()) + 1;
        if (isEnd) shard = await ShardFile.open(fs, "c/0", kept);
      }
    }
    await shard.finish();
    assert(checks > 200 && committed.size > 20);
    assert(largest < 3 * total, `${largest} bytes for ${total}`);
  }
});

Deno.test("a finished shard has no unused space", async () => {
  let bytes: Uint8Array = new Uint8Array(0);
  const shard = await ShardFile.make(diskOf((now) => bytes = now), "c/0");
  for (let chunk = 0; chunk < 9; chunk++) await shard.put(chunk, stateOf(chunk, 0, 5000));
  await shard.finish();
  assertEquals(bytes.length, 9 * 5000 + INDEX_SIZE);
  assertEquals(chunksIn(bytes)?.get(8), stateOf(8, 0, 5000));
});

Deno.test("a repeated chunk takes no space, and its bytes stay when it is replaced", async () => {
  let bytes: Uint8Array = new Uint8Array(0);
  const fs = diskOf((now) => bytes = now), first = stateOf(0, 0, 5000);
  let shard = await ShardFile.make(fs, "c/0");
  await shard.put(0, first);
  for (let chunk = 1; chunk < 9; chunk++) shard.repeat(chunk);
  await shard.finish();
  assert(bytes.length < 3 * 5000, `${bytes.length} bytes`);
  assertEquals([0, 8].map((chunk) => chunksIn(bytes)?.get(chunk)), [first, first]);

  // The store was truncated within chunk 8, which then gets other rows, twice.
  shard = await ShardFile.open(fs, "c/0", 9);
  for (const state of [1, 2, 3]) {
    await shard.put(8, stateOf(8, state, 5000));
    await shard.commit();
    assertEquals([0, 7].map((chunk) => chunksIn(bytes)?.get(chunk)), [first, first]);
    assertEquals(chunksIn(bytes)?.get(8), stateOf(8, state, 5000));
  }
  await shard.finish();
});
