/** The backends that kernels are tried on. */
import { type Backend, openBackend } from "../../src/backend/mod.ts";
import { openWebGpu } from "../../src/backend/webgpu/mod.ts";
import { Lab as LabOn, type LabOptions } from "../../src/testing/lab.ts";
import { device, lacksGpu } from "../backend/gpu.ts";
import { lacks } from "../machine.ts";

export { normals } from "../../src/testing/lab.ts";
export { assertNear } from "../../src/testing/mod.ts";

/** Backend on which kernels run. */
export type BackendName = "reference" | "wasm" | "webgpu";

/** The backends that every kernel is tested on. */
export const ALL_BACKENDS: readonly BackendName[] = ["reference", "wasm", "webgpu"];

/** Those of them that this machine has, for tests that compare one with another. */
export const BACKENDS: readonly BackendName[] = ALL_BACKENDS.filter((name) =>
  name !== "webgpu" || device !== undefined
);

/** Returns whether a test must be left out as this machine lacks its backend, for `ignore`. */
export function lacksBackend(name: string): boolean {
  return name === "webgpu" && lacksGpu();
}

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

/** Largest accepted error of a number, relative to the size of the numbers that it is computed from. */
export const TOLERANCE = { f64: 1e-12, f32: 1e-5 } as const;

/** Returns the value that a sum keeps of a number: all of it, or 48 bits if the sum is two float32. */
export function kept({ backend }: Lab, value: number): number {
  if (backend.name !== "webgpu") return value;
  return Math.fround(value) + Math.fround(value - Math.fround(value));
}

/** Registers a test on one backend. */
export function testOn(
  backend: BackendName,
  name: string,
  fn: () => void | Promise<void>,
): void {
  Deno.test({ name: `${backend}: ${name}`, fn, ignore: lacksBackend(backend) });
}

/** Registers a test on each backend; `needs` names what else it needs of the machine. */
export function onEach(
  name: string,
  test: (backend: BackendName) => void | Promise<void>,
  { needs }: { readonly needs?: "models" } = {},
): void {
  for (const backend of ALL_BACKENDS) {
    const ignore = lacksBackend(backend) || (needs !== undefined && lacks(needs));
    Deno.test({ name: `${name} (${backend})`, fn: () => test(backend), ignore });
  }
}
