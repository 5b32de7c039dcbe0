/** Tests of engines on every backend: the fast suite tries a part of them on a GPU, and the slow one all. */
import { lacksGpu } from "../backend/gpu.ts";
import { few } from "../suite.ts";
import { type BackendName, BACKENDS, type EngineBackend, gpu } from "./backends.ts";

type EngineTest = (backend: EngineBackend, name: BackendName | "webgpu") => void | Promise<void>;

/**
 * Returns a test with one step for each backend, which is given the engine's option and the backend's name.
 *
 * A test on a GPU mostly waits, and compiles kernels. The step on a GPU is therefore left to the slow suite.
 */
export function onEngines(test: EngineTest): (t: Deno.TestContext) => Promise<void> {
  return stepsOf(test, few(false, true));
}

/** Returns the same test as {@linkcode onEngines}, with its step on a GPU in the fast suite, too. */
export function onEnginesAndGpu(test: EngineTest): (t: Deno.TestContext) => Promise<void> {
  return stepsOf(test, true);
}

function stepsOf(test: EngineTest, isTriedOnGpu: boolean) {
  return async (t: Deno.TestContext) => {
    for (const backend of BACKENDS) await t.step(backend, () => test(backend, backend));
    if (!isTriedOnGpu) return;
    await t.step({ name: "webgpu", ignore: lacksGpu(), fn: () => test(gpu!, "webgpu") });
  };
}
