/**
 * A configuration in 64 characters.
 *
 * @module
 */

import { canonicalText } from "./canonical_json.ts";

/**
 * The SHA-256 of a configuration's {@linkcode canonicalJson}, in hexadecimal: equal configurations have equal
 * hashes, in whatever order their members were written, in Deno and in a page. Other tools get the same from the
 * same text.
 *
 * @param config plain data, as `canonicalJson` takes it
 * @throws {TypeError} for what has no canonical JSON, naming the path: `config.layers[2].rate`
 * @throws {Error} in a page that is not a secure context (neither https nor localhost): it has no `crypto.subtle`
 *
 * @example
 * ```ts
 * import { configHash } from "@hooke/hooke/config";
 * import { assertEquals } from "@std/assert";
 *
 * const hash = await configHash({ seed: 7, rate: 0.001 });
 * assertEquals(hash, await configHash({ rate: 1e-3, seed: 7 }));
 * assertEquals(hash.length, 64);
 * ```
 */
export async function configHash(config: unknown): Promise<string> {
  return await sha256(canonicalText(config, "config"));
}

async function sha256(text: string): Promise<string> {
  const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle;
  if (subtle === undefined) {
    throw new Error(
      "Cannot hash the config: crypto.subtle must exist: serve the page over https or from localhost",
    );
  }
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
