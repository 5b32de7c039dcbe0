/** Tests of engines on every backend: the fast suite tries a part of them on a GPU, and the slow one all. */
import { lacksGpu } from "../backend/gpu.ts";
import { few } from "../suite.ts";
import { type BackendName, BACKENDS, type EngineBackend, gpu } from "./backends.ts";

let asked = 0;

/**
 * The same for engines that are tested on a GPU, too: each step is given what to tell the engine, and its name.
 *
 * A GPU is waited for again and again. So the fast suite tries every fourth test of a file on it, beginning with the
 * first, and the slow suite all of them.
 */
export function onEngines(
  test: (backend: EngineBackend, name: BackendName | "webgpu") => void | Promise<void>,
): (t: Deno.TestContext) => Promise<void> {
  const isTried = few(asked++ % 4 === 0, true);
  return async (t) => {
    for (const backend of BACKENDS) await t.step(backend, () => test(backend, backend));
    if (!isTried) return;
    await t.step({ name: "webgpu", ignore: lacksGpu(), fn: () => test(gpu!, "webgpu") });
  };
}
