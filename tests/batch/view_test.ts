/** Some systems of a batch that an engine may hold. */
import { assertEquals, assertThrows } from "@std/assert";
import { Batch, System } from "../../src/batch/mod.ts";

function three(): Batch {
  const sizes = [1, 2, 3];
  const batch = Batch.from(sizes.map((size, s) =>
    new System({
      symbols: new Array<string>(size).fill("H"),
      positions: Array.from({ length: 3 * size }, (_, i) => 10 * s + i),
    })
  ));
  batch.set("label", [7, 8, 9], { level: "system", dtype: "i32" });
  return batch;
}

Deno.test("a view has some systems of a batch, by the ids that they have there", () => {
  const batch = three(), view = batch.view([2, 0]);
  assertEquals([view.size, view.nodeCount, ...view.nodeOffsets], [2, 4, 0, 3, 4]);
  assertEquals([...view.get("systemId"), ...view.get("label")], [2, 0, 9, 7]);
  assertEquals([...view.get("positions")].slice(0, 3), [20, 21, 22]);
  assertEquals([view.whole === batch, batch.whole === batch], [true, true]);
  assertEquals(view.view([1]).whole === batch, true);
});

Deno.test("of a batch that an engine holds a view has the values of the moment", async () => {
  const batch = three();
  let now = 1;
  batch.attach({
    by: "an engine",
    fields: new Set(["positions", "label"]),
    fetch: (name) =>
      Promise.resolve(
        name === "label"
          ? Int32Array.of(now, now + 1, now + 2)
          : Float64Array.from({ length: 18 }, (_, i) => now + i),
      ),
  });
  const view = batch.view([1, 2]);
  assertThrows(() => view.get("label"), Error, "an engine holds this field now");
  assertEquals([...await view.fetch("label")], [2, 3]);
  now = 5;
  assertEquals([...await view.fetch("label")], [6, 7]);
  assertEquals((await view.fetch("positions"))[0], 8);
  const copy = await view.snapshot([1], { label: Int32Array.of(3, 4) });
  assertEquals([copy.size, copy.get("label")[0], copy.get("positions")[0]], [1, 4, 14]);
});
