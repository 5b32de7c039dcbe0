/**
 * Opening of structure files at an address.
 *
 * @module
 */

import type { FrameSource } from "../../protocol.ts";
import { requested } from "./requested.ts";
import { framesOfFile } from "./text_frames.ts";
import { openZarrFrames } from "./zarr_frames.ts";

/**
 * Opens the frames of a structure file at an address.
 *
 * @throws {RangeError} if the name does not determine a format
 * @throws {SyntaxError} if the file is damaged or of another format
 * @throws {Error} if the server has no such file, or does not answer
 */
export async function openFrames(address: string, signal?: AbortSignal): Promise<FrameSource> {
  const { href, pathname } = new URL(address, document.baseURI);
  const path = decodeURIComponent(pathname).replace(/\/+$/, "");
  if (/\.zarr$/i.test(path)) return await openZarrFrames(href, signal);
  const response = await requested(href, signal === undefined ? {} : { signal });
  return framesOfFile(path, new Uint8Array(await response.arrayBuffer()));
}
