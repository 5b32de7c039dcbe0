/** Systems stream through stages. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  type DynamicsOptions,
  FIRE,
  fireRelaxer,
  fuse,
  type FusedDynamics,
  langevin,
  NVE,
  SizeAwareSampler,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertSameBits, bitsOf } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { bySource, FIELDS, rattled } from "./streams.ts";
import { test } from "../suite.ts";

/** Relaxation, then 12 steps of a bath. */
function stages(backend: EngineBackend, hooks: readonly (readonly object[])[] = []): FusedDynamics {
  const of = (all: readonly object[]) => all as unknown as NonNullable<DynamicsOptions["hooks"]>;
  const place = { model: ARGON, ...where(backend) };
  return fuse(
    new Dynamics(fireRelaxer({ dt: 0.3 }), {
      ...place,
      name: "relax",
      hooks: of([ConvergenceHook.fromFmax(0.05), ...hooks[0] ?? []]),
    }),
    new Dynamics(langevin({ dt: 2, temperature: 60, friction: 0.01, seed: 5 }), {
      ...place,
      name: "bath",
      nSteps: 12,
      hooks: of(hooks[1] ?? []),
    }),
  );
}

Deno.test(
  "a system that is admitted to stages late goes through them bitwise identically to a run alone",
  onEngines(async (backend, name) => {
    const systems = rattled(name === "webgpu" ? 4 : 8);
    await using all = stages(backend);
    const sink = new MemorySink();
    const sampler = new SizeAwareSampler(systems, { maxSystems: 3 });
    const summary = await all.stream(sampler, { sinks: [sink] });
    assertEquals([summary.graduated, summary.isDone], [systems.length, true]);
    for (const [id, batch] of bySource(sink.read())) {
      const one = Batch.from([systems[id]!]);
      one.set("systemId", [id]);
      await using own = stages(backend);
      await own.run(one);
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `system ${id}`);
      assertEquals([batch.get("status")[0], batch.get("time")[0]], [2, 24]);
      assertEquals(batch.get("stageSteps"), one.get("stageSteps"));
    }
  }),
);

test(
  "hooks of a stage receive the systems that enter it, from outside or from the previous stage",
  onEnginesAndGpu(async (backend, name) => {
    const came: number[][] = [[], []];
    const watch = (stage: number) =>
      hook({
        name: `watch ${stage}`,
        reads: ["systemId"],
        on: {
          dynamics: {
            ON_ADMIT: ({ admittedMask, read }) => {
              for (let s = 0; s < admittedMask.length; s++) {
                if (admittedMask[s] !== 0) came[stage]!.push(read.systemId[s]!);
              }
            },
          },
        },
      });
    const count = name === "webgpu" ? 3 : 6;
    const all = stages(backend, [[watch(0)], [watch(1)]]);
    const sampler = new SizeAwareSampler(rattled(count), { maxSystems: 2 });
    await all.stream(sampler, { sinks: [new MemorySink()] });
    await all.close();
    const ids = Array.from({ length: count }, (_, i) => i);
    assertEquals(came[0]!.sort(), ids.slice(2)); // the first were there as it began
    assertEquals(came[1]!.sort(), ids);
  }),
);

test("stages that stream go on from a checkpoint", async () => {
  const systems = rattled(6);
  const make = () => new SizeAwareSampler(systems, { maxSystems: 2 });
  const [whole, parts] = [new MemorySink(), new MemorySink()];
  await using one = stages("wasm");
  const { steps } = await one.stream(make(), { sinks: [whole] });
  for (const nSteps of [1, 20, Math.floor(steps / 2), steps - 3]) {
    await using first = stages("wasm");
    await using second = stages("wasm");
    parts.clear();
    await first.stream(make(), { sinks: [parts], nSteps });
    await second.load(await first.save());
    await second.stream(make(), { sinks: [parts] });
    const [found, expected] = [parts.read(), whole.read()];
    assertEquals(found.get("sourceId"), expected.get("sourceId"));
    assertSameBits(bitsOf(found, undefined, FIELDS), bitsOf(expected, undefined, FIELDS));
    assert(found.get("time").every((time) => time === 24));
  }
});

/** Relaxation, which each system leaves after one step, and then NVE with the given options. */
function relaxThenMove(last: { nSteps?: number; hooks?: ConvergenceHook[] }, hooks: object[] = []) {
  const relax = new FIRE({ model: ARGON, dt: 0.3, hooks: [ConvergenceHook.fromFmax(1e9)] });
  const move = new NVE({ model: ARGON, dt: 1, name: "move", ...last });
  return { all: fuse(relax, move, { hooks: hooks as never }), move };
}

const streamOne = (all: FusedDynamics, options: { readonly maxSteps?: number } = {}) => {
  const sampler = new SizeAwareSampler(rattled(1), { maxSystems: 1 });
  return all.stream(sampler, { sinks: [new MemorySink()], ...options });
};

test("a stream through stages of which nothing ends the last one is refused", async () => {
  const refusal =
    "systems would never leave the last stage, move. Give move nSteps or a ConvergenceHook, or pass maxSteps";
  await using endless = relaxThenMove({}).all;
  await assertRejects(() => streamOne(endless), TypeError, refusal);
  assertEquals((await streamOne(endless, { maxSteps: 3 })).graduated, 1);
  const own = relaxThenMove({ hooks: [ConvergenceHook.fromFmax(1e9)] });
  own.move.hooks.disable("ConvergenceHook");
  await assertRejects(() => streamOne(own.all), TypeError, refusal);
  own.move.hooks.enable("ConvergenceHook");
  assertEquals((await streamOne(own.all)).graduated, 1);
  await own.all.close();
  const toMove = new ConvergenceHook({ sourceStatus: 0, criteria: { key: "fmax", threshold: 1 } });
  await using moving = relaxThenMove({}, [toMove]).all;
  await assertRejects(() => streamOne(moving), TypeError, refusal);
  await using nested = fuse(relaxThenMove({}).all, { name: "outer" });
  await assertRejects(() => streamOne(nested), TypeError, refusal);
});

test("the last stage of a stream ends by its steps, its group's steps, or hooks of all stages", async () => {
  const met = { criteria: { key: "fmax", threshold: 1e9 } } as const;
  const relax = () => new FIRE({ model: ARGON, dt: 0.3, nSteps: 2 });
  const group = fuse(relax(), new NVE({ model: ARGON, dt: 1 }), { nSteps: 4, name: "group" });
  for (
    const [all, steps] of [
      [relaxThenMove({ nSteps: 5 }).all, 6],
      [fuse(relax(), group), 6],
      [relaxThenMove({}, [new ConvergenceHook(met)]).all, 1],
      [relaxThenMove({}, [new ConvergenceHook({ ...met, sourceStatus: 1 })]).all, 2],
    ] as const
  ) {
    const { graduated, steps: done } = await streamOne(all);
    assertEquals([graduated, done], [1, steps]);
    await all.close();
  }
});
