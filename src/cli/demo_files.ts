/**
 * Files of the demo.
 *
 * @module
 */

import { codeOf } from "../base/file_refusal.ts";
import { findHost, type Host } from "../platform/host.ts";
import { UsageError } from "./frame/usage_error.ts";

/** Name of the folder that is created without `--out`. If it exists, a number is appended. */
const FOLDER = "hooke-demo";

/** Files of a run of the demo. */
export interface DemoFiles {
  /** Path of the folder with the files. */
  readonly folder: string;
  /** Path of the log of the relaxation, with a row for each crystal. */
  readonly relaxLog: string;
  /** Path of the file with the relaxed structure of each crystal. */
  readonly relaxed: string;
  /** Path of the log of the dynamics, with a row for each crystal. */
  readonly nvtLog: string;
}

/**
 * Creates the folder of the files. If `out` is given, that folder may exist, but must not contain any of the files.
 * Otherwise a new folder is created.
 *
 * Throws a UsageError that gives the reason if the folder cannot be used.
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
      `Cannot write to ${folder}: it contains ${file}, which is not overwritten. Pass another folder`,
    );
  }
  try {
    host().mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(
      `Cannot write to ${folder}: ${kindOf(folder) === "file" ? "it is a file" : reasonOf(error)}`,
    );
  }
  return files;
}

/** Creates the first of `hooke-demo`, `hooke-demo-2` and so on that does not exist, and returns its path. */
function makeFolder(): string {
  for (let n = 1;; n++) {
    const folder = n === 1 ? FOLDER : `${FOLDER}-${n}`;
    try {
      host().mkdirSync(folder);
      return folder;
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue;
      throw new UsageError(
        `Cannot create ${folder}: ${reasonOf(error)}. Pass a folder by --out`,
      );
    }
  }
}

/** Throws a UsageError if a file cannot be created at `path`. Called before the run, so that no results are lost. */
export function assertWritable(what: string, path: string): void {
  const folder = path.replace(host().build.os === "windows" ? /[^/\\]*$/ : /[^/]*$/, "") || ".";
  if (kindOf(folder) !== "folder") {
    throw new UsageError(
      `Cannot write ${what} to ${path}: the folder ${folder} does not exist`,
    );
  }
  if (path === folder || kindOf(path) === "folder") {
    throw new UsageError(`Cannot write ${what} to ${path}: it is a folder`);
  }
}

/** Returns the host with its file system. It exists, because commands do not run in web pages. */
function host(): Host {
  return findHost()!;
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return host().statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
