/**
 * Checks before a run that its results can be written, so that no result is lost at its end.
 *
 * @module
 */

import { refusal } from "../../base/file_refusal.ts";
import { askToWrite, findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import type { CommandRun } from "../frame/command.ts";
import { startText } from "../frame/permission.ts";

/**
 * Checks that files can be written. Creates their folders. In a terminal, Deno asks for missing permissions.
 *
 * @throws {Error} if a file cannot be written; the message names the folder and the reason
 */
export async function checkWritable(paths: readonly string[], run: CommandRun): Promise<void> {
  const { dirname, resolve } = builtin("node:path");
  for (const path of paths) {
    const folder = dirname(resolve(path));
    assertPermitted(path, folder, run);
    await probe(path, folder);
  }
}

/**
 * Checks that Deno may write to a run folder. The folder itself is created later, but before the first step.
 *
 * @throws {Error} if Deno may not write there
 */
export function checkFolderPermission(path: string, run: CommandRun): void {
  assertPermitted(path, builtin("node:path").resolve(path), run);
}

function assertPermitted(path: string, folder: string, run: CommandRun): void {
  // A permission for the folder is needed, because files are written under another name first.
  if (askToWrite(findHost()!, folder)) return;
  throw new Error(
    `Cannot write ${path}: Deno may not write to ${folder}. ${
      startText(`--allow-write=${folder}`, run)
    }`,
  );
}

/** Creates and removes a file in a folder. */
async function probe(path: string, folder: string): Promise<void> {
  const { mkdir, open, rm } = builtin("node:fs/promises");
  const file = `${folder}/.hooke-${crypto.randomUUID()}.part`;
  try {
    await mkdir(folder, { recursive: true });
    await (await open(file, "wx")).close();
    await rm(file);
  } catch (error) {
    throw refusal(`Cannot write ${path}: ${folder} cannot be written`, error);
  }
}
