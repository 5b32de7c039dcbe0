import { assert, assertEquals, assertThrows } from "@std/assert";
import { hostState, Loop, stages } from "@hooke/hooke/hooks";
import type { BaseContext, ReadonlyNumbers } from "@hooke/hooke/hooks";
import { asRead, readView } from "../../src/hooks/run/read_view.ts";

const BoxStage = stages<BaseContext, Record<never, never>, {
  dipole: Float32Array;
  parts: ReadonlyMap<string, Float64Array>;
}>()("box", ["AFTER_STEP"]);

Deno.test("mean, sum, norm, min and max of what a hook reads are those of its numbers", () => {
  for (const Type of [Float64Array, Float32Array, Int32Array, Uint8Array]) {
    const read = readView(Type.of(3, 0, 4));
    assertEquals([read.mean(), read.sum(), read.norm(), read.min(), read.max()], [
      7 / 3,
      7,
      5,
      0,
      4,
    ]);
  }
  const signs = readView(Float64Array.of(-2, 1, -5));
  assertEquals([signs.min(), signs.max(), signs.sum(), signs.mean()], [-5, 1, -6, -2]);
  const long = readView(new Float32Array(1e5).fill(0.1)); // a float32 sum would be 0.1 % off
  assert(Math.abs(long.sum() - 1e5 * Math.fround(0.1)) < 1e-6);
});

Deno.test("statistics of nothing and of NaN are NaN; a sum and a norm of nothing are 0", () => {
  const none = readView(new Float64Array()), broken = readView(Float64Array.of(1, NaN, 2));
  assertEquals([none.sum(), none.norm(), none.mean(), none.min(), none.max()], [
    0,
    0,
    NaN,
    NaN,
    NaN,
  ]);
  assertEquals([broken.sum(), broken.norm(), broken.min(), broken.max()], [NaN, NaN, NaN, NaN]);
});

Deno.test("a view is a typed array: indexing, iteration, copies, comparison and text", () => {
  const plain = Float64Array.of(3, 1, 2), read = readView(plain);
  assertEquals([read[0], read.at(-1), read[3], read.length], [3, 2, undefined, 3]);
  assertEquals([...read], [3, 1, 2]);
  assertEquals(Array.from(read, (x) => x.toFixed(1)), ["3.0", "1.0", "2.0"]);
  assertEquals(read.slice(), plain);
  assertEquals(Math.max(...read), 3);
  const doubled = read.map((x, i) => 2 * x + i);
  assertEquals(doubled, Float64Array.of(6, 3, 6));
  assertEquals(Object.getPrototypeOf(doubled), Float64Array.prototype);
  assertEquals(Object.getPrototypeOf(read.slice(1)), Float64Array.prototype);
  assertEquals(structuredClone(read), plain);
  assert(read instanceof Float64Array && ArrayBuffer.isView(read));
  assertEquals([String(read), Deno.inspect(read), Object.keys(read)], [
    "3,1,2",
    Deno.inspect(plain),
    ["0", "1", "2"],
  ]);
  plain[0] = 9; // the same memory
  assertEquals(read.max(), 9);
});

Deno.test("maps and lists of arrays become views, all else stays as it is", () => {
  const map = asRead(new Map([["w", Float32Array.of(3, 4)]])) as Map<string, ReadonlyNumbers>;
  assertEquals(map.get("w")!.norm(), 5);
  assert(asRead(map) === map);
  const [first] = asRead([Int32Array.of(1, 2)]) as ReadonlyNumbers[];
  assertEquals(first!.sum(), 3);
  for (
    const value of [1, "text", undefined, null, { a: 1 }, new Map([["a", 1]]), BigInt64Array.of(1n)]
  ) {
    assert(asRead(value) === value);
  }
});

Deno.test("a loop's own state is read with statistics, and one view serves all steps", async () => {
  const dipole = Float32Array.of(3, 4);
  let parts = new Map([["a", Float64Array.of(1, 3)]]);
  const seen: unknown[] = [], views = new Set<unknown>();
  const loop = new Loop({
    kinds: BoxStage,
    state: hostState({ dipole: () => dipole, parts: () => parts }),
    step: (loop) => loop.fire(BoxStage.AFTER_STEP),
  });
  loop.hooks.add({
    stage: "box/AFTER_STEP",
    frequency: 1,
    reads: ["dipole", "parts"],
    call({ read }) {
      views.add(read.dipole);
      seen.push(read.dipole.norm(), read.parts.get("a")!.mean());
      parts = new Map([["a", Float64Array.of(5)]]);
    },
  });
  await loop.run(2);
  assertEquals(seen, [5, 2, 5, 5]);
  assertEquals(views.size, 1);
});

Deno.test("atom and system need an engine for atoms", () => {
  const read = readView(Float64Array.of(1));
  assertThrows(() => read.atom(0), TypeError, "Use an index");
  assertThrows(() => read.system(0), TypeError, "Use an index");
});
