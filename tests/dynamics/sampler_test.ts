/** Batches that are as full as they may be, and never fuller. */
import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Batch, System } from "../../src/batch/mod.ts";
import { type SampleList, SizeAwareSampler } from "../../src/dynamics/mod.ts";
import { openSink, openSystems } from "../../src/sinks/mod.ts";

/** A row of hydrogen. */
function row(atoms: number): System {
  const positions = Array.from({ length: 3 * atoms }, (_, i) => i % 3 === 0 ? i : 0);
  return new System({ symbols: Array(atoms).fill("H"), positions });
}

/** A list that knows how large its systems are, and counts how often it is asked for one. */
function listed(
  sizes: readonly { atoms: number; edges?: number }[],
): SampleList & { got: number[] } {
  const got: number[] = [];
  return {
    length: sizes.length,
    got,
    sizes: (i: number) => sizes[i]!,
    get(i: number) {
      got.push(i);
      return row(sizes[i]!.atoms);
    },
  };
}

Deno.test("the largest that fits comes first, smaller ones fill what is left, of one size in their order", async () => {
  const sampler = new SizeAwareSampler([2, 3, 2, 5, 4, 2].map(row), {
    maxAtoms: 12,
    maxSystems: 4,
  });
  const indices = async (room?: Parameters<typeof sampler.take>[0]) =>
    (await sampler.take(room)).map(({ index }) => index);
  assertEquals(await indices(), [3, 4, 1]); // 5 + 4 + 3
  assertEquals([sampler.left, sampler.isDry], [3, false]);
  assertEquals(await indices({ systems: 4, atoms: 5, edges: 0 }), [0, 2]);
  assertEquals(await indices({ systems: 0, atoms: 5, edges: 0 }), []);
  assertEquals(await indices(), [5]);
  assertEquals([sampler.left, sampler.isDry], [0, true]);
});

Deno.test("each sample is taken once, and no batch is ever over a limit", async () => {
  const size = fc.record({
    atoms: fc.integer({ min: 1, max: 9 }),
    edges: fc.integer({ min: 0, max: 20 }),
  });
  const limits = fc.record({
    maxAtoms: fc.integer({ min: 9, max: 30 }),
    maxEdges: fc.integer({ min: 20, max: 50 }),
    maxSystems: fc.integer({ min: 1, max: 6 }),
    binWidth: fc.integer({ min: 1, max: 4 }),
    shuffle: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(size, { minLength: 1, maxLength: 30 }),
      limits,
      async (sizes, options) => {
        const sampler = new SizeAwareSampler(listed(sizes), options);
        const seen: number[] = [];
        while (!sampler.isDry) {
          const samples = await sampler.take();
          assert(samples.length > 0 && samples.length <= options.maxSystems);
          const sum = (of: (size: { atoms: number; edges: number }) => number) =>
            samples.reduce((total, { index }) => total + of(sizes[index]!), 0);
          assert(sum(({ atoms }) => atoms) <= options.maxAtoms);
          assert(sum(({ edges }) => edges) <= options.maxEdges);
          seen.push(...samples.map(({ index }) => index));
        }
        assertEquals(seen.sort((a, b) => a - b), sizes.map((_, i) => i));
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("a lazy list is asked for what is taken alone, and what it cannot give is not taken", async () => {
  const list = listed([{ atoms: 2 }, { atoms: 2 }, { atoms: 2 }]);
  const sampler = new SizeAwareSampler(list, { maxSystems: 1 });
  assertEquals(list.got, []);
  await sampler.take();
  assertEquals(list.got, [0]);
  const { get } = list;
  list.get = () => {
    throw new Error("no disk");
  };
  await assertRejects(() => sampler.take(), Error, "no disk");
  assertEquals(sampler.left, 2);
  list.get = get;
  assertEquals((await sampler.take()).map(({ index }) => index), [1]);
});

Deno.test("a seed gives an order, another seed another", async () => {
  const order = async (seed: number) => {
    const sampler = new SizeAwareSampler(Array.from({ length: 20 }, () => row(2)), {
      maxSystems: 20,
      shuffle: true,
      seed,
    });
    return (await sampler.take()).map(({ index }) => index);
  };
  assertEquals(await order(1), await order(1));
  assertNotEquals(await order(1), await order(2));
  assertNotEquals(await order(1), Array.from({ length: 20 }, (_, i) => i));
});

Deno.test("a sampler goes on where it was saved", async () => {
  const make = () => new SizeAwareSampler([2, 3, 2, 5, 4, 2].map(row), { maxAtoms: 7 });
  const [one, other] = [make(), make()];
  await one.take();
  other.load(one.save());
  while (!one.isDry) {
    const indices = [await one.take(), await other.take()].map((all) =>
      all.map(({ index }) => index)
    );
    assertEquals(indices[0], indices[1]);
  }
  assert(other.isDry);
  assertThrows(
    () => new SizeAwareSampler([row(1)], { maxSystems: 1 }).load(one.save()),
    TypeError,
    "the state must be a result of save() for 1 samples; got one for 6 samples",
  );
});

Deno.test("a file of systems is a source, once it is known how large they are", async () => {
  const path = `${await Deno.makeTempDir()}/rows.xyz`;
  const sink = await openSink(path);
  await sink.write(Batch.from([row(1), row(3), row(2)]));
  await sink.close();
  await using file = await openSystems(path);
  assertThrows(
    () => new SizeAwareSampler(file, { maxAtoms: 4 }),
    TypeError,
    "must have sizes(i); got only length and get(i). Use SizeAwareSampler.open",
  );
  const sampler = await SizeAwareSampler.open(file, { maxAtoms: 4 });
  const samples = await sampler.take();
  assertEquals(samples.map(({ index, system }) => [index, system.nodeCount]), [[1, 3], [0, 1]]);
});

Deno.test("a sampler names what is wrong with its source and its options", () => {
  const rows = [row(2), row(5)];
  const wrong: readonly [unknown, unknown, typeof TypeError | typeof RangeError, string][] = [
    [
      rows,
      { maxAtoms: 4 },
      RangeError,
      "each sample must have at most 4 atoms (maxAtoms); got 5 in sample 1",
    ],
    [
      listed([{ atoms: 2, edges: 9 }]),
      { maxEdges: 8, maxSystems: 2 },
      RangeError,
      "each sample must have at most 8 edges (maxEdges); got 9 in sample 0",
    ],
    [
      listed([{ atoms: 2 }]),
      { maxEdges: 8 },
      TypeError,
      "sizes(0) must return the numbers of atoms and edges of the sample",
    ],
    [
      rows,
      {},
      RangeError,
      "a limit is required: pass at least one of maxAtoms, maxEdges, maxSystems",
    ],
    [
      rows,
      { maxAtoms: 0 },
      RangeError,
      "maxAtoms must be a positive integer or Infinity; got 0",
    ],
    [rows, { maxAtom: 9 }, TypeError, "did you mean"],
    [rows, { maxAtoms: 9, shuffle: 1 }, TypeError, "shuffle must be true or false"],
    [rows, { maxAtoms: 9, seed: -1 }, RangeError, "the seed must be a whole number"],
    [[row(2), { positions: [] }], { maxAtoms: 9 }, TypeError, "sample 1 must be a System"],
    [
      7,
      { maxAtoms: 9 },
      TypeError,
      "the source must be an array of systems, or an object with length and get(i)",
    ],
  ];
  for (const [source, options, kind, message] of wrong) {
    assertThrows(() => new SizeAwareSampler(source as System[], options as never), kind, message);
  }
});
