/** Systems that come and go while an engine runs have the bits that they have alone. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  FIRE,
  fire2Relaxer,
  fireRelaxer,
  fixBonds,
  fixCenterOfMass,
  langevin,
  lbfgsRelaxer,
  nptIntegrator,
  SizeAwareSampler,
} from "../../src/dynamics/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, argon, assertSameBits, bitsOf, spring } from "./atoms.ts";
import { on, PAIR_BACKENDS, where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";
import { alone, bySource, FIELDS, rattled, streamed } from "./streams.ts";
import { test } from "../suite.ts";

Deno.test(
  "a system that joins a stream has the bits that it has alone, whenever it joins",
  onEngines(async (backend, name) => {
    const systems = rattled(9);
    for (
      const scheme of name === "webgpu" ? [fireRelaxer({ dt: 0.3 })] : [
        fireRelaxer({ dt: 0.3 }),
        fire2Relaxer({ dt: 0.05, tMax: 0.5 }),
        lbfgsRelaxer({}),
      ]
    ) {
      const { found, summary } = await streamed(scheme, systems, { backend });
      assertEquals([...found.keys()].sort(), systems.map((_, i) => i));
      assertEquals([summary.graduated, summary.converged, summary.isDone], [9, 9, true]);
      for (const [id, batch] of found) {
        const one = await alone(scheme, systems[id]!, { id, backend });
        assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
        assertEquals(batch.get("status")[0], 1);
        assertEquals(batch.get("sourceIndex")[0], id);
      }
    }
  }),
);

Deno.test(
  "systems of any sizes join and leave, each does its steps, no more and no fewer",
  onEngines(async (backend, name) => {
    const scheme = langevin({ dt: 2, temperature: 60, friction: 0.01, seed: 5 });
    const systems = rattled(8, (i) => 1 + i % 3);
    const options = { backend, maxSystems: 4, maxAtoms: 150, maxSteps: 23 };
    const { found } = await streamed(scheme, systems, options);
    assertEquals(found.size, 8);
    for (const [id, batch] of found) {
      const one = await alone(scheme, systems[id]!, { id, backend, steps: 23 });
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
      assertEquals([batch.get("stepsDone")[0], batch.get("time")[0]], [23, 46]);
    }
  }),
);

Deno.test(
  "with a model that is visited a system gets its first forces with those of the others, and has the same bits",
  onEngines(async (backend, name) => {
    const systems = Array.from(
      { length: 8 },
      (_, i) =>
        new System({ symbols: ["H"], positions: [1 + 3 * ((5 * i) % 8), 0, 0], masses: [1] }),
    );
    const model = spring(0.1);
    for (const maxSteps of name === "webgpu" ? [7] : [undefined, 7]) {
      const options = { backend, model, ...(maxSteps && { maxSteps }), refillFrequency: 2 };
      const { found, summary } = await streamed(fireRelaxer({ dt: 0.3 }), systems, options);
      assertEquals(summary.graduated, 8);
      for (const [id, batch] of found) {
        const steps = maxSteps ?? 1000;
        const one = await alone(fireRelaxer({ dt: 0.3 }), systems[id]!, {
          id,
          backend,
          model,
          steps,
        });
        assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
      }
    }
  }),
);

/** Number of times that batches are rebuilt. */
async function puts(work: () => Promise<unknown>): Promise<number> {
  const { put } = Batch.prototype;
  let count = 0;
  Batch.prototype.put = function (...args) {
    count++;
    return put.apply(this, args);
  };
  try {
    await work();
  } finally {
    Batch.prototype.put = put;
  }
  return count;
}

test(
  "in place or in a new batch, systems that join have the same bits, and so have those that stay",
  on(PAIR_BACKENDS, async (backend) => {
    const systems = Array.from({ length: 7 }, (_, i) => argon(2, i, 0.03 * (1 + i % 4)));
    const moving = Batch.from(systems);
    initVelocities(moving, 20, { seed: 3 });
    // A field that differs from one frame to the next may be in use.
    moving.set("tag", systems.map((_, i) => i), { level: "system", dtype: "i32", fill: 0 });
    const tagged = moving.systems();
    moving.remove("tag");
    const found: Record<string, unknown>[] = [];
    const counts: number[] = [];
    for (const source of [moving.systems(), tagged]) {
      counts.push(
        await puts(async () => {
          const all = (await streamed(fireRelaxer({ dt: 0.3 }), source, { backend })).found;
          found.push(Object.fromEntries([...all].map(([id, one]) => [id, bitsOf(one, 0, FIELDS)])));
        }),
      );
    }
    assertEquals(counts[0], 0);
    assertNotEquals(counts[1], 0);
    assertEquals(found[1], found[0]);
  }),
);

