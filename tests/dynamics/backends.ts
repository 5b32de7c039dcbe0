/** The backends that engines and models are tested on, and what numbers may be off by there. */
import { type Backend, WebGpuBackend } from "../../src/backend/mod.ts";
import type { DynamicsOptions } from "../../src/dynamics/mod.ts";
import { device } from "../backend/gpu.ts";

/** A backend by name. */
export type BackendName = "reference" | "wasm";

/** Where engines run. */
export const BACKENDS: readonly BackendName[] = ["reference", "wasm"];

/** Where potentials of pairs run. */
export const PAIR_BACKENDS: readonly BackendName[] = ["reference", "wasm"];

/** What a number may be off by, relative to the size of what it came from. */
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

/** What an engine may be told of where it is to run. */
export type EngineBackend = BackendName | Backend;

/** The option of an engine that puts it there. */
export function where(backend: EngineBackend): Pick<DynamicsOptions, "device" | "backend"> {
  return typeof backend === "string" ? { device: backend } : { backend };
}

/** A GPU, where there is one; the same for all tests of a file. */
export const gpu: WebGpuBackend | undefined = device && new WebGpuBackend(device, false);
