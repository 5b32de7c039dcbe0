/** Streams of systems for the tests, and what becomes of each system alone. */
import { Batch, type System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  Dynamics,
  type DynamicsOptions,
  type Integrator,
  SizeAwareSampler,
  type StreamOptions,
  type StreamSummary,
} from "../../src/dynamics/mod.ts";
import type { Model } from "../../src/models/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, argon } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";

/** Crystals that take more and fewer steps to relax. */
export function rattled(count: number, cells = (_: number) => 2): System[] {
  return Array.from(
    { length: count },
    (_, i) => argon(cells(i), i, 0.02 + 0.28 * ((7 * i) % 11) / 10),
  );
}

/** An engine that relaxes until no force is above 0.02 eV/Å, or does steps of some time. */
export function engineOf(
  scheme: Integrator,
  { backend, model = ARGON, hooks = [] }: {
    readonly backend: EngineBackend;
    readonly model?: Model;
    readonly hooks?: readonly object[];
  },
): Dynamics {
  const own = scheme.dt === undefined ? [ConvergenceHook.fromFmax(0.02)] : [];
  const all = [...own, ...hooks] as unknown as NonNullable<DynamicsOptions["hooks"]>;
  return new Dynamics(scheme, { model, ...where(backend), hooks: all });
}

/** Options of the test of a stream. */
export interface StreamTest extends Partial<StreamOptions> {
  readonly backend: EngineBackend;
  readonly maxSystems?: number;
  readonly maxAtoms?: number;
  readonly model?: Model;
  readonly hooks?: readonly object[];
}

/** Results of each system, by its index in the source. */
export async function streamed(
  scheme: Integrator,
  systems: readonly System[],
  { backend, maxSystems = 3, maxAtoms = Infinity, model = ARGON, hooks = [], ...options }:
    StreamTest,
): Promise<{ found: Map<number, Batch>; summary: StreamSummary }> {
  await using engine = engineOf(scheme, { backend, model, hooks });
  const sink = new MemorySink();
  const sampler = new SizeAwareSampler(systems, { maxSystems, maxAtoms });
  const summary = await engine.stream(sampler, { sinks: [sink], ...options });
  return { found: bySource(sink.read()), summary };
}

/** Each system of a sink, by its place in the source. */
export function bySource(batch: Batch): Map<number, Batch> {
  const ids = batch.get("sourceId");
  return new Map(Array.from(ids, (id, place) => [id, batch.select([place])]));
}

/** Results of a system alone. */
export async function alone(
  scheme: Integrator,
  system: System,
  { id, backend, steps = 1000, model = ARGON }: {
    readonly id: number;
    readonly backend: EngineBackend;
    readonly steps?: number;
    readonly model?: Model;
  },
): Promise<Batch> {
  const batch = Batch.from([system]);
  batch.set("systemId", [id]);
  await using engine = engineOf(scheme, { backend, model });
  return await engine.run(batch, steps);
}

/** Values to compare bitwise. */
export const FIELDS = ["positions", "velocities", "forces", "energy", "stepsDone"] as const;
