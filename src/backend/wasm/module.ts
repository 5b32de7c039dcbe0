import { initSync } from "../../../wasm/pkg/hooke.js";
import * as exports from "../../../wasm/pkg/hooke.js";
import { WASM_BASE64 } from "./module.gen.ts";
import type { WasmModule } from "./wasm_buffer.ts";

let loaded: WasmModule | undefined;

/**
 * Returns the compiled kernels, and loads them at the first call. Loading requires no permissions, files or network.
 */
export function loadModule(): WasmModule {
  if (loaded === undefined) {
    const { memory } = initSync({ module: decode(WASM_BASE64) });
    loaded = { ...exports, memory, table: exports.function_table() };
  }
  return loaded;
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
