/**
 * Guarantees of every source: order, resumption, sizes.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import {
  atomsData,
  batchesOf,
  type BatchingOptions,
  dataLoader,
  type DataSource,
  interleave,
  tensorData,
} from "../../../src/training/data/mod.ts";
import { gathered, numbersOf } from "./gathered.ts";

const COUNT = 23;
const samples = Array.from({ length: COUNT }, (_, i) => ({ x: i }));
const atoms = samples.map(({ x }) => ({ symbols: ["Ar"], positions: [x, 0, 0] }));

/** Sample i holds the number i. */
const SOURCES: Readonly<Record<string, (options: BatchingOptions) => DataSource>> = {
  "dataLoader() of a list": (options) => dataLoader(samples, options),
  "dataLoader() of what is got": (options) =>
    dataLoader({ length: COUNT, get: (i) => samples[i]! }, options),
  "dataLoader() of what is got later": (options) => {
    // The later a sample is asked for, the sooner it comes.
    const later = (i: number) => new Promise<void>((done) => setTimeout(done, i % 3));
    return dataLoader({
      length: COUNT,
      get: async (i) => (await later(i), samples[i]!),
    }, { ...options, prefetch: 4 });
  },
  "tensorData()": (options) =>
    tensorData({ x: { data: Float32Array.from(samples, ({ x }) => x) } }, options),
  "atomsData()": (options) =>
    atomsData(atoms, { ...options, cutoff: 1, names: { positions: "x" } }),
};

/** The samples of each batch; of atoms, the first coordinates. */
async function drawn(source: DataSource, epoch = 0, from = 0): Promise<number[][]> {
  const batches = await gathered(source, epoch, from);
  return batches.map(({ feeds: { x }, size }) =>
    Array.from({ length: size }, (_, i) => Number(x!.data[i * x!.data.length / size]))
  );
}

for (const [name, make] of Object.entries(SOURCES)) {
  Deno.test(`${name} gives each sample once an epoch, in an order of its own`, async () => {
    const source = make({ batchSize: 5, seed: 11 });
    assertEquals(source.length, 5);
    const [first, second] = [await drawn(source, 0), await drawn(source, 1)];
    for (const epoch of [first, second]) {
      assertEquals(epoch.map(({ length }) => length), [5, 5, 5, 5, 3]);
      assertEquals(epoch.flat().sort((a, b) => a - b), samples.map(({ x }) => x));
    }
    assertNotEquals(first, second);
    assertNotEquals(first, await drawn(make({ batchSize: 5, seed: 12 })));
    assertEquals(first, await drawn(make({ batchSize: 5, seed: 11 })));
  });

  Deno.test(`${name} goes on from any batch of any epoch, whatever was asked before`, async () => {
    const source = make({ batchSize: 4 });
    for (const epoch of [3, 0, 3]) {
      const whole = await gathered(make({ batchSize: 4 }), epoch);
      for (const from of [5, 0, 1, 4, 6, 99]) {
        assertEquals(await gathered(source, epoch, from), whole.slice(from), `${epoch}, ${from}`);
      }
    }
  });

  Deno.test(`${name} gives the same batches to two concurrent readers`, async () => {
    const source = make({ batchSize: 4 });
    const [a, b] = [source.batches(0, 0), source.batches(1, 0)];
    const [left, right] = await Promise.all([Array.fromAsync(a), Array.fromAsync(b)]);
    assertEquals(left, await gathered(make({ batchSize: 4 }), 0));
    assertEquals(right, await gathered(make({ batchSize: 4 }), 1));
  });

  Deno.test(`${name} keeps the order, leaves out the rest, and counts tokens when asked`, async () => {
    const source = make({
      batchSize: 5,
      shuffle: false,
      dropLast: true,
      name: "train",
      tokens: ({ x }) => 10 * x!.data.length,
    });
    assertEquals([source.name, source.length], ["train", 4]);
    assertEquals(await drawn(source), [0, 5, 10, 15].map((x) => [x, x + 1, x + 2, x + 3, x + 4]));
    assertEquals(await drawn(source, 1, 3), [[15, 16, 17, 18, 19]]);
    for (const { tokens, feeds: { x } } of await gathered(source)) {
      assertEquals(tokens, 10 * x!.data.length);
    }
  });

  Deno.test(`${name} splits a batch into parts that hold it in order`, async () => {
    const source = make({ batchSize: 7, shuffle: false });
    const [batch] = await gathered(source);
    for (const [parts, sizes] of [[1, [7]], [2, [3, 4]], [7, [1, 1, 1, 1, 1, 1, 1]]] as const) {
      const split = source.split!(batch!, parts);
      assertEquals(split.map(({ size }) => size).sort(), [...sizes]);
      const all = { batches: () => split, length: 1 };
      assertEquals((await drawn(all)).flat(), [0, 1, 2, 3, 4, 5, 6]);
    }
    assertEquals(source.split!(batch!, 9).length, 7);
    assertThrows(
      () => source.split!(batch!, 0),
      RangeError,
      "parts must be a positive integer",
    );
  });

  Deno.test(`${name} hands out memory of its own`, async () => {
    const source = make({ batchSize: COUNT, shuffle: false });
    const [batch] = await gathered(source);
    const before = batch!.feeds.x!.data.slice();
    for (const part of source.split!(batch!, 2)) part.feeds.x!.data.fill(77 as never);
    assertEquals(batch!.feeds.x!.data, before);
    batch!.feeds.x!.data.fill(77 as never);
    assertEquals((await gathered(source))[0]!.feeds.x!.data, before);
  });

  Deno.test(`${name} says which option is wrong`, () => {
    const bad = (options: object, kind: ErrorConstructor, message: string) => {
      const error = assertThrows(() => make({ batchSize: 2, ...options }), kind, message);
      assert(error.message.startsWith("Cannot "), error.message);
    };
    bad({ batchSize: 0 }, RangeError, "batchSize must be a positive integer");
    bad({ batchSize: "2" }, TypeError, 'got "2"');
    bad({ seed: -1 }, RangeError, "the seed must be a whole number from 0 to 2^53 - 1");
    bad({ shuffle: 1 }, TypeError, "shuffle must be a boolean; got 1");
    bad({ dropLast: "yes" }, TypeError, "dropLast must be a boolean");
    bad({ name: 3 }, TypeError, "name must be a string");
    bad({ tokens: 3 }, TypeError, "tokens must be a function");
    bad({ shufle: true }, TypeError, 'got "shufle"; did you mean shuffle?');
    bad({ batchSize: 24, dropLast: true }, RangeError, "at least 24 samples; got 23");
  });

  Deno.test(`${name} refuses epochs and batches that there cannot be, at once`, () => {
    const source = make({ batchSize: 2 });
    assertThrows(
      () => source.batches(-1, 0),
      RangeError,
      "the epoch must be a non-negative integer",
    );
    assertThrows(
      () => source.batches(0, 0.5),
      RangeError,
      "the first batch must be a non-negative integer",
    );
  });
}

