// Systems from files, batched by atoms and edges, shuffled, split and got ahead.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, type SystemInput } from "../../../src/batch/mod.ts";
import { openSink, openSystems } from "../../../src/sinks/mod.ts";
import {
  atomsData,
  atomsLoader,
  type DataSource,
  splitDataset,
  type TrainingBatch,
} from "../../../src/training/mod.ts";

/** Chains of argon, 3.8 Å apart: n atoms have 2 (n − 1) edges within 5 Å. Their energy tells which they are. */
const SIZES = [2, 4, 3, 5, 1, 6, 2, 3, 4, 7];
const chains = (): SystemInput[] =>
  SIZES.map((atoms, i) => ({
    symbols: Array<string>(atoms).fill("Ar"),
    positions: Array.from({ length: atoms }, (_, k) => [3.8 * k, 0.01 * i, 0]),
    energy: i,
  }));

async function inFiles(test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const ending of ["xyz", "jsonl", "db", "zarr"]) {
      const path = `${folder}/chains.${ending}`, sink = await openSink(path);
      for (const chain of chains()) await sink.write(Batch.from([chain]));
      await sink.close();
      await test(path);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const batchesOf = (source: DataSource, epoch = 0, from = 0): Promise<TrainingBatch[]> =>
  Array.fromAsync(source.batches(epoch, from));
/** The systems of each batch. */
const membersOf = (batches: readonly TrainingBatch[]) =>
  batches.map(({ feeds }) => Array.from(feeds.energy_target!.data as Float32Array));
const OPTIONS = { cutoff: 5, seed: 3 };

Deno.test("systems of a file are got in any order, from every format with the same numbers", () =>
  inFiles(async (path) => {
    await using file = await openSystems(path);
    assertEquals(file.length, SIZES.length);
    const want = Batch.from(chains());
    for (const place of [9, 0, 5, 5, 3]) {
      const system = await file.get(place);
      assertEquals([...system.positions], [...want.system(place).positions], path);
    }
    const all = await Promise.all(SIZES.map((_, place) => file.get(place)));
    assertEquals(all.map(({ nodeCount }) => nodeCount), SIZES);
    await assertRejects(
      () => file.get(10),
      RangeError,
      "a whole number below 10; got 10",
    );
  }));

Deno.test("batches of a file are, number by number, those of a list of the same systems", () =>
  inFiles(async (path) => {
    await using file = await openSystems(path);
    const ours = await batchesOf(atomsLoader(file, { ...OPTIONS, batchSize: 3 }), 1);
    const listed = await batchesOf(atomsData(chains(), { ...OPTIONS, batchSize: 3 }), 1);
    assertEquals(membersOf(ours), membersOf(listed));
    for (const [i, { feeds, size, tokens }] of ours.entries()) {
      assertEquals([feeds, size, tokens], [listed[i]!.feeds, listed[i]!.size, listed[i]!.tokens]);
    }
  }));

Deno.test("a batch has as many systems as atoms, edges and their number allow, in the order of the epoch", async () => {
  const loader = (limits: object, shuffle = false) =>
    atomsLoader(chains(), { ...OPTIONS, shuffle, ...limits });
  const batches = async (limits: object) => membersOf(await batchesOf(loader(limits)));
  assertEquals(await batches({ maxAtoms: 9 }), [[0, 1, 2], [3, 4], [5, 6], [7, 8], [9]]);
  assertEquals(await batches({ maxEdges: 12 }), [[0, 1, 2], [3, 4], [5, 6], [7, 8], [9]]);
  assertEquals(await batches({ maxEdges: 14 }), [[0, 1, 2], [3, 4], [5, 6], [7, 8], [9]]);
  assertEquals(await batches({ maxEdges: 22 }), [[0, 1, 2, 3, 4], [5, 6, 7, 8], [9]]);
  assertEquals(await batches({ maxAtoms: 9, batchSize: 2 }), [[0, 1], [2, 3], [4, 5], [6, 7], [8], [
    9,
  ]]);
  assertEquals([loader({ maxAtoms: 9 }).length, loader({ batchSize: 4 }).length], [undefined, 3]);
  for (const seed of [1, 2, 3]) {
    const shuffled = await batchesOf(loader({ maxAtoms: 12, maxEdges: 16, seed }, true), 2);
    assertEquals(membersOf(shuffled).flat().sort((a, b) => a - b), SIZES.map((_, i) => i));
    for (const { feeds, tokens } of shuffled) {
      assert(tokens! <= 12 && feeds.edge_index!.dims![1]! <= 16);
    }
  }
});

Deno.test("an epoch that is resumed anywhere gives the same batches, prefetched or not, by the same loader or a new one", () =>
  inFiles(async (path) => {
    await using file = await openSystems(path);
    const make = (prefetch = 2) =>
      atomsLoader(file, { ...OPTIONS, maxAtoms: 9, maxEdges: 14, prefetch });
    const known = make();
    const whole = membersOf(await batchesOf(known, 4));
    assert(whole.length > 4);
    for (let from = 0; from <= whole.length + 1; from++) {
      for (const source of [known, make(0), make(7)]) {
        assertEquals(membersOf(await batchesOf(source, 4, from)), whole.slice(from));
      }
    }
    assert(JSON.stringify(membersOf(await batchesOf(known, 5))) !== JSON.stringify(whole));
  }));

Deno.test("a file is split by a seed, and batches for workers", () =>
  inFiles(async (path) => {
    await using file = await openSystems(path);
    const members = async (seed: number) => {
      const parts = splitDataset(file, [0.6, 0.4], seed);
      const loaders = parts.map((part) => atomsLoader(part, { ...OPTIONS, maxAtoms: 10 }));
      return await Promise.all(
        loaders.map(async (one) => membersOf(await batchesOf(one)).flat().sort()),
      );
    };
    const [train, rest] = await members(1);
    assertEquals([train!.length, rest!.length, new Set([...train!, ...rest!]).size], [6, 4, 10]);
    assertEquals(await members(1), [train, rest]);
    const loader = atomsLoader(file, { ...OPTIONS, batchSize: 4 });
    const [batch] = await batchesOf(loader);
    const parts = loader.split!(batch!, 2);
    assertEquals(membersOf(parts).flat(), membersOf([batch!]).flat());
  }));

Deno.test("what cannot be is refused by name, a system that is too large when it comes up", async () => {
  const load = (options: object) => () =>
    atomsLoader(chains(), { ...OPTIONS, ...options } as never);
  assertThrows(
    load({}),
    TypeError,
    "a limit is required: pass at least one of batchSize, maxAtoms, maxEdges",
  );
  assertThrows(
    load({ maxAtoms: 0 }),
    RangeError,
    "maxAtoms must be a positive integer; got 0",
  );
  assertThrows(load({ maxEdges: "9" }), TypeError, "maxEdges must be a positive integer");
  assertThrows(load({ maxAtom: 9, batchSize: 1 }), TypeError, "maxAtom");
  assertThrows(load({ batchSize: 2, prefetch: -1 }), RangeError, "prefetch");
  assertThrows(
    () => atomsLoader(3 as never, { ...OPTIONS, batchSize: 1 }),
    TypeError,
    "samples must be an array",
  );
  const small = atomsLoader(chains(), { ...OPTIONS, maxAtoms: 6, shuffle: false });
  await assertRejects(
    () => batchesOf(small),
    RangeError,
    "must have at most 6 atoms (maxAtoms); got 7 in system 9",
  );
  await assertRejects(
    () => openSystems("/no/such.xyz"),
    Error,
    "Cannot open /no/such.xyz: there is no such file or folder",
  );
});
