/**
 * SHA-256 in hexadecimal digits.
 *
 * @module
 */

import { findBuiltin } from "../../platform/process.ts";

/**
 * Returns the SHA-256 of a text or of bytes, in 64 hexadecimal digits. On a server the hash is computed at once: for
 * texts of a few kilobytes, `crypto.subtle` takes several times as long, because it changes threads.
 */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const node = findBuiltin("node:crypto");
  if (node !== undefined) return node.createHash("sha256").update(data).digest("hex");
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
