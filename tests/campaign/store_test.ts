import { assertEquals, assertRejects } from "@std/assert";
import process from "node:process";
import { compactStore, type ItemResult, openResultStore } from "../../src/campaign/mod.ts";

function result(n: number, energy: number = -n): ItemResult {
  return {
    id: n.toString(16).padStart(64, "0"),
    status: "done",
    energy,
    stages: [{ stage: "singlepoint", steps: 0, energy, fmax: 0.25 }],
    structure: '{"cell":[0,0,0,0,0,0,0,0,0],"positions":[-0,1,2]}',
  };
}

async function folder(): Promise<string> {
  return `${await Deno.makeTempDir()}/store`;
}

async function shards(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(`${path}/shards`)) {
    if (name.endsWith(".jsonl")) names.push(`${path}/shards/${name}`);
  }
  return names.sort();
}

Deno.test("a reader sees results while they are written, and results read back are equal", async () => {
  const path = await folder();
  await using writer = await openResultStore(path, { label: "a" });
  const reader = await openResultStore(path);
  assertEquals([reader.size, reader.has(result(1).id)], [0, false]);
  writer.putIfAbsent(result(1));
  await writer.flush();
  await reader.refresh();
  assertEquals(await reader.get(result(1).id), result(1));
  writer.putIfAbsent(result(2));
  writer.putIfAbsent({ ...result(3), status: "failed", reason: 'a "quote"\n', energy: NaN });
  await writer.flush();
  await reader.refresh();
  assertEquals(reader.all().map(({ status }) => status), ["done", "done", "failed"]);
  assertEquals((await reader.get(result(3).id))?.reason, 'a "quote"\n');
});

Deno.test("an unfinished last line is no result, with an index and without", async () => {
  const path = await folder();
  const writer = await openResultStore(path);
  for (const n of [1, 2, 3]) writer.putIfAbsent(result(n));
  await writer.close();
  const [shard] = await shards(path), index = shard!.replace(".jsonl", ".index");
  const whole = await Deno.readFile(shard!), entries = await Deno.readFile(index);
  const ids = async () => (await openResultStore(path)).all().map(({ energy }) => energy);
  assertEquals(await ids(), [-1, -2, -3]);
  for (const cut of [1, 40, 170]) {
    await Deno.writeFile(shard!, whole.subarray(0, whole.length - cut));
    assertEquals(await ids(), [-1, -2]);
  }
  await Deno.writeFile(shard!, whole);
  for (const kept of [0, 30, 64, 130]) {
    await Deno.writeFile(index, entries.subarray(0, kept));
    assertEquals(await ids(), [-1, -2, -3]);
  }
  await Deno.remove(index);
  assertEquals(await ids(), [-1, -2, -3]);
});

Deno.test("a damaged record is reported, and is no result", async () => {
  const path = await folder();
  const writer = await openResultStore(path);
  for (const n of [1, 2, 3]) writer.putIfAbsent(result(n));
  await writer.close();
  const [shard] = await shards(path);
  const bytes = await Deno.readFile(shard!);
  const at = Math.floor(bytes.length / 2);
  bytes[at]! ^= 1;
  await Deno.writeFile(shard!, bytes);
  // The index has the record, so the damage shows when its bytes are read.
  const indexed = await openResultStore(path);
  await assertRejects(() => indexed.get(result(2).id), Error, "is damaged at byte");
  await Deno.remove(shard!.replace(".jsonl", ".index"));
  const store = await openResultStore(path);
  assertEquals(store.all().map(({ energy }) => energy), [-1, -3]);
  assertEquals(store.damage, [{ shard: shard!, offset: bytes.length / 3 }]);
});

Deno.test("equal results of two processes are one, and different ones are a fault that all readers resolve alike", async () => {
  const path = await folder();
  const [a, b] = [await openResultStore(path), await openResultStore(path)];
  for (const store of [a, b]) store.putIfAbsent(result(1));
  a.putIfAbsent(result(2, -2));
  b.putIfAbsent(result(2, -2.5));
  await a.close();
  await b.close();
  const faults: string[] = [];
  const store = await openResultStore(path, { onFault: ({ id }) => faults.push(id) });
  assertEquals([store.size, store.faults.length, faults], [2, 1, [result(2).id]]);
  const chosen = (await store.get(result(2).id))!.energy;
  await a.refresh();
  await b.refresh();
  for (const one of [a, b]) {
    assertEquals([one.faults.length, (await one.get(result(2).id))!.energy], [1, chosen]);
  }
});

