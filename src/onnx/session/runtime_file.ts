/**
 * Advice for an onnxruntime-web that does not start, because its .wasm file is missing or must not be read.
 *
 * @module
 */

import { isServer } from "../../platform/process.ts";
import type { SessionDevice } from "./session_runtime.ts";

/** Version of onnxruntime-web in deno.json, of which a page serves the .wasm file. */
export const RUNTIME_VERSION = "1.30.0";

/** Returns the name of the .wasm file that onnxruntime-web loads for a device. */
export function runtimeFile(device: SessionDevice): string {
  return `ort-wasm-simd-threaded${device === "webgpu" ? ".asyncify" : ""}.wasm`;
}

/** Returns what to do if onnxruntime-web did not start. */
export function startAdvice(device: SessionDevice): string {
  if (isServer()) {
    return "Allow reading or fetching its .wasm file, or pass the file as `wasmFile`. " +
      "Then restart the process, because it cannot start twice in one process";
  }
  const file = runtimeFile(device);
  return `Serve ${file} beside the script of the page, or pass its address as \`wasmFile\`. The file is in the ` +
    `folder dist of the npm package onnxruntime-web@${RUNTIME_VERSION}. Then reload the page, because it cannot ` +
    "start twice in one page";
}
