/** The backends that kernels are tried on. */
import { type Backend, openBackend } from "../../src/backend/mod.ts";
import { openWebGpu } from "../../src/backend/webgpu/mod.ts";
import { Lab as LabOn, type LabOptions } from "../../src/testing/lab.ts";
import { device } from "../backend/gpu.ts";

export { normals } from "../../src/testing/lab.ts";
export { assertNear } from "../../src/testing/mod.ts";

/** Where kernels run. */
export type BackendName = "reference" | "wasm" | "webgpu";

/** The backends that every kernel is tried on. */
export const BACKENDS: readonly BackendName[] = device === undefined
  ? ["reference", "wasm"]
  : ["reference", "wasm", "webgpu"];

/** A backend by name. */
export async function openOn(name: string): Promise<Backend> {
  return name === "webgpu" ? await openWebGpu({ device: device! }) : openBackend(name);
}

/** A backend with a frame of systems of the given sizes. */
export type Lab = LabOn;

/** On the backend of this name. */
export const Lab = {
  async open(name: string, sizes: readonly number[], options: LabOptions = {}): Promise<Lab> {
    return new LabOn(await openOn(name), sizes, options);
  },
};

/** What a number may be off by, relative to the size of what it came from. */
export const TOLERANCE = { f64: 1e-12, f32: 1e-5 } as const;

/** What a sum keeps of a number: all of it, or 48 bits where it is two float32. */
export function kept({ backend }: Lab, value: number): number {
  if (backend.name !== "webgpu") return value;
  return Math.fround(value) + Math.fround(value - Math.fround(value));
}

/** A test on each backend. */
export function onEach(
  name: string,
  test: (backend: BackendName) => void | Promise<void>,
): void {
  for (const backend of BACKENDS) Deno.test(`${name} (${backend})`, () => test(backend));
}
