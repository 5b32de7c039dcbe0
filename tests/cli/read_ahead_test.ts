import { assert, assertEquals } from "@std/assert";
import { System } from "../../src/batch/mod.ts";
import { ReadAhead } from "../../src/cli/screen/read_ahead.ts";
import type { Structure } from "../../src/cli/run/structures.ts";

function structureOf(atoms: number, frame: number): Structure {
  const positions = Float64Array.from({ length: 3 * atoms }, (_, i) => i);
  const system = new System({ numbers: new Int32Array(atoms).fill(18), positions });
  return { system, file: "a.xyz", frame, label: `a.xyz@${frame}` };
}

/** Yields structures of these sizes, and counts how many were read. */
function sourceOf(sizes: readonly number[]) {
  const counts = { read: 0 };
  async function* source(): AsyncGenerator<Structure> {
    for (const [i, size] of sizes.entries()) {
      counts.read++;
      yield structureOf(size, i);
    }
  }
  return { source: source(), counts };
}

const sizesOf = (samples: readonly { readonly system: System }[]) =>
  samples.map(({ system }) => system.nodeCount);

Deno.test("structures that follow have the sizes of those that leave, so that the batch stays in place", async () => {
  const { source } = sourceOf([2, 5, 3, 2, 5, 3, 3, 5]);
  const sampler = await ReadAhead.begin(source, { batchAtoms: 10, isGpu: false });
  assertEquals(sizesOf(await sampler.take()), [5, 5]);
  const one = await sampler.take({ systems: Infinity, atoms: 5, edges: Infinity, freed: [5] });
  assertEquals(sizesOf(one), [5]);
  const two = await sampler.take({ systems: Infinity, atoms: 5, edges: Infinity, freed: [5] });
  assertEquals(sizesOf(two), [3, 2]); // none of the same size is left
});

Deno.test("every structure is taken once, in the end also one that is larger than the batch", async () => {
  const { source } = sourceOf([2, 50, 3]);
  const sampler = await ReadAhead.begin(source, { batchAtoms: 10, isGpu: false });
  assertEquals(sizesOf(await sampler.take()), [3, 2]);
  const room = { systems: Infinity, atoms: 5, edges: Infinity, freed: [3] };
  assertEquals(await sampler.take(room), []);
  assert(!sampler.isDry);
  assertEquals(sizesOf(await sampler.take()), [50]); // the batch is empty
  assert(sampler.isDry);
  assertEquals(sampler.finish(1)?.frame, 1);
  assertEquals(sampler.finish(1), undefined);
  assertEquals(sampler.finishAll().map(({ frame }) => frame), [2, 0]);
});

Deno.test("a long source is read as its structures are taken, not all at once", async () => {
  const { source, counts } = sourceOf(Array.from({ length: 3000 }, () => 1));
  const sampler = await ReadAhead.begin(source, { batchAtoms: 100, isGpu: false });
  const before = counts.read;
  assert(before < 1000, `${before} structures were read`);
  assertEquals((await sampler.take()).length, 100);
  assertEquals(counts.read, before + 100);
  sampler.giveBack([0, 1]);
  const again = await sampler.take({ systems: Infinity, atoms: 2, edges: Infinity, freed: [] });
  assertEquals(again.map(({ index }) => index), [100, 101]); // those that came back are behind the others
});
