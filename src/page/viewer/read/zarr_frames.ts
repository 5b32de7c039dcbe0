/**
 * Frames of a store on a web server.
 *
 * @module
 */

import { StoreView } from "../../../sinks/zarr/store_view.ts";
import type { FrameSource } from "../../protocol.ts";
import { frameOf } from "../../feed/frame_of.ts";
import { httpHost } from "./http_files.ts";

/**
 * Opens the store at an address. Frames are read by range requests when they are asked for. A store that grows keeps
 * the length that it had.
 *
 * @throws {SyntaxError} if there is no store, or it is damaged
 * @throws {Error} if the server does not answer
 */
export async function openZarrFrames(address: string, signal?: AbortSignal): Promise<FrameSource> {
  const path = address.replace(/\/+$/, "");
  const view = await StoreView.open(httpHost(signal), path);
  if (view === undefined) {
    throw new SyntaxError(`Cannot read ${path}: there is no ${path}/zarr.json`);
  }
  return {
    length: view.size,
    frame: async (index) => {
      if (!Number.isInteger(index) || index < 0 || index >= view.size) {
        throw new RangeError(
          `Cannot read frame ${index} of ${path}: there are ${view.size} frames`,
        );
      }
      const batch = await view.select([index]);
      return frameOf(batch.system(0));
    },
  };
}
