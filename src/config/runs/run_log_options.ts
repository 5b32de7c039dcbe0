/**
 * Options of run logs, and their checks.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { checkKind } from "../../base/check_options.ts";
import { appendLine } from "./append_line.ts";
import { canonicalText } from "../../base/canonical_json.ts";
import { findHost } from "../../platform/host.ts";
import type { WriteLine } from "./line_writer.ts";

/** Options of {@linkcode runLog}. Either `path` or `write` is required. */
export interface RunLogOptions {
  /**
   * Configuration of the run: plain data that `canonicalJson` accepts. Only its hash is logged.
   *
   * @default undefined: the hash is `null`
   */
  readonly config?: unknown;
  /**
   * File to which lines are appended. It is created if it does not exist. A web page has no files, so use `write`
   * there.
   */
  readonly path?: string | URL;
  /** Function that takes each line with its newline. If it returns a promise, the next line waits for it. */
  readonly write?: WriteLine;
  /**
   * Id of the run. Pass the id of an earlier run to continue that run.
   *
   * @default a random UUID
   */
  readonly id?: string;
  /**
   * Hash of the commit, for environments in which git cannot be read, such as a browser.
   *
   * @default the result of `gitCommit` for the current directory at the start of the run
   */
  readonly commit?: string;
  /**
   * Name of the hook.
   *
   * @default "runLog"
   */
  readonly name?: string;
}

/** Checked options of a run log, with defaults applied. */
export interface CheckedOptions {
  readonly config: unknown;
  readonly write: WriteLine;
  readonly id: string | undefined;
  readonly commit: string | undefined;
  readonly name: string;
}

const ACTION = "make a run log";

/** Checks the options, and applies defaults. */
export function readOptions(options: RunLogOptions): CheckedOptions {
  const { config, id, commit, name = "runLog" } = options ?? {};
  for (const [member, value] of Object.entries({ id, commit, name })) {
    const isText = (x: unknown) => x === undefined || typeof x === "string" && x !== "";
    checkKind(ACTION, member, value, "a non-empty string", isText);
  }
  if (config !== undefined) canonicalText(config, "config"); // throws now, before the run begins
  return { config, write: writerOf(options ?? {}), id, commit, name };
}

/** Returns a random id for a run. */
export function newRunId(): string {
  const { randomUUID } = (globalThis.crypto ?? {}) as Partial<Crypto>;
  if (randomUUID !== undefined) return randomUUID.call(crypto);
  throw new Error(
    "Cannot make a run log: this page has no crypto.randomUUID. Pass an id, or serve the page over https or from localhost",
  );
}

function writerOf({ path, write }: RunLogOptions): WriteLine {
  if ((path === undefined) === (write === undefined)) {
    const given = path === undefined ? "neither" : "both";
    throw new TypeError(`Cannot ${ACTION}: either path or write is required; got ${given}`);
  }
  if (write !== undefined) {
    checkKind(ACTION, "write", write, "a function", (x) => typeof x === "function");
    return write;
  }
  if (!(typeof path === "string" && path !== "") && !(path instanceof URL)) {
    throw new TypeError(complaint(ACTION, "path must be a non-empty string or a file URL", path));
  }
  return fileWriter(path);
}

/** Returns a writer of lines to a file. The first line creates the file and its folder, if they do not exist. */
export function fileWriter(path: string | URL): WriteLine {
  const host = findHost();
  if (host === undefined) {
    throw new Error(
      `Cannot make a run log: there is no file system for path ${path}, as in a web page. Pass write instead`,
    );
  }
  let hasBegun = false;
  return (line) => {
    appendLine(host, path, line, { makesFolder: !hasBegun });
    hasBegun = true;
  };
}
