/**
 * Replacing of result files. The old file stays until the new one is complete.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import type { StoredSink } from "../../sinks/sink.ts";
import { exists } from "./formats.ts";

/** Returns whether the thing at a path is a file, or the folder of a Zarr store. Other folders are never removed. */
export function isReplaceable(path: string): boolean {
  if (!findHost()!.statSync(path).isDirectory) return true;
  return /\.zarr[/\\]*$/i.test(path) && exists(`${path}/zarr.json`);
}

/**
 * Writes to a sink beside `path`, and moves it to `path` at the end.
 *
 * @throws {Error} if writing fails; the file that was at `path` is still there
 */
export async function writeToSink(
  path: string,
  write: (sink: StoredSink) => Promise<void>,
): Promise<void> {
  const { openSink } = await import("../../sinks/open_sink.ts");
  const { rename, rm } = builtin("node:fs/promises"), part = beside(path, "part");
  try {
    const sink = await openSink(part);
    try {
      await write(sink);
    } finally {
      await sink.close();
    }
    const old = await moveAside(path);
    await rename(part, path).catch(async (error) => {
      await old.putBack();
      throw error;
    });
    await old.remove();
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** A file or store that was moved to another name. */
export interface OldFile {
  putBack(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Moves the file or store at a path to another name beside it, if it exists.
 *
 * @throws {Error} if a folder is there that is not a Zarr store
 */
export async function moveAside(path: string): Promise<OldFile> {
  const nothing = () => Promise.resolve();
  if (!exists(path)) return { putBack: nothing, remove: nothing };
  if (!isReplaceable(path)) throw new Error(`Cannot replace ${path}: it is a folder`);
  const { rename, rm } = builtin("node:fs/promises"), old = beside(path, "old");
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  await rename(path, old);
  return {
    putBack: async () => {
      await remove(path);
      await rename(old, path);
    },
    remove: () => remove(old),
  };
}

/**
 * Calls `write`, which creates a file anew. The old file at `path` is removed afterwards, or put back if `write` throws
 * and has written nothing.
 */
export async function replacing<T>(path: string | undefined, write: () => Promise<T>): Promise<T> {
  if (path === undefined) return await write();
  const old = await moveAside(path);
  try {
    const result = await write();
    await old.remove();
    return result;
  } catch (error) {
    await (hasContent(path) ? old.remove() : old.putBack());
    throw error;
  }
}

function hasContent(path: string): boolean {
  return exists(path) && findHost()!.statSync(path).size > 0;
}

/** Returns an unused name beside a path. The ending stays, because it determines the format. */
function beside(path: string, what: string): string {
  const [, stem, ending] = /^(.*?)(\.[^./\\]*)[/\\]*$/.exec(path)!;
  return `${stem}.${crypto.randomUUID()}.${what}${ending}`;
}
