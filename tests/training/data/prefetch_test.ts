import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { dataLoader, type IndexedDataset } from "../../../src/training/data/mod.ts";
import { gathered, numbersOf } from "./gathered.ts";

/** A dataset that notes what it is asked for. */
function noted(length: number): { asked: number[][]; dataset: IndexedDataset } {
  const asked: number[][] = [];
  const get = (index: number, epoch: number) => {
    asked.push([index, epoch]);
    return Promise.resolve({ x: index });
  };
  return { asked, dataset: { length, get } };
}

for (const prefetch of [0, 1, 2, 5]) {
  Deno.test(`a loader asks for ${prefetch} batches ahead, and for none twice`, async () => {
    const { asked, dataset } = noted(12);
    const loader = dataLoader(dataset, { batchSize: 2, shuffle: false, prefetch });
    let used = 0;
    for await (const _ of loader.batches(9, 1)) {
      used++;
      assertEquals(asked.length / 2, Math.min(5, used + prefetch));
    }
    const expected = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((index) => [index, 9]);
    assertEquals(asked, expected);
  });
}

Deno.test("batches come in order, however long each of them takes", async () => {
  const late = [3, 0, 2, 1, 0, 4];
  const dataset = {
    length: 6,
    get: async (x: number) => {
      await new Promise<void>((done) => setTimeout(done, 3 * late[x]!));
      return { x };
    },
  };
  for (const prefetch of [0, 3, 10]) {
    const loader = dataLoader(dataset, { batchSize: 1, shuffle: false, prefetch });
    assertEquals(await numbersOf(loader, "x"), [[0], [1], [2], [3], [4], [5]]);
  }
});

Deno.test("an error of the dataset is thrown when its batch comes, after those before", async () => {
  for (const isLate of [false, true]) {
    const fail = (x: number) => {
      if (x === 2) throw new Error(`no sample ${x}`);
      return { x };
    };
    const get = isLate ? (x: number) => Promise.resolve(x).then(fail) : fail;
    const loader = dataLoader({ length: 5, get }, { batchSize: 1, shuffle: false });
    const got: number[] = [];
    await assertRejects(
      async () => {
        for await (const { feeds } of loader.batches(0, 0)) got.push(Number(feeds.x!.data[0]));
      },
      Error,
      "no sample 2",
    );
    assertEquals(got, [0, 1]);
  }
});

Deno.test("an error of a prefetched batch that is never used is not thrown", async () => {
  const dataset = {
    length: 3,
    get: (x: number) => x === 0 ? { x } : Promise.reject(new Error("late")),
  };
  const loader = dataLoader(dataset, { batchSize: 1, shuffle: false });
  for await (const _ of loader.batches(0, 0)) break;
  // An unhandled rejection would end the test here.
  await new Promise<void>((done) => setTimeout(done, 5));
  assertEquals((await assertRejects(() => gathered(loader), Error)).message, "late");
});

Deno.test("a loader refuses invalid datasets and counts of batches", () => {
  const make = dataLoader as (dataset: unknown, options: object) => unknown;
  for (
    const bad of [undefined, 3, {}, { length: 3 }, { get: () => 0 }, {
      length: -1,
      get: () => 0,
    }]
  ) {
    assertThrows(
      () => make(bad, { batchSize: 1 }),
      TypeError,
      "samples must be an array, or an object with length",
    );
  }
  const options = { batchSize: 1 };
  assertThrows(() => make([], options), RangeError, "must have at least one sample; got 0");
  assertThrows(
    () => make([1], { ...options, prefetch: -1 }),
    RangeError,
    "prefetch must be a non-negative integer",
  );
  assertThrows(() => make([1], { ...options, prefetch: "2" }), TypeError, 'got "2"');
  assertThrows(
    () => make([1], { ...options, collate: 1 }),
    TypeError,
    "collate must be a function",
  );
});
