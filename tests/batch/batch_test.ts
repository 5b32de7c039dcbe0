import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, System } from "../../src/batch/mod.ts";

const atom = () => new System({ symbols: ["Ar"], positions: [1, 2, 3], info: { name: "atom" } });
const water = () =>
  new System({
    symbols: ["O", "H", "H"],
    positions: [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]],
    charges: [-0.8, 0.4, 0.4],
    edges: [[0, 1], [0, 2]],
    fields: { tag: { level: "node", values: [1, 2, 3], dtype: "i32", fill: -7 } },
  });

Deno.test("Batch.from() puts systems one after the other, with the fill values of fields they lack", () => {
  const batch = Batch.from([atom(), water(), atom(), water()]);
  assertEquals(batch.size, 4);
  assertEquals([...batch.nodeOffsets], [0, 1, 4, 5, 8]);
  assertEquals([...batch.edgeOffsets], [0, 0, 2, 2, 4]);
  assertEquals([...batch.get("numbers")], [18, 8, 1, 1, 18, 8, 1, 1]);
  assertEquals([...batch.get("edges")], [1, 2, 1, 3, 5, 6, 5, 7]);
  assertEquals([...batch.get("charges")], [0, -0.8, 0.4, 0.4, 0, -0.8, 0.4, 0.4]);
  assertEquals([...batch.get("tag")], [-7, 1, 2, 3, -7, 1, 2, 3]);
  assertEquals([...batch.get("systemId")], [0, 1, 2, 3]);
  assertEquals([...batch.systemOfNode], [0, 1, 1, 1, 2, 3, 3, 3]);
  assertEquals(batch.infos[2], { name: "atom" });
});

Deno.test("system() gives back what came in, edges counted from 0, integers as integers", () => {
  const back = Batch.from([atom(), water()]).system(1);
  assertEquals([...back.get("edges")], [0, 1, 0, 2]);
  assertEquals(back.get("edges") instanceof Int32Array, true);
  assertEquals([...back.positions], [0, 0, 0, 0.96, 0, 0, -0.24, 0.93, 0]);
  assertEquals([...back.get("tag")], [1, 2, 3]);
  assertEquals(back.id, 1);
  assertEquals(back.symbols, ["O", "H", "H"]);
});

Deno.test("select(), drop(), append() and put() keep edges, integers, ids and fields", () => {
  const batch = Batch.from([atom(), water(), water()]);
  const picked = batch.select([2, 0]);
  assertEquals([...picked.get("systemId")], [2, 0]);
  assertEquals([...picked.get("edges")], [0, 1, 0, 2]);
  assertEquals([...batch.select([false, true, true]).get("systemId")], [1, 2]);
  assertEquals([...batch.select(Uint8Array.of(1, 0, 0)).get("tag")], [-7]);

  batch.drop([0]);
  assertEquals([...batch.get("edges")], [0, 1, 0, 2, 3, 4, 3, 5]);
  assertEquals(batch.append([atom(), water()]), [3, 4]);
  assertEquals([...batch.get("edges")], [0, 1, 0, 2, 3, 4, 3, 5, 7, 8, 7, 9]);
  assertEquals(batch.put(atom(), [0]), [5]);
  assertEquals([...batch.get("systemId")], [5, 2, 3, 4]);
  assertEquals([...batch.nodeOffsets], [0, 1, 4, 5, 8]);
  assertEquals([...batch.get("edges")], [1, 2, 1, 3, 5, 6, 5, 7]);
  assertEquals([...batch.get("numbers")], [18, 8, 1, 1, 18, 8, 1, 1]);
  assertEquals(batch.has("charges"), true);
});

Deno.test("select takes a number, a negative one, and a range", () => {
  const batch = Batch.from([atom(), water(), atom(), water()]);
  const ids = (selection: Parameters<Batch["select"]>[0]) => [
    ...batch.select(selection).get("systemId"),
  ];
  assertEquals([ids(0), ids(3), ids(-1), ids(-4)], [[0], [3], [3], [0]]);
  assertEquals([ids({ from: 1 }), ids({ to: 2 }), ids({ from: 1, to: 3 }), ids({})], [
    [1, 2, 3],
    [0, 1],
    [1, 2],
    [0, 1, 2, 3],
  ]);
  assertEquals([ids({ from: -2 }), ids({ to: -1 })], [[2, 3], [0, 1, 2]]);
  assertEquals(batch.select(-1).nodeCount, 3);
  for (const slot of [4, -5, 0.5, NaN]) {
    assertThrows(
      () => batch.select(slot),
      RangeError,
      `must be an integer from 0 to 3; got ${slot}`,
    );
  }
  assertThrows(() => batch.select({ from: 2, to: 2 }), RangeError, "the selection leaves 0");
  assertThrows(() => batch.select({ from: 0.5 }), RangeError, "whole numbers; got 0.5");
  assertThrows(() => batch.select({ form: 1 } as never), TypeError, "from");
  assertThrows(() => batch.select("1" as never), TypeError, "must be a list of slots or a mask");
});

Deno.test("a batch names the engine that holds a field, fetches it from there, and does not change meanwhile", async () => {
  const batch = Batch.from([atom()]);
  batch.set("forces", [[0, 0, 1]]);
  batch.attach({
    by: "NVE",
    fields: new Set(["forces"]),
    fetch: () => Promise.resolve(Float32Array.of(4, 5, 6)),
  });
  assertThrows(() => batch.get("forces"), Error, "NVE holds this field now. Use await batch.fetch");
  assertThrows(() => batch.get("forces"), Error, `reads: ["forces"]`);
  assertEquals(await batch.fetch("forces"), Float64Array.of(4, 5, 6));
  assertEquals([...batch.get("positions")], [1, 2, 3]);
  for (
    const change of [
      () => batch.append(atom()),
      () => batch.drop([0]),
      () => batch.put(atom(), [0]),
      () => batch.set("forces", 0),
    ]
  ) assertThrows(change, Error, "NVE holds");
  assertEquals([...(await batch.snapshot()).get("forces")], [4, 5, 6]);
  batch.detach({ forces: Float32Array.of(7, 8, 9) });
  assertEquals([...batch.get("forces")], [7, 8, 9]);
  await assertRejects(() => batch.fetch("nothing"), TypeError, "has no field of that name");
});
