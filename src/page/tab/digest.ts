/**
 * Hashes of bytes, in hexadecimal.
 *
 * @module
 */

/** Returns the SHA-256 of bytes in hexadecimal. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the SHA-256 of positions as float64, little-endian. Equal bits give equal hashes on every device and page. */
export async function hashOfPositions(positions: ArrayLike<number>): Promise<string> {
  return await sha256(new Uint8Array(Float64Array.from(positions).buffer));
}