Deno.test("batchesOf() gives what the function gives for the epoch, and skips to a batch", async () => {
  for (const isAsync of [false, true]) {
    const made = (epoch: number) =>
      [0, 1, 2].map((i) => ({ x: { data: Float32Array.of(epoch, i), dims: [2, 1] } }));
    const source = batchesOf(
      isAsync
        ? async function* (epoch) {
          for (const batch of made(epoch)) yield await Promise.resolve(batch);
        }
        : made,
      { name: "own", length: 3 },
    );
    assertEquals([source.name, source.length], ["own", 3]);
    assertEquals(await numbersOf(source, "x", 4), [[4, 0], [4, 1], [4, 2]]);
    assertEquals(await numbersOf(source, "x", 4, 2), [[4, 2]]);
    assertEquals(await numbersOf(source, "x", 4, 3), []);
    assertEquals((await gathered(source))[0]!.size, 2);
  }
});

Deno.test("interleave() of one source, or of a list of batches, gives all of it under one name", async () => {
  const source = dataLoader(samples, { batchSize: 10, name: "train" });
  const one = interleave(source);
  assertEquals(one.length, 3);
  const given = await Array.fromAsync(one.batches(2, 1));
  assertEquals(given.map(({ batch }) => batch), await gathered(source, 2, 1));
  assertEquals(given.map(({ loaderName, loaderIndex }) => [loaderName, loaderIndex]), [
    ["train", 0],
    ["train", 0],
  ]);
  const list = interleave([{ x: { data: Float32Array.of(1, 2) } }, {
    feeds: { x: { data: Float32Array.of(3), dims: [1, 1] } },
    size: 1,
    tokens: 5,
  }]);
  assertEquals(list.length, 2);
  for (const epoch of [0, 1]) {
    const all = await Array.fromAsync(list.batches(epoch, 0));
    assertEquals(all.map(({ loaderName, batch }) => [loaderName, batch.size, batch.tokens]), [
      ["main", 2, undefined],
      ["main", 1, 5],
    ]);
  }
});
