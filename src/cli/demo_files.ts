/**
 * Where the demo puts its files.
 *
 * @module
 */

import { UsageError } from "./options.ts";

/** The folder that is made without `--out`; a number is added where there is one already. */
const FOLDER = "hooke-demo";

/** The files of a run of the demo. */
export interface DemoFiles {
  /** The folder they are in. */
  readonly folder: string;
  /** A row for each crystal as it relaxes. */
  readonly relaxLog: string;
  /** Each crystal as it was when it had relaxed. */
  readonly relaxed: string;
  /** A row for each crystal in the dynamics. */
  readonly nvtLog: string;
}

/**
 * The files in a folder that is there from now on. None of them is: a folder that is given must not have them, and
 * without one a new folder is made.
 *
 * Throws a UsageError that says what is in the way.
 */
export function openDemoFiles(out: string | undefined): DemoFiles {
  const folder = out === undefined ? makeFolder() : out.replace(/(.)[/\\]+$/, "$1");
  const files = {
    folder,
    relaxLog: `${folder}/relax.csv`,
    relaxed: `${folder}/relaxed.xyz`,
    nvtLog: `${folder}/nvt.csv`,
  };
  if (out === undefined) return files;
  for (const file of [files.relaxLog, files.relaxed, files.nvtLog]) {
    if (kindOf(file) === undefined) continue;
    throw new UsageError(
      `Cannot write to ${folder} as nothing there must be overwritten: there is a ${file}; name another folder`,
    );
  }
  try {
    Deno.mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(
      `Cannot write to ${folder} as it must be a folder, or be made one: ${
        kindOf(folder) === "file" ? "it is a file" : reasonOf(error)
      }`,
    );
  }
  return files;
}

/** A folder of this run's own. */
function makeFolder(): string {
  for (let n = 1;; n++) {
    const folder = n === 1 ? FOLDER : `${FOLDER}-${n}`;
    try {
      Deno.mkdirSync(folder);
      return folder;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) continue;
      throw new UsageError(
        `Cannot make ${folder} as files must go somewhere: ${
          reasonOf(error)
        }; name a folder by --out`,
      );
    }
  }
}

/** Throws a UsageError when no file can be made at a path, before anything has run. */
export function assertWritable(what: string, path: string): void {
  const folder = path.replace(Deno.build.os === "windows" ? /[^/\\]*$/ : /[^/]*$/, "") || ".";
  if (kindOf(folder) !== "folder") {
    throw new UsageError(
      `Cannot write ${what} to ${path} as its folder must exist: there is no folder ${folder}`,
    );
  }
  if (path === folder || kindOf(path) === "folder") {
    throw new UsageError(`Cannot write ${what} to ${path} as it must be a file: it is a folder`);
  }
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
