/**
 * The only file that imports onnxruntime-node, an optional npm package with onnxruntime as native code.
 *
 * @module
 */

import { findHost, mayLoadNative } from "../../../platform/host.ts";
import type { Runtime } from "../session_runtime.ts";
import { isDeno, isServer } from "../../../platform/process.ts";

/**
 * Tested version of onnxruntime-node. Deno downloads it if native code is required and the program does not have the
 * package.
 */
const PINNED = "npm:onnxruntime-node@1.30.0";

/** The native runtime, or the reason why it cannot be used. */
export type NativeLookup =
  | { readonly runtime: Runtime }
  | { readonly reason: string; readonly cause?: unknown };

/** Earlier lookups in this process. They are kept because a package that failed to load would fail again. */
const lookups: { installed?: Promise<NativeLookup>; pinned?: Promise<NativeLookup> } = {};

/**
 * Returns the native runtime, or the reason why it cannot be used. It is loaded once per process.
 *
 * @param mayDownload true if Deno may download the package when the program does not have it
 */
export async function findNativeRuntime(mayDownload: boolean): Promise<NativeLookup> {
  if (!isServer()) return { reason: "a page cannot run native code" };
  const host = findHost();
  // Do not ask for the permission: a prompt would halt a program that runs unattended.
  if (host !== undefined && !mayLoadNative(host)) {
    return { reason: "Deno runs without --allow-ffi" };
  }
  const installed = await (lookups.installed ??= load("onnxruntime-node"));
  if ("runtime" in installed || !mayDownload || !isDeno()) return installed;
  return await (lookups.pinned ??= load(PINNED));
}

async function load(specifier: string): Promise<NativeLookup> {
  try {
    // Bundlers and Deno's download of dependencies ignore imports whose specifier is a variable.
    const loaded = await import(specifier) as { readonly default?: Runtime };
    return { runtime: loaded.default ?? loaded as unknown as Runtime };
  } catch (cause) {
    return { reason: reasonOf(cause), cause };
  }
}

/**
 * Patterns of errors about a missing package. "not found" alone is not enough: other errors end in it as well, such
 * as one about a C library that is too old.
 */
const MISSING: readonly RegExp[] = [
  /import (path )?"onnxruntime-node" not /i, // Deno
  /Cannot find (package|module) ["']onnxruntime-node["']/, // Node and Bun
  /not found in cache/, // Deno without network
];

/** Returns the reason why the package could not be imported. `error` is the error of the import. */
export function reasonOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  if (MISSING.some((one) => one.test(said))) {
    return "the package onnxruntime-node is not installed";
  }
  return `onnxruntime-node does not load here (${said.split("\n")[0]})`;
}
