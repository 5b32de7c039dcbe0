import { assertEquals, assertThrows } from "@std/assert";
import { Batch, System } from "../../src/batch/mod.ts";

const atom = () => new System({ symbols: ["Ar"], positions: [1, 2, 3] });
const dimer = () => new System({ symbols: ["Ne", "Ne"], positions: [[0, 0, 0], [0, 0, 3]] });

Deno.test("numbers may be symbols, typed arrays or lists; masses come from the elements", () => {
  const a = new System({ numbers: ["Ar", "H"], positions: Float32Array.of(0, 0, 0, 1, 1, 1) });
  const b = new System({ numbers: Uint8Array.of(18, 1), positions: [0, 0, 0, 1, 1, 1] });
  assertEquals(a.numbers, b.numbers);
  assertEquals([...a.masses], [39.948, 1.008]);
  assertEquals(a.positions instanceof Float64Array, true);
});

Deno.test("a system copies what it is given", () => {
  const positions = Float64Array.of(1, 2, 3);
  const info = { a: 1 };
  const system = new System({ symbols: ["Ar"], positions, info });
  positions[0] = 9;
  info.a = 2;
  assertEquals([...system.positions], [1, 2, 3]);
  assertEquals(system.info, { a: 1 });
});

Deno.test("pbc is true along each vector that is given, unless said otherwise", () => {
  const pbc = (
    more: object,
  ) => [...new System({ symbols: ["Ar"], positions: [0, 0, 0], ...more }).pbc];
  assertEquals(pbc({}), [0, 0, 0]);
  assertEquals(pbc({ cell: [5, 6, 7] }), [1, 1, 1]);
  assertEquals(pbc({ cell: [5, 6, 0] }), [1, 1, 0]);
  assertEquals(pbc({ cell: [[0, 0, 5], [0, 0, 0], [1, 0, 0]] }), [1, 0, 1]);
  assertEquals(pbc({ cell: [5, 6, 7], pbc: false }), [0, 0, 0]);
  assertEquals(pbc({ cell: [5, 6, 7], pbc: [1, 0, true] }), [1, 0, 1]);
});

Deno.test("a left-handed cell and a triclinic one are as good as any", () => {
  const cell = [[0, 5, 0], [5, 0, 0], [1, 2, 5]];
  assertEquals([...new System({ symbols: ["Ar"], positions: [0, 0, 0], cell }).cell], cell.flat());
});

Deno.test("stress may be given in Voigt's order", () => {
  const stress = new System({ symbols: ["Ar"], positions: [0, 0, 0], stress: [1, 2, 3, 4, 5, 6] });
  assertEquals([...stress.get("stress")], [1, 6, 5, 6, 2, 4, 5, 4, 3]);
});

