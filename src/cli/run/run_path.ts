/**
 * Paths of run folders.
 *
 * @module
 */

import { nextRunFolder } from "../../config/runs/run_folder.ts";
import { namesIn } from "../../config/runs/run_files.ts";
import { builtin } from "../../platform/process.ts";
import { shellWord } from "../frame/permission.ts";
import { UsageError } from "../frame/usage_error.ts";
import { isStructureName } from "./formats.ts";
import { checkReplaceable, type Replacement } from "./new_run.ts";
import { kindOf, stemOf } from "./path_kind.ts";

/**
 * Returns the path of the folder of a new run: `out` if it is given, otherwise the first unused one of `name`,
 * `name-2` and so on in the current folder. With `overwrite`, `out` may have a run. Nothing is changed.
 *
 * @throws {UsageError} if `out` has other files
 */
export async function chooseFolder(
  out: string | undefined,
  { name, overwrite, inputs, program }: Replacement & {
    readonly name: string;
    readonly program: string;
  },
): Promise<string> {
  if (out === undefined) return (await nextRunFolder(".", name)).replace(/^\.\//, "");
  const folder = out.replace(/(.)[/\\]+$/, "$1");
  if (isStructureName(folder) && kindOf(folder) !== "folder") {
    throw new UsageError(
      `Cannot write to ${folder}: --out names a folder, and this is the name of a file of structures. ` +
        `Pass a folder, such as --out ${
          stemOf(folder) || "run"
        }, and convert its files by hooke convert`,
    );
  }
  const names = await namesOf(folder);
  const isRun = names.includes("config.json");
  if (names.length === 0) return folder;
  if (isRun && overwrite) {
    await checkReplaceable(folder, inputs);
    return folder;
  }
  throw new UsageError(
    `Cannot write to ${folder}: ${
      isRun
        ? `it has a run. Pass --overwrite to replace it, or continue it by ${program} resume ${
          shellWord(folder)
        }`
        : `it has other files, such as ${names[0]}. Pass another folder by --out`
    }`,
  );
}

/** Returns the command line that continues a run. It works in every folder. */
export function resumeLine(program: string, folder: string): string {
  return `${program} resume ${shellWord(builtin("node:path").resolve(folder))}`;
}

async function namesOf(folder: string): Promise<readonly string[]> {
  try {
    return await namesIn(folder);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
