import { inflate } from "../../base/inflate.ts";
// By name, because the default export fetches a .wasm file that bundlers would look for and pages would not find.
import {
  allocate,
  edges_free,
  edges_new,
  edges_place,
  edges_room,
  function_table,
  initSync,
  kernel_number,
  pairs_atoms,
  pairs_forget,
  pairs_free,
  pairs_load,
  pairs_new,
  pairs_save,
  release,
  run,
} from "../../../wasm/pkg/hooke.js";
import { WASM_BASE64, WASM_LENGTH } from "./module.gen.ts";
import type { WasmModule } from "./wasm_buffer.ts";

let loaded: WasmModule | undefined;

/**
 * Returns the compiled kernels, and loads them at the first call. Loading requires no permissions, files or network.
 */
export function loadModule(): WasmModule {
  if (loaded === undefined) {
    const { memory } = initSync({ module: unpackModule() });
    loaded = {
      allocate,
      edges_free,
      edges_new,
      edges_place,
      edges_room,
      kernel_number,
      pairs_atoms,
      pairs_forget,
      pairs_free,
      pairs_load,
      pairs_new,
      pairs_save,
      release,
      run,
      memory,
      table: function_table(),
    };
  }
  return loaded;
}

/** Returns the bytes of the compiled kernels. */
export function unpackModule(): Uint8Array<ArrayBuffer> {
  const text = atob(WASM_BASE64), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  return inflate(packed, WASM_LENGTH);
}
