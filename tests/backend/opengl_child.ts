/** Opens WebGPU, and compares every kernel of the check: for adapters that are chosen by the environment. */
import { BackendUnavailableError, openWebGpu } from "../../src/backend/mod.ts";

if (import.meta.main) {
  try {
    (await openWebGpu()).dispose();
    console.log("right");
  } catch (error) {
    if (!(error instanceof BackendUnavailableError)) throw error;
    console.log(error.reason);
  }
}
