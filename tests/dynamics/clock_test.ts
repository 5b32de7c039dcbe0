import { assertEquals } from "@std/assert";
import { Batch, DynamicsStage, fcc, FIRE, lennardJones, NVE, rattle } from "@hooke/hooke";

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

/** Writes down the time of each system, at every step. */
function clock(seen: number[][]) {
  return {
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    reads: ["time"] as const,
    call: (ctx: { readonly read: { readonly time: Iterable<number> } }) =>
      void seen.push([...ctx.read.time]),
  } as const;
}

Deno.test("time is that of the steps of dynamics: a relaxation before takes none, a run before counts", async () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const batch = Batch.from([rattle(crystal, 0.1, 1), rattle(crystal, 0.1, 2)]);
  const relaxing: number[][] = [], seen: number[][] = [], more: number[][] = [];
  await using opt = new FIRE({ model, dt: 0.5, hooks: [clock(relaxing)] });
  await opt.run(batch, 2);
  assertEquals(relaxing, [[NaN, NaN], [NaN, NaN]]);
  assertEquals(batch.has("time"), false);

  await using md = new NVE({ model, dt: [1, 2], hooks: [clock(seen)] });
  await md.run(batch, 2);
  await md.run(batch, 1);
  assertEquals(seen, [[1, 2], [2, 4], [3, 6]]);
  assertEquals([...batch.get("time")], [3, 6]);

  await using slower = new NVE({ model, dt: 0.5, hooks: [clock(more)] });
  await slower.run(batch, 2);
  assertEquals(more, [[3.5, 6.5], [4, 7]]);
});

Deno.test("time is right when two engines take turns with a batch, and when it is set between two runs", async () => {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  await using one = new NVE({ model, dt: 1 });
  await using two = new NVE({ model, dt: 2 });
  await using opt = new FIRE({ model, dt: 0.5 });
  for (const engine of [one, two, opt, one]) await engine.run(batch, 10);
  assertEquals([...batch.get("time")], [40]);
  batch.set("time", [5]);
  await one.run(batch, 10);
  assertEquals([...batch.get("time")], [15]);
});

Deno.test("time goes on where a checkpoint was taken", async () => {
  const seen: number[][] = [];
  const start = () => Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  await using first = new NVE({ model, dt: 2 });
  await first.run(start(), 3);
  const saved = await first.save();
  await using second = new NVE({ model, dt: 2, hooks: [clock(seen)] });
  await second.run(await second.load(saved), 1);
  assertEquals(seen, [[8]]);
});
