/**
 * Files beside a model, which names them: it does not get to say which file of the machine is read.
 *
 * @module
 */

import { findProcess } from "./find_process.ts";

/** The parts of Node's file system that are used here; Deno and Bun have them as well. */
interface Files {
  realpath(path: string | URL): Promise<string>;
  stat(path: string | URL): Promise<{ isFile(): boolean }>;
}

/**
 * Checks that a file is a regular one, and in the folder of the model once symbolic links are resolved: a device never
 * ends, a pipe never begins, and a link may lead anywhere.
 *
 * @throws {RangeError} if it is not, or does not exist
 */
export async function checkOwnFile(model: string, modelUrl: URL, file: URL): Promise<void> {
  const files = findProcess()?.getBuiltinModule?.("node:fs/promises") as Files | undefined;
  if (files === undefined || file.protocol !== "file:") return;
  const path = decodeURIComponent(file.pathname.split("/").at(-1) ?? "");
  const [folder, real] = await Promise.all([
    files.realpath(new URL("./", modelUrl)),
    files.realpath(file),
  ]).catch((cause) => {
    throw new RangeError(
      `Cannot open ${model} as its weights must be readable: ${path} is not; ${
        cause instanceof Error ? cause.message : String(cause)
      }`,
      { cause },
    );
  });
  // Windows has its own separator.
  const inside = real.startsWith(folder) &&
    /^[\\/]/.test(real.slice(folder.replace(/[\\/]$/, "").length));
  if (!inside) {
    throw new RangeError(
      `Cannot open ${model} as its weights must be in its own folder: ${path} is a link that leaves it; ` +
        "give them as externalData",
    );
  }
  if ((await files.stat(real)).isFile()) return;
  throw new RangeError(
    `Cannot open ${model} as its weights must be in regular files: ${path} is not one`,
  );
}
