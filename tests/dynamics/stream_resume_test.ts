/** Streams that are stopped and go on. */
import { field } from "../../src/hooks/mod.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  fireRelaxer,
  fixAtoms,
  fixBonds,
  type Integrator,
  langevin,
  type SavedDynamics,
  SizeAwareSampler,
  type StreamOptions,
} from "../../src/dynamics/mod.ts";
import { readCheckpoint, writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { MemorySink, openSink } from "../../src/sinks/mod.ts";
import { test } from "../suite.ts";
import { ARGON, argon, bitsOf } from "./atoms.ts";
import { on, PAIR_BACKENDS, where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";
import { engineOf, FIELDS, rattled, streamed } from "./streams.ts";

/** Contents of a sink, in order, for bitwise comparison. */
function written(batch: Batch): unknown[] {
  const times = ["step", "time", "sourceId", "status"].map((name) => Array.from(batch.get(name)));
  return [times, bitsOf(batch, undefined, FIELDS)];
}

const SYSTEMS = rattled(9, (i) => 1 + i % 2);
const make = () => new SizeAwareSampler(SYSTEMS, { maxAtoms: 70 });

const SCHEMES: readonly [Integrator, Partial<StreamOptions>][] = [
  [fireRelaxer({ dt: 0.3 }), {}],
  [langevin({ dt: 0.7, temperature: 60, friction: 0.01, seed: 5 }), { maxSteps: 17 }],
];

Deno.test(
  "a stream that was stopped at any step and goes on elsewhere writes the same, each system once",
  onEngines(async (backend, name) => {
    for (const [scheme, options] of name === "webgpu" ? SCHEMES.slice(1) : SCHEMES) {
      await using engine = engineOf(scheme, { backend });
      const whole = new MemorySink();
      const { steps } = await engine.stream(make(), { sinks: [whole], ...options });
      const stops = name === "webgpu"
        ? [20]
        : [0, 1, 2, 3].map((i) => Math.ceil((i + (name === "wasm" ? 0.5 : 0)) * steps / 4));
      for (const nSteps of stops) {
        await using first = engineOf(scheme, { backend });
        await using second = engineOf(scheme, { backend });
        const sink = new MemorySink();
        await first.stream(make(), { sinks: [sink], ...options, nSteps });
        const saved: SavedDynamics = structuredClone(await first.save());
        // It went on for a while before it was killed: what that has written is there already.
        const more = engineOf(scheme, { backend });
        await more.load(structuredClone(saved));
        await more.stream(make(), { sinks: [sink], ...options, nSteps: 9 });
        await more.close();
        await second.load(saved);
        const summary = await second.stream(make(), { sinks: [sink], ...options });
        assert(summary.isDone);
        assertEquals(summary.steps, steps);
        assertEquals(written(sink.read()), written(whole.read()), `stopped at ${nSteps}`);
      }
    }
  }),
);

Deno.test(
  "a system that is finished when a stream stops is finished when it resumes, among held atoms",
  onEngines(async (backend) => {
    const batch = Batch.from(rattled(5));
    batch.set("rests", [1, 0, 1, 1, 1], { level: "system", dtype: "f64" });
    const systems = batch.systems();
    const make = () => new SizeAwareSampler(systems, { maxSystems: 3 });
    const open = () =>
      new Dynamics(langevin({ dt: 1, temperature: 60, friction: 0.01, seed: 5 }), {
        model: ARGON,
        ...where(backend),
        constraints: [fixBonds([[0, 1]]), fixAtoms(({ place }) => place === 4)],
        hooks: [
          new ConvergenceHook({
            criteria: [{ key: field<Float64Array>()("rests"), threshold: 0 }],
          }),
        ],
      });
    const options = { maxSteps: 8, refillFrequency: 4 };
    const [whole, parts] = [new MemorySink(), new MemorySink()];
    await using one = open();
    await one.stream(make(), { sinks: [whole], ...options });
    for (const nSteps of [1, 2, 6]) {
      parts.clear();
      await using first = open();
      await using second = open();
      await first.stream(make(), { sinks: [parts], ...options, nSteps });
      await second.load(structuredClone(await first.save()));
      await second.stream(make(), { sinks: [parts], ...options });
      assertEquals(written(parts.read()), written(whole.read()), `stopped at ${nSteps}`);
    }
  }),
);

test(
  "the same sampler goes on after a number of steps, and after a stop",
  on(PAIR_BACKENDS, async (backend) => {
    const scheme = fireRelaxer({ dt: 0.3 });
    const [whole, parts] = [new MemorySink(), new MemorySink()];
    await using one = engineOf(scheme, { backend });
    const { steps } = await one.stream(make(), { sinks: [whole] });
    await using engine = engineOf(scheme, { backend });
    const sampler = make();
    for (let done = false; !done;) {
      const summary = await engine.stream(sampler, { sinks: [parts], nSteps: 7 });
      done = summary.isDone;
    }
    assertEquals(written(parts.read()), written(whole.read()));
    assertEquals(engine.stepCount, steps);
    // There is nothing left to do.
    assertEquals((await engine.stream(sampler, { sinks: [parts] })).systems, 0);
    assertEquals(parts.length, 9);
  }),
);

test("a sink that cannot be cut back is not written to again of systems that it has", async () => {
  const scheme = fireRelaxer({ dt: 0.3 }), backend = "wasm";
  await using first = engineOf(scheme, { backend });
  const memory = new MemorySink();
  const sink = {
    write: (batch: Batch, mask?: ArrayLike<number | boolean>) => memory.write(batch, mask),
    read: () => memory.read(),
    get length() {
      return memory.length;
    },
  };
  const sampler = make();
  await first.stream(sampler, { sinks: [sink], nSteps: 20 });
  const saved = await first.save();
  await first.stream(sampler, { sinks: [sink], nSteps: 25 });
  const before = memory.length;
  await using second = engineOf(scheme, { backend });
  await second.load(saved);
  await second.stream(make(), { sinks: [sink] });
  assert(before > saved.stream!.lengths[0]!, "nothing was written in between");
  assertEquals([...memory.read().get("sourceId")].sort(), SYSTEMS.map((_, i) => i));
  // One that has lost what it had is no sink to go on with.
  await using third = engineOf(scheme, { backend });
  await third.load({ ...saved, stream: { ...saved.stream!, lengths: [99] } });
  await assertRejects(
    () => third.stream(make(), { sinks: [sink] }),
    RangeError,
    "sink 0 must still hold the 99 systems of the checkpoint; got 9",
  );
});

test("a stream that is refused when it goes on leaves its sinks as they are", async () => {
  const scheme = fireRelaxer({ dt: 0.3 }), backend = "wasm";
  await using first = engineOf(scheme, { backend });
  const sampler = make(), sink = new MemorySink();
  await first.stream(sampler, { sinks: [sink], nSteps: 20 });
  const saved = structuredClone(await first.save());
  await first.stream(sampler, { sinks: [sink], nSteps: 25 });
  const before = sink.length;
  assert(before > saved.stream!.lengths[0]!, "nothing was written in between");

  await using second = engineOf(scheme, { backend });
  const more = { ...saved.stream!, lengths: [saved.stream!.lengths[0]!, 99] };
  await second.load({ ...saved, stream: more });
  const sinks = [sink, new MemorySink()];
  await assertRejects(
    () => second.stream(make(), { sinks }),
    RangeError,
    "sink 1 must still hold the 99",
  );
  assertEquals(sink.length, before);

  await second.load(saved);
  second.hooks.add({
    name: "short",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call: () => {},
    open: () => Promise.reject(new RangeError("its file is too short")),
  } as never);
  const again = make();
  await assertRejects(() => second.stream(again, { sinks: [sink] }), RangeError, "too short");
  assertEquals(sink.length, before);
  second.hooks.remove("short");
  // Another one would begin anew, and write all systems once more.
  const another = () => second.stream(make(), { sinks: [sink] });
  await assertRejects(another, Error, "Load the checkpoint again");
  assertEquals(sink.length, before);
  await second.stream(again, { sinks: [sink] });
  assertEquals([...sink.read().get("sourceId")].sort(), SYSTEMS.map((_, i) => i));
});

test("a stream that was done when it was saved cuts its sinks back, and another one may begin", async () => {
  const scheme = fireRelaxer({ dt: 0.3 }), backend = "wasm", sink = new MemorySink();
  await using first = engineOf(scheme, { backend });
  await first.stream(make(), { sinks: [sink] });
  const saved = await first.save(), { length } = sink;
  await sink.write(sink.read().select([0]));
  await using second = engineOf(scheme, { backend });
  await second.load(saved);
  assert((await second.stream(make(), { sinks: [sink] })).isDone);
  assertEquals(sink.length, length);
  await second.stream(make(), { sinks: [sink] });
  assertEquals(sink.length, 2 * length);
});

test("checkpoints in files hold a stream, and files of systems are cut back", async () => {
  const folder = await Deno.makeTempDir();
  const scheme = fireRelaxer({ dt: 0.3 }), backend = "wasm";
  for (const ending of ["xyz", "zarr"]) {
    const path = `${folder}/relaxed.${ending}`;
    const whole =
      (await streamed(scheme, SYSTEMS, { backend, maxSystems: 99, maxAtoms: 70 })).found;
    await using first = engineOf(scheme, { backend });
    const sink = await openSink(path);
    const sampler = make();
    await first.stream(sampler, { sinks: [sink], nSteps: 20 });
    await first.saveCheckpoint(`${folder}/stream.hooke`);
    await first.stream(sampler, { sinks: [sink], nSteps: 15 });
    await sink.close();
    await using second = engineOf(scheme, { backend });
    await second.loadCheckpoint(`${folder}/stream.hooke`);
    const again = await openSink(path);
    await second.stream(make(), { sinks: [again] });
    const found = await again.read();
    await again.close();
    const ids = Array.from(found.get("sourceId"));
    assertEquals([...ids].sort(), SYSTEMS.map((_, i) => i));
    for (const [place, id] of ids.entries()) {
      assertEquals(bitsOf(found, place, ["positions"]), bitsOf(whole.get(id)!, 0, ["positions"]));
    }
  }
});

test("a stream whose batch is gone says so", async () => {
  await using engine = engineOf(fireRelaxer({ dt: 0.3 }), { backend: "wasm" });
  const sampler = make(), sinks = [new MemorySink()];
  await engine.stream(sampler, { sinks, nSteps: 5 });
  await engine.run(Batch.from([argon(1, 0)]), 1);
  await assertRejects(
    () => engine.stream(sampler, { sinks }),
    Error,
    "another batch was run in between, or the engine was closed",
  );
});

test("saved slots of a stream that save() did not return, and checkpoints of schema 1, are refused", async () => {
  const scheme = fireRelaxer({ dt: 0.3 }), backend = "wasm", path = await Deno.makeTempFile();
  await using first = engineOf(scheme, { backend });
  await first.stream(make(), { sinks: [new MemorySink()], nSteps: 5 });
  const saved = await first.save(), stream = saved.stream!;
  const { finishedAt: restedAt, ...slot } = stream.slots[0]!;
  const slots = [
    { ...slot, restedAt } as unknown as typeof stream.slots[0],
    ...stream.slots.slice(1),
  ];
  await using second = engineOf(scheme, { backend });
  await second.load({ ...saved, stream: { ...stream, slots, lengths: [0] } });
  await assertRejects(
    () => second.stream(make(), { sinks: [new MemorySink()] }),
    TypeError,
    "slot 0 of the state must be a result of save()",
  );

  await first.saveCheckpoint(path);
  const { kind, schema, data } = await readCheckpoint(path);
  assertEquals(schema, 2);
  await writeCheckpoint(path, { kind, schema: 1, data });
  await using third = engineOf(scheme, { backend });
  await assertRejects(
    () => third.loadCheckpoint(path),
    RangeError,
    "its schema must be at least 2, the oldest supported; got 1. Load it with the older version of Hooke that wrote it",
  );
  await Deno.remove(path);
});