Deno.test("set() makes fields of any level and dtype, takes rows or one value, and keeps a field's kind", () => {
  const batch = Batch.from([atom(), dimer()]);
  batch.set("status", 3);
  assertEquals(batch.get("status"), Int32Array.of(3, 3));
  batch.set("velocities", [[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
  assertEquals([...batch.get("velocities")], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  batch.set("dipole", [[1, 2, 3], [4, 5, 6]], { level: "system", unit: "e Å" });
  batch.set("kind", Uint32Array.of(4294967295, 1, 2), { level: "node" });
  batch.set("weight", Float32Array.of(0.1, 0.2, 0.3), { level: "node" });
  batch.set("pairs", [1, 2, 3, 4, 5, 6], { level: "node", dtype: "u8" });
  const kinds = batch.fields().slice(-4);
  assertEquals(kinds, [
    { name: "dipole", level: "system", dtype: "f64", width: 3, unit: "e Å", fill: undefined },
    { name: "kind", level: "node", dtype: "u32", width: 1, unit: "", fill: undefined },
    { name: "weight", level: "node", dtype: "f32", width: 1, unit: "", fill: undefined },
    { name: "pairs", level: "node", dtype: "u8", width: 2, unit: "", fill: undefined },
  ]);
  batch.set("kind", [1, 2, 3], { fill: 9 });
  assertEquals(batch.get("kind"), Uint32Array.of(1, 2, 3));
  batch.set("pairs", 7, { fill: 0 });
  batch.append(atom());
  assertEquals(batch.get("kind"), Uint32Array.of(1, 2, 3, 9));
  assertEquals([...batch.get("dipole")], [1, 2, 3, 4, 5, 6, NaN, NaN, NaN]);
  assertEquals([...batch.get("pairs")], [7, 7, 7, 7, 7, 7, 0, 0]);
});

Deno.test("a built-in field that was never computed is NaN, and the others are 0", () => {
  const batch = Batch.from([
    atom(),
    new System({ symbols: ["Ar"], positions: [0, 0, 0], energy: -1 }),
  ]);
  assertEquals([...batch.get("energy")], [NaN, -1]);
  assertEquals(batch.system(0).energy, undefined);
  assertEquals(batch.system(1).energy, -1);
  assertEquals([...batch.ensure("forces")], [NaN, NaN, NaN, NaN, NaN, NaN]);
  assertEquals([...batch.ensure("velocities")], [0, 0, 0, 0, 0, 0]);
  assertEquals(batch.ensure("stepsDone"), Int32Array.of(0, 0));
  assertEquals(batch.ensure("energy") === batch.get("energy"), true);
});

Deno.test("remove() takes a field away, and the edges with all that is per edge", () => {
  const batch = Batch.from([
    new System({
      symbols: ["Ne", "Ne"],
      positions: [0, 0, 0, 0, 0, 3],
      edges: [0, 1],
      shifts: [0, 0, 0],
      fields: { length: { level: "edge", values: [3] } },
    }),
  ]);
  batch.set("tag", 1, { level: "node" });
  batch.remove("tag");
  assertEquals(batch.has("tag"), false);
  assertThrows(() => batch.remove("tag"), TypeError, "has no field of that name");
  batch.remove("edges");
  assertEquals(batch.edgeCount, 0);
  assertEquals(["edges", "shifts", "length"].filter((name) => batch.has(name)), []);
});

Deno.test("setEdges() finds the edges of each system", () => {
  const batch = Batch.from([dimer(), atom(), dimer()]);
  batch.setEdges([[0, 1], [1, 0], [3, 4]], [[0, 0, 1], [0, 0, -1], [2, 0, 0]]);
  assertEquals([...batch.edgeOffsets], [0, 2, 2, 3]);
  assertEquals([...batch.system(2).get("edges")], [0, 1]);
  assertEquals([...batch.system(2).get("shifts")], [2, 0, 0]);
  batch.setEdges([[2, 2]]);
  assertEquals([...batch.edgeOffsets], [0, 0, 1, 1]);
  assertEquals(batch.has("shifts"), false);
});

Deno.test("ids are kept for life and never given again", () => {
  const named = (id: number) => new System({ symbols: ["Ar"], positions: [0, 0, 0], id });
  const batch = Batch.from([atom(), named(5), named(5), atom(), named(0)]);
  assertEquals([...batch.get("systemId")], [6, 5, 7, 8, 0]);
  batch.drop([3]);
  assertEquals(batch.append([atom(), named(2), named(5)]), [9, 2, 10]);
  batch.drop([0, 1, 2, 3, 4, 6]);
  assertEquals([...batch.get("systemId")], [2]);
  assertEquals(batch.append(batch), [11]);
  assertEquals(batch.select([1, 1, 0]).get("systemId"), Int32Array.of(11, 12, 2));
  batch.set("systemId", [100, 50]);
  assertEquals(batch.append(atom()), [101]);
});

Deno.test("clone() shares no array with its batch", () => {
  const batch = Batch.from([atom()]);
  const copy = batch.clone();
  copy.get("positions")[0] = 9;
  copy.append(atom());
  assertEquals([...batch.get("positions")], [1, 2, 3]);
  assertEquals(batch.size, 1);
});

Deno.test("snapshot() of some systems is what select() would give", async () => {
  const batch = Batch.from([atom(), dimer()]);
  batch.attach({
    by: "FIRE",
    fields: new Set(["positions"]),
    fetch: () => Promise.resolve(Float32Array.of(1, 1, 1, 2, 2, 2, 3, 3, 3)),
  });
  const snapshot = await batch.snapshot([1]);
  assertEquals(snapshot.get("positions"), Float64Array.of(2, 2, 2, 3, 3, 3));
  assertEquals([...snapshot.get("systemId")], [1]);
  assertEquals(batch.heldBy, "FIRE");
  assertThrows(
    () => batch.attach({ by: "NVE", fields: new Set(), fetch: () => Promise.reject() }),
    Error,
    "FIRE holds the batch now",
  );
  batch.detach();
  assertEquals([...batch.get("positions")], [1, 2, 3, 0, 0, 0, 0, 0, 3]);
});
