/**
 * Requests of files.
 *
 * @module
 */

/** A file that a server does not have. Readers of stores know missing files by this code. */
interface MissingFile extends Error {
  code?: "ENOENT";
}

/**
 * Fetches an address.
 *
 * @throws {Error} if the server does not answer, or not with success; `code` is `"ENOENT"` if there is no such file
 */
export async function requested(address: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch (cause) {
    if ((cause as Error).name === "AbortError") throw cause;
    throw new Error(`Cannot load ${address}: the server did not answer`, { cause });
  }
  if (response.ok) return response;
  const error: MissingFile = new Error(
    `Cannot load ${address}: the server answered ${response.status} ${response.statusText}`.trim(),
  );
  if (response.status === 404) error.code = "ENOENT";
  throw error;
}
