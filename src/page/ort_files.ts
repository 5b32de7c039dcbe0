/**
 * Files of onnxruntime-web that the worker of a tab loads from the folder `ort` beside it, once a model needs them.
 *
 * @module
 */

import { reasonOf } from "../base/show.ts";
import { findHost } from "../platform/host.ts";

/** Scripts of the package: the entry that the code imports, and the file that browsers load for it. */
export const ORT_SCRIPTS: readonly { readonly entry: string; readonly file: string }[] = [
  { entry: "wasm", file: "ort.wasm.bundle.min.mjs" },
  { entry: "webgpu", file: "ort.webgpu.bundle.min.mjs" },
];

/** WebAssembly that the scripts look for beside them. */
const WASM: readonly string[] = [
  "ort-wasm-simd-threaded.wasm",
  "ort-wasm-simd-threaded.asyncify.wasm",
];

/** Names of all files in the folder `ort`. */
export const ORT_FILES: readonly string[] = [...ORT_SCRIPTS.map(({ file }) => file), ...WASM];

/**
 * Reads a file of onnxruntime-web by its address, such as `/ort/ort.wasm.bundle.min.mjs`; undefined if there is none.
 *
 * @throws {Error} if the package cannot be read
 */
export async function ortFile(
  path: string,
): Promise<{ readonly type: string; readonly body: Uint8Array<ArrayBuffer> } | undefined> {
  const name = ORT_FILES.find((each) => path === `/ort/${each}`);
  if (name === undefined) return undefined;
  const type = name.endsWith(".wasm") ? "application/wasm" : "text/javascript; charset=utf-8";
  try {
    // All files are in one folder of the package, which exports only some of them.
    const folder = import.meta.resolve(`onnxruntime-web/${WASM[0]}`);
    return { type, body: await findHost()!.readFile(new URL(name, folder)) };
  } catch (cause) {
    throw new Error(
      `Cannot send ${name}: the package onnxruntime-web cannot be read: ${reasonOf(cause)}`,
      { cause },
    );
  }
}
