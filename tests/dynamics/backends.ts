/** The backends that engines and models are tested on, and what numbers may be off by there. */
import { type Backend, WebGpuBackend } from "../../src/backend/mod.ts";
import type { DynamicsOptions } from "../../src/dynamics/mod.ts";
import { device } from "../backend/gpu.ts";

/** A backend by name. */
export type BackendName = "reference" | "wasm";

/** Backends of engines. */
export const BACKENDS: readonly BackendName[] = ["reference", "wasm"];

/** Backends of pair potentials. */
export const PAIR_BACKENDS: readonly BackendName[] = ["reference", "wasm"];

/** Tolerance of a number, relative to the size of its terms. */
export const TOLERANCE: Readonly<Record<BackendName | "webgpu", number>> = {
  reference: 1e-12,
  wasm: 1e-5,
  webgpu: 1e-5,
};

/** A test as steps, one for each backend. */
export function on(
  backends: readonly BackendName[],
  test: (backend: BackendName) => void | Promise<void>,
): (t: Deno.TestContext) => Promise<void> {
  return async (t) => {
    for (const backend of backends) await t.step(backend, () => test(backend));
  };
}

/** Options of an engine that choose its backend. */
export type EngineBackend = BackendName | Backend;

/** The option of an engine that puts it there. */
export function where(backend: EngineBackend): Pick<DynamicsOptions, "device" | "backend"> {
  return typeof backend === "string" ? { device: backend } : { backend };
}

/** A GPU, where there is one; the same for all tests of a file. */
export const gpu: WebGpuBackend | undefined = device && new WebGpuBackend(device, false);
