import type { Backend } from "./backend.ts";
import { ReferenceBackend } from "./reference/mod.ts";
import { WasmBackend } from "./wasm/mod.ts";

/** Name → how to make it. */
const BACKENDS: Readonly<Record<string, () => Backend>> = {
  reference: () => new ReferenceBackend(),
  wasm: () => new WasmBackend(),
};

/**
 * Makes a backend by name: `"wasm"` is SIMD in float32, `"reference"` plain TypeScript in float64. Throws a
 * RangeError for another name.
 */
export function openBackend(name: string = "wasm"): Backend {
  const make = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (make !== undefined) return make();
  throw new RangeError(
    `Cannot open backend ${JSON.stringify(name)} as it must be one of ${
      Object.keys(BACKENDS).join(", ")
    }`,
  );
}
