/** The wasm-pack that builds the kernels. */
export const WASM_PACK = "0.15.1";

/** The wasm-bindgen command; wasm/Cargo.toml pins the crate to the same version. */
export const WASM_BINDGEN = "0.2.129";

/**
 * The binaryen whose wasm-opt goes over the compiled kernels, or "" for none. It takes a twentieth off their size;
 * it is off until a benchmark says that it makes them faster.
 */
export const BINARYEN: string = "";

/** Programs other than the compiler that wrote the package. */
export const TOOLS: string = [
  `wasm-bindgen ${WASM_BINDGEN}`,
  `wasm-pack ${WASM_PACK}`,
  ...(BINARYEN === "" ? [] : [`binaryen ${BINARYEN}`]),
].join(", ");

/** Flags for compiling the kernels, and the standard library under them. */
export const FLAGS = "-Ctarget-feature=+simd128";

/**
 * Flags for compiling the kernels themselves. Panics keep no file names and line numbers, which nothing could show
 * anyway, and functions are written in the order of their sources instead of by name: so comments, names and places of
 * files do not change the bytes. Both are unstable options: `RUSTC_BOOTSTRAP` lets a stable compiler accept them.
 */
export const KERNEL_FLAGS: string = `${FLAGS} -Zlocation-detail=none -Zcodegen-source-order`;

/** The one target. */
export const TARGET = "wasm32-unknown-unknown";

/**
 * Returns the folder in which toolchains are kept between builds: `HOOKE_WASM_CACHE`, or a folder of the user's
 * cache.
 */
export function cacheFolder(): string {
  const own = Deno.env.get("HOOKE_WASM_CACHE");
  if (own) return own;
  const caches = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  return `${caches}/hooke-wasm`;
}

/** Returns the folder in which Cargo keeps downloaded crates. */
export function cargoHome(): string {
  return Deno.env.get("CARGO_HOME") || `${Deno.env.get("HOME")}/.cargo`;
}
