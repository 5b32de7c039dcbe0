import { assertEquals } from "@std/assert";
import { Batch, fcc, initVelocities, lennardJones, NVTLangevin, System } from "@hooke/hooke";

Deno.test("a batch and a system say in words what they are, to String() and to console.log", () => {
  const water = new System({ symbols: ["O", "H", "H"], positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] });
  const slab = new System({
    symbols: ["Cu"],
    positions: [0, 0, 0],
    cell: [3, 3, 20],
    pbc: [true, true, false],
  });
  assertEquals(String(water), "System OH2, not periodic (numbers, positions, masses, cell, pbc)");
  const words = "Batch of 2 systems, 4 atoms (numbers, positions, masses, cell, pbc, systemId)";
  const batch = Batch.from([water, slab]);
  assertEquals([String(batch), Deno.inspect(batch)], [words, words]);
  assertEquals(
    Deno.inspect(slab),
    "System Cu, periodic along a, b (numbers, positions, masses, cell, pbc)",
  );
  assertEquals(String(Batch.from([slab])).startsWith("Batch of 1 system, 1 atom ("), true);
  batch.attach({ by: "NVE", fields: new Set(), fetch: () => Promise.resolve(new Float64Array()) });
  assertEquals(String(batch), `${words}, held by NVE`);
});

Deno.test("after a bath no degree of freedom is missing: the center of mass moves again", async () => {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  initVelocities(batch, 40, { seed: 1 });
  assertEquals([...batch.get("dofRemoved")], [3]);
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  await using md = new NVTLangevin({ model, dt: 2, temperature: 40, friction: 0.01 });
  await md.run(batch, 1);
  assertEquals([...batch.get("dofRemoved")], [0]);
});
