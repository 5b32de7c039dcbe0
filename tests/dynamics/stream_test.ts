/** Systems that come and go while an engine runs. */
import { assertEquals } from "@std/assert";
import { Batch, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  fire,
  type Integrator,
  langevin,
  SizeAwareSampler,
  type StreamOptions,
  type StreamSummary,
} from "../../src/dynamics/mod.ts";
import type { Model } from "../../src/models/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, argon, assertSameBits, bitsOf, spring } from "./atoms.ts";
import { type EngineBackend, onEngines, where } from "./backends.ts";

/** Crystals that take more and fewer steps to relax. */
function rattled(count: number, cells = (_: number) => 2): System[] {
  return Array.from(
    { length: count },
    (_, i) => argon(cells(i), i, 0.02 + 0.28 * ((7 * i) % 11) / 10),
  );
}

interface StreamTest extends Partial<StreamOptions> {
  readonly maxSystems?: number;
  readonly model?: Model;
}

/** What has come of each system, by its place in the source. */
async function streamed(
  scheme: Integrator,
  systems: readonly System[],
  backend: EngineBackend,
  { maxSystems = 3, model = ARGON, ...options }: StreamTest = {},
): Promise<{ found: Map<number, Batch>; summary: StreamSummary }> {
  const hooks = scheme.dt === undefined ? [ConvergenceHook.fromFmax(0.02)] : [];
  await using engine = new Dynamics(scheme, { model, ...where(backend), hooks });
  const sink = new MemorySink();
  const sampler = new SizeAwareSampler(systems, { maxSystems });
  const summary = await engine.stream(sampler, { sinks: [sink], ...options });
  return { found: bySource(sink.read()), summary };
}

function bySource(batch: Batch): Map<number, Batch> {
  const ids = batch.get("sourceId");
  return new Map(Array.from(ids, (id, place) => [id, batch.select([place])]));
}

interface Alone {
  readonly id: number;
  readonly backend: EngineBackend;
  readonly steps?: number;
  readonly model?: Model;
}

/** What becomes of a system alone. */
async function alone(
  scheme: Integrator,
  system: System,
  { id, backend, steps = 1000, model = ARGON }: Alone,
): Promise<Batch> {
  const batch = Batch.from([system]);
  batch.set("systemId", [id]);
  const hooks = scheme.dt === undefined ? [ConvergenceHook.fromFmax(0.02)] : [];
  await using engine = new Dynamics(scheme, { model, ...where(backend), hooks });
  return await engine.run(batch, steps);
}

const FIELDS = ["positions", "velocities", "forces", "energy", "stepsDone"] as const;

Deno.test(
  "a system that joins a stream has the bits that it has alone, whenever it joins",
  onEngines(async (backend, name) => {
    const systems = rattled(9);
    const { found, summary } = await streamed(fire({ dt: 0.3 }), systems, backend);
    assertEquals([...found.keys()].sort(), systems.map((_, i) => i));
    assertEquals([summary.graduated, summary.converged, summary.isDone], [9, 9, true]);
    for (const [id, batch] of found) {
      const one = await alone(fire({ dt: 0.3 }), systems[id]!, { id, backend });
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
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
      const options = { model, ...(maxSteps && { maxSteps }), refillFrequency: 2 };
      const { found, summary } = await streamed(fire({ dt: 0.3 }), systems, backend, options);
      assertEquals(summary.graduated, 8);
      for (const [id, batch] of found) {
        const steps = maxSteps ?? 1000;
        const one = await alone(fire({ dt: 0.3 }), systems[id]!, { id, backend, model, steps });
        assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
      }
    }
  }),
);

Deno.test(
  "noise goes with a system through a stream, and each does its steps, no more and no fewer",
  onEngines(async (backend, name) => {
    const scheme = langevin({ dt: 2, temperature: 60, friction: 0.01, seed: 5 });
    const systems = rattled(7, (i) => 1 + i % 2);
    const { found } = await streamed(scheme, systems, backend, { maxSteps: 23 });
    for (const [id, batch] of found) {
      assertEquals(batch.get("stepsDone")[0], 23);
      const one = await alone(scheme, systems[id]!, { id, backend, steps: 23 });
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
      assertEquals(batch.get("time")[0], 46);
    }
  }),
);
