/**
 * The WebAssembly backend: kernels in Rust with 128-bit SIMD, in float32.
 *
 * @module
 */

export { WasmBackend } from "./wasm_backend.ts";
