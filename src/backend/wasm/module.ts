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
  pairs_domains,
  pairs_forget,
  pairs_free,
  pairs_join,
  pairs_load,
  pairs_new,
  pairs_save,
  release,
  run,
  run_blocks,
} from "../../../wasm/pkg/hooke.js";
import { decodeText } from "./decode_text.ts";
import { decompress } from "./lzma.ts";
import { WASM_LENGTH, WASM_TEXT } from "./module.gen.ts";
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
      pairs_domains,
      pairs_forget,
      pairs_free,
      pairs_join,
      pairs_load,
      pairs_new,
      pairs_save,
      release,
      run,
      run_blocks,
      memory,
      table: function_table(),
    };
  }
  return loaded;
}

/**
 * Returns the bytes of the compiled kernels. A prebuilt package for Deno has them in base64 without compression, because
 * a program that has just started would need 20 ms to decompress them.
 */
export function unpackModule(): Uint8Array<ArrayBuffer> {
  const isPlain = WASM_TEXT.length === Math.ceil(WASM_LENGTH / 3) * 4;
  return isPlain
    ? Uint8Array.fromBase64(WASM_TEXT)
    : decompress(decodeText(WASM_TEXT), WASM_LENGTH);
}
