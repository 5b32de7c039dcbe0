import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  batchesOf,
  type DataSource,
  interleave,
  type InterleaveOptions,
  tensorData,
} from "../../../src/training/data/mod.ts";

/** A number of batches with one number each: 0, 1, 2 … */
function counted(length: number, isKnown: boolean = true): DataSource {
  const data = Float32Array.from({ length }, (_, i) => i);
  const source = tensorData({ x: { data } }, { batchSize: 1, shuffle: false });
  return isKnown ? source : batchesOf((epoch) => source.batches(epoch, 0));
}

/** "a0 b0 a1 …" */
async function order(
  loaders: Readonly<Record<string, DataSource>>,
  options: InterleaveOptions = {},
  from: number = 0,
): Promise<string> {
  const words = [];
  for await (
    const { batch, loaderName, loaderIndex } of interleave(loaders, options).batches(0, from)
  ) {
    assertEquals(Object.keys(loaders)[loaderIndex], loaderName);
    words.push(`${loaderName}${batch.feeds.x!.data[0]}`);
  }
  return words.join(" ");
}

const roundRobin = { order: "roundRobin" } as const;

Deno.test("interleave() gives one source after another, or one batch of each in turn", async () => {
  const loaders = { a: counted(2), b: counted(4), c: counted(1) };
  assertEquals(await order(loaders), "a0 a1 b0 b1 b2 b3 c0");
  assertEquals(await order(loaders, roundRobin), "a0 b0 c0 a1 b1 b2 b3");
  assertEquals(interleave(loaders).length, 7);
  assertEquals(interleave(loaders).loaders.map(({ name }) => name), ["a", "b", "c"]);
});

Deno.test("interleave() goes on from any batch, whether sources know their lengths or not", async () => {
  for (const options of [{}, roundRobin]) {
    const whole = (await order({ a: counted(3), b: counted(5), c: counted(2) }, options)).split(
      " ",
    );
    for (const [a, b, c] of [[true, true, true], [true, false, true], [false, true, false]]) {
      const loaders = { a: counted(3, a), b: counted(5, b), c: counted(2, c) };
      assertEquals(interleave(loaders).length, a && b && c ? 10 : undefined);
      for (let from = 0; from <= 11; from++) {
        const rest = whole.slice(from).join(" ");
        assertEquals(await order(loaders, options, from), rest, `${[a, b, c]} from ${from}`);
      }
    }
  }
});

Deno.test("interleave() passes over sources without batches", async () => {
  const none = batchesOf(() => [], { length: 0 });
  for (const options of [{}, roundRobin]) {
    assertEquals(await order({ a: none, b: counted(2), c: none }, options), "b0 b1");
    assertEquals(await order({ a: none }, options, 3), "");
  }
});

Deno.test("interleave() asks sources that know their lengths for no batch that is skipped", async () => {
  const asked: number[][] = [];
  const watched = (k: number, length: number): DataSource => ({
    length,
    batches: (epoch, from) => {
      asked.push([k, epoch, from]);
      return counted(length).batches(epoch, from);
    },
  });
  const loaders = { a: watched(0, 3), b: watched(1, 5) };
  await Array.fromAsync(interleave(loaders).batches(7, 4));
  assertEquals(asked.splice(0), [[1, 7, 1]]);
  await Array.fromAsync(interleave(loaders, roundRobin).batches(7, 7));
  assertEquals(asked, [[0, 7, 3], [1, 7, 4]]);
});

Deno.test("interleave() closes the sources if the consumer stops early", async () => {
  for (const options of [{}, roundRobin]) {
    const closed: string[] = [];
    const open = (name: string) =>
      batchesOf(async function* () {
        try {
          for (;;) yield await Promise.resolve({ x: { data: Float32Array.of(0) } });
        } finally {
          closed.push(name);
        }
      });
    const data = interleave({ a: open("a"), b: open("b") }, options);
    let left = 3;
    for await (const _ of data.batches(0, 0)) if (--left === 0) break;
    assertEquals(closed, "order" in options ? ["a", "b"] : ["a"]);
  }
});

Deno.test("interleave() leaves what it gave as it is", () => {
  const data = interleave({ a: counted(1) });
  assertEquals(interleave(data) === data, true);
});

Deno.test("interleave() refuses values that are not sources, and unknown orders", () => {
  const make = interleave as (data: unknown, options?: object) => unknown;
  assertThrows(
    () => make({}),
    RangeError,
    "must be a source of batches, or an object of several by name",
  );
  assertThrows(() => make(3), TypeError, "got 3");
  assertThrows(
    () => make({ a: counted(1), b: {} }),
    TypeError,
    '"b" must be an array of batches, or an object with a method batches',
  );
  assertThrows(() => make([], { order: "random" }), RangeError, '"sequential" or "roundRobin"');
  assertThrows(() => make([], { oder: "roundRobin" }), TypeError, "did you mean order?");
  assertThrows(() => interleave([]).batches(0, -1), RangeError, "the first batch must be");
});

Deno.test("batchesOf() refuses epochs of another length than its option says", async () => {
  const three = () => [1, 2, 3].map((x) => ({ x: { data: Float32Array.of(x) } }));
  const all = (length: number) => Array.fromAsync(batchesOf(three, { length }).batches(0, 0));
  assertEquals((await all(3)).length, 3);
  await assertRejects(
    () => all(2),
    RangeError,
    "an epoch must have 2 batches, as its option length says; got more than 2",
  );
  await assertRejects(() => all(4), RangeError, "got 3");
});

Deno.test("batchesOf() refuses invalid batches, functions and lengths", async () => {
  const make = batchesOf as (batches: unknown, options?: object) => DataSource;
  assertThrows(() => make([]), TypeError, "batches must be a function of the epoch");
  assertThrows(
    () => make(() => [], { length: -1 }),
    RangeError,
    "length must be a non-negative integer",
  );
  assertThrows(() => make(() => [], { name: 1 }), TypeError, "name must be a string");
  assertThrows(() => make(() => [], { size: 1 }), TypeError, "among name, length");
  for (const bad of [3, null, {}, { x: 3 }, { x: { data: Float32Array.of(1), dims: [] } }]) {
    const source = make(() => [bad]);
    await assertRejects(() => Array.fromAsync(source.batches(0, 0)), TypeError, "batch 0 must be");
  }
});
