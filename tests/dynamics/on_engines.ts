/** Tests of engines on every backend: the fast suite tries a part of them on a GPU, and the slow one the rest. */
import { lacksGpu } from "../backend/gpu.ts";
import { isRun } from "../suite.ts";
import { type BackendName, BACKENDS, type EngineBackend, gpu } from "./backends.ts";

type EngineTest = (backend: EngineBackend, name: BackendName | "webgpu") => void | Promise<void>;

/**
 * Returns a test with one step for each backend, which is given the engine's option and the backend's name.
 *
 * A test on a GPU mostly waits, and compiles kernels. The step on a GPU is therefore left to the slow suite, which has
 * no other.
 */
export function onEngines(test: EngineTest): (t: Deno.TestContext) => Promise<void> {
  return stepsOf(test, { isOnHost: isRun("fast"), isOnGpu: isRun("slow") });
}

/** Returns the same test as {@linkcode onEngines}, with all its steps in each suite that runs it. */
export function onEnginesAndGpu(test: EngineTest): (t: Deno.TestContext) => Promise<void> {
  return stepsOf(test, { isOnHost: true, isOnGpu: true });
}

/** Where a test is tried. */
interface Places {
  readonly isOnHost: boolean;
  readonly isOnGpu: boolean;
}

function stepsOf(test: EngineTest, { isOnHost, isOnGpu }: Places) {
  return async (t: Deno.TestContext) => {
    for (const backend of isOnHost ? BACKENDS : []) {
      await t.step(backend, () => test(backend, backend));
    }
    if (!isOnGpu) return;
    await t.step({ name: "webgpu", ignore: lacksGpu(), fn: () => test(gpu!, "webgpu") });
  };
}