test(
  "systems with fields that others have not stream together, and lose none",
  on(PAIR_BACKENDS, async (backend) => {
    const plain = rattled(6);
    const ones = Batch.from(plain);
    ones.ensure("forces");
    ones.ensure("stress");
    ones.set("charge", [1, 2, 3, 4, 5, 6], { level: "system", dtype: "f64", fill: 0 });
    const source = plain.map((one, i) => i % 2 === 0 ? one : ones.system(i));
    const { found } = await streamed(fireRelaxer({ dt: 0.3 }), source, { backend, maxSystems: 2 });
    for (const [id, batch] of found) {
      const one = await alone(fireRelaxer({ dt: 0.3 }), plain[id]!, { id, backend });
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `system ${id}`);
      assertEquals(batch.get("charge")[0], id % 2 === 0 ? 0 : id + 1);
    }
  }),
);

test("on two threads, too, the batch is over 90 % full, and the filling is that of the systems that move", async () => {
  await using engine = new FIRE({
    model: ARGON,
    dt: 0.3,
    threads: 2,
    hooks: [ConvergenceHook.fromFmax(0.01)],
  });
  const sink = new MemorySink(), steps = 250;
  const sampler = new SizeAwareSampler(rattled(400), { maxSystems: 32 });
  const { filling } = await engine.stream(sampler, { sinks: [sink], nSteps: steps });
  assert(filling > 0.9, `it was ${filling} full`);
  const { batch, stream } = await engine.save();
  const there = Batch.load(batch).get("stepsDone").filter((_, s) => !stream!.slots[s]!.isWritten);
  const done = [...sink.read().get("stepsDone"), ...there].reduce((a, b) => a + b);
  assertEquals(filling, done / (32 * steps));
  const { graduated } = await engine.stream(sampler, { sinks: [sink] });
  assertEquals(graduated, 400);
});

test("on two threads systems join with the bits that they have alone on one", async () => {
  const systems = rattled(7, (i) => 1 + i % 2);
  await using engine = new FIRE({
    model: ARGON,
    dt: 0.3,
    threads: 2,
    hooks: [ConvergenceHook.fromFmax(0.02)],
  });
  const sink = new MemorySink();
  const sampler = new SizeAwareSampler(systems, { maxSystems: 3 });
  const { graduated } = await engine.stream(sampler, { sinks: [sink] });
  assertEquals(graduated, 7);
  for (const [id, batch] of bySource(sink.read())) {
    const one = await alone(fireRelaxer({ dt: 0.3 }), systems[id]!, { id, backend: "wasm" });
    assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `system ${id}`);
  }
});

test(
  "baths and cells that a scheme keeps go with a system, and begin anew with the next",
  on(PAIR_BACKENDS, async (backend) => {
    const moving = Batch.from(rattled(5));
    initVelocities(moving, 40, { seed: 1 });
    const systems = moving.systems();
    const scheme = nptIntegrator({
      dt: 2,
      temperature: 40,
      pressure: 0.001,
      barostatTime: 200,
      thermostatTime: 100,
    });
    // They cool down at times of their own, so that some stay where others join.
    const hooks = [new ConvergenceHook({ criteria: { key: "temperature", threshold: 25 } })];
    const options = { backend, maxAtoms: 64, maxSteps: 80, refillFrequency: 1, hooks };
    const { found, summary } = await streamed(scheme, systems, options);
    assert(summary.refills > 2);
    for (const [id, batch] of found) {
      const steps = batch.get("stepsDone")[0]!;
      const one = await alone(scheme, systems[id]!, { id, backend, steps });
      const all = [...FIELDS, "cell"] as const;
      assertSameBits(bitsOf(batch, 0, all), bitsOf(one, 0, all), `system ${id}`);
    }
  }),
);

test(
  "systems join with their constraints kept, bonds and fixed atoms, whatever others have",
  on(PAIR_BACKENDS, async (backend) => {
    const moving = Batch.from(rattled(6));
    initVelocities(moving, 40, { seed: 4 }); // along bonds, too
    const systems = moving.systems();
    const make = () =>
      new Dynamics(langevin({ dt: 2, temperature: 60, friction: 0.05, seed: 5 }), {
        model: ARGON,
        ...where(backend),
        // As long as they are when a system joins.
        constraints: [fixBonds([[0, 1], [2, 3]]), fixCenterOfMass()],
        hooks: [new ConvergenceHook({ criteria: { key: "energy", threshold: -2.1 } })],
      });
    const sink = new MemorySink();
    await using engine = make();
    const sampler = new SizeAwareSampler(systems, { maxSystems: 3 });
    await engine.stream(sampler, { sinks: [sink], maxSteps: 40, refillFrequency: 1 });
    for (const [id, batch] of bySource(sink.read())) {
      const one = Batch.from([systems[id]!]);
      one.set("systemId", [id]);
      await using own = make();
      await own.run(one, batch.get("stepsDone")[0]!);
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `system ${id}`);
    }
  }),
);