Deno.test("merging keeps all results, and what is written meanwhile", async () => {
  const path = await folder();
  for (const n of [1, 2, 3]) {
    await using store = await openResultStore(path);
    store.putIfAbsent(result(n));
  }
  const before = await openResultStore(path), bytes = await before.bytesOf(result(2).id);
  assertEquals(await compactStore(path), { results: 3, removed: 3, kept: 0 });
  assertEquals((await shards(path)).length, 1);
  const after = await openResultStore(path);
  assertEquals([after.size, await after.bytesOf(result(2).id)], [3, bytes]);
  assertEquals(await compactStore(path), { results: 3, removed: 0, kept: 1 });

  const writer = await openResultStore(path);
  writer.putIfAbsent(result(4));
  await writer.flush();
  await compactStore(path);
  writer.putIfAbsent(result(5));
  await assertRejects(() => writer.flush(), Error, "the shard was removed during the run");
  assertEquals((await openResultStore(path)).size, 4);
  await writer.close().catch(() => {});

  const [a, b] = [await openResultStore(path), await openResultStore(path)];
  a.putIfAbsent(result(6));
  b.putIfAbsent(result(6, 1));
  await a.close();
  await b.close();
  await assertRejects(() => compactStore(path), Error, "differ");
});

Deno.test("two stores in one process write shards of their own", async () => {
  const path = await folder();
  for (let n = 0; n < 3; n++) {
    await using store = await openResultStore(path, { label: "same" });
    assertEquals(store.putIfAbsent(result(0)), n === 0);
    store.putIfAbsent(result(n + 1));
  }
  assertEquals((await shards(path)).length, 3);
  assertEquals((await openResultStore(path)).size, 4);
  await assertRejects(() => openResultStore(path, { label: "../x" }), TypeError, "label must be");
});

/** Replaces the syncs of files that are opened until the result is disposed of. */
function withSync(datasync: () => Promise<void>): Disposable {
  const fs = process.getBuiltinModule("node:fs/promises"), { open } = fs;
  fs.open = async (...given) => Object.assign(await open(...given), { datasync });
  return { [Symbol.dispose]: () => void (fs.open = open) };
}

Deno.test("every flush waits until the disk has the results, also one during another", async () => {
  const path = await folder(), { promise, resolve } = Promise.withResolvers<void>();
  let syncs = 0;
  using _syncs = withSync(() => (syncs++, promise));
  await using store = await openResultStore(path);
  store.putIfAbsent(result(1));
  const ended: string[] = [];
  const first = store.flush().then(() => ended.push("first"));
  while (syncs < 1) await new Promise((next) => setTimeout(next));
  const second = store.flush().then(() => ended.push("second"));
  while (syncs < 2 && ended.length === 0) await new Promise((next) => setTimeout(next));
  assertEquals(ended, []);
  resolve();
  await Promise.all([first, second]);
  await store.flush();
  assertEquals([ended.length, syncs], [2, 2]);
});

Deno.test("after a disk has failed once, no later flush succeeds", async () => {
  const path = await folder();
  using _syncs = withSync(() => Promise.reject(new Error("no space left on the disk")));
  const store = await openResultStore(path);
  store.putIfAbsent(result(1));
  for (let k = 0; k < 2; k++) await assertRejects(() => store.flush(), Error, "no space left");
  await assertRejects(() => store.close(), Error, "no space left");
});

Deno.test("an index has no result that a power failure could take", async () => {
  const path = await folder();
  await using store = await openResultStore(path);
  store.putIfAbsent(result(1));
  const sizes = async () => {
    const files = (await Array.fromAsync(Deno.readDir(`${path}/shards`))).map(({ name }) => name);
    const sizeOf = async (ending: string) =>
      (await Deno.stat(`${path}/shards/${files.find((name) => name.endsWith(ending))}`)).size;
    return [await sizeOf(".jsonl") > 0, await sizeOf(".index")];
  };
  await store.flush({ sync: false });
  assertEquals(await sizes(), [true, 0]);
  assertEquals((await openResultStore(path)).has(result(1).id), true);
  await store.flush();
  assertEquals(await sizes(), [true, 64]);
});
