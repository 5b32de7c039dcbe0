import { type Backend, openBackend } from "../../src/backend/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { argonModel, crystals } from "./input.ts";

/** Bytes per atom. */
export interface Footprint {
  /** In the memory of the kernels: the state of the run and its pairs. */
  readonly wasm: number;
  /** In the fields of the batch. */
  readonly batch: number;
  /** By which the process has grown, garbage not yet collected included. */
  readonly process: number;
}

/** Bytes by which a run has grown. */
export interface Growth {
  readonly heap: number;
  /** The memory of the kernels. */
  readonly wasm: number;
  readonly steps: number;
}

/** Measures the memory that a run of 108000 atoms takes. */
export async function memoryPerAtom(): Promise<Footprint> {
  const backend = openBackend("wasm"), rss = Deno.memoryUsage().rss, linear = linearOf(backend);
  const batch = crystals(30);
  const engine = new NVE({ model: argonModel(), dt: 1, backend });
  await engine.run(batch, 200);
  const { nodeCount } = batch;
  const host = batch.fields().reduce((sum, { name }) => sum + batch.get(name).byteLength, 0);
  collect();
  return {
    wasm: Math.round((linearOf(backend) - linear) / nodeCount),
    batch: Math.round(host / nodeCount),
    process: Math.round((Deno.memoryUsage().rss - rss) / nodeCount),
  };
}

/** Measures the memory that 1e5 steps of 108 atoms leave behind, after 1e5 steps of warm-up. */
export async function growth(): Promise<Growth> {
  const backend = openBackend("wasm"), batch = crystals(3), steps = 1e5;
  const engine = new NVE({ model: argonModel(), dt: 1, backend });
  await engine.run(batch, steps);
  collect();
  const heap = Deno.memoryUsage().heapUsed, linear = linearOf(backend);
  await engine.run(batch, steps);
  collect();
  return {
    heap: Deno.memoryUsage().heapUsed - heap,
    wasm: linearOf(backend) - linear,
    steps,
  };
}

/** Returns the size of the kernels' memory in bytes. */
function linearOf(backend: Backend): number {
  const one = backend.alloc("i32", 1);
  const { byteLength } = backend.view(one).buffer;
  backend.free(one);
  return byteLength;
}

function collect(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
