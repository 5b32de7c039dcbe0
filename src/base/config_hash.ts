/**
 * Hashes of configurations.
 *
 * @module
 */

import { canonicalText } from "./canonical_json.ts";

/**
 * Returns the SHA-256 of a configuration's {@linkcode canonicalJson} in hexadecimal. Equal configurations have equal
 * hashes, whatever the order of their members, in Deno and in web pages. Other tools compute the same hash from the
 * same text.
 *
 * @param config plain data, as `canonicalJson` takes it
 * @throws {TypeError} for a value that has no canonical JSON; the message names the path: `config.layers[2].rate`
 * @throws {Error} in a web page that is not a secure context (https or localhost), where `crypto.subtle` does not
 * exist
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
      "Cannot hash the configuration: this page has no crypto.subtle. Serve the page over https or from localhost",
    );
  }
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
