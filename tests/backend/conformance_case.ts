/** The suite on each of our backends. */
import { loadModule } from "../../src/backend/wasm/module.ts";
import { philox } from "../../src/kernels/philox.ts";
import {
  backendSuite,
  type BackendSuiteOptions,
  type TestCase,
  type WordsOf,
} from "../../src/testing/mod.ts";
import { ALL_BACKENDS, type BackendName, lacksBackend, openOn } from "../kernels/lab.ts";
import { philox as compiledPhilox } from "../../wasm/pkg/hooke.js";
import { buffersHeld, device } from "./gpu.ts";
import { wordsOnGpu } from "./gpu_words.ts";

/** Four words for each six numbers. */
function inTurn(one: (six: Uint32Array, four: Uint32Array) => void): WordsOf {
  return (given) => {
    const words = new Uint32Array(given.length / 6 * 4);
    for (let i = 0; i < given.length / 6; i++) {
      one(given.subarray(6 * i, 6 * i + 6), words.subarray(4 * i, 4 * i + 4));
    }
    return words;
  };
}

function compiled(): WordsOf {
  loadModule();
  return inTurn(([a, b, c, d, e, f], four) => four.set(compiledPhilox(a!, b!, c!, d!, e!, f!)));
}

const OPTIONS: Readonly<Record<BackendName, () => BackendSuiteOptions>> = {
  reference: () => ({
    wordsOf: inTurn(([a, b, c, d, e, f], four) => philox(a!, b!, c!, d!, e!, f!, four)),
  }),
  wasm: () => ({ wordsOf: compiled(), held: () => loadModule().memory.buffer.byteLength }),
  webgpu: () => ({ wordsOf: (given) => wordsOnGpu(device!, given), held: buffersHeld }),
};

/** A case of the suite on one of our backends. */
export interface ConformanceRow extends TestCase {
  readonly backend: BackendName;
}

/** All cases on all backends. */
export function conformanceRows(options: BackendSuiteOptions = {}): ConformanceRow[] {
  return ALL_BACKENDS.flatMap((backend) =>
    backendSuite(() => openOn(backend), { ...OPTIONS[backend](), ...options })
      .map((one): ConformanceRow => ({ ...one, backend }))
  );
}

/** Registers a test for each of these cases. */
export function testConformance(rows: readonly ConformanceRow[]): void {
  for (const { backend, name, run } of rows) {
    Deno.test({ name: `${backend}: ${name}`, fn: run, ignore: lacksBackend(backend) });
  }
}
