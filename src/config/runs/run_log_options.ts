/**
 * What a run log may be told.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import { checkKind } from "../../base/check_options.ts";
import { appendLine } from "./append_line.ts";
import { canonicalText } from "../canonical_json.ts";
import { findDeno } from "../../platform/host.ts";
import type { WriteLine } from "./line_writer.ts";

/** What a run log is made of; `path` or `write`, one of them. */
export interface RunLogOptions {
  /**
   * The run's configuration, plain data as `canonicalJson` takes it. Its hash is logged, not itself.
   *
   * @default none: the hash is `null`
   */
  readonly config?: unknown;
  /** A file to append to; made if it is not there. Deno only. */
  readonly path?: string | URL;
  /** Takes each line, its newline included. May take time: the next line then waits. */
  readonly write?: WriteLine;
  /**
   * The run's id, to go on with one that has begun.
   *
   * @default a random UUID
   */
  readonly id?: string;
  /**
   * The commit, where the build knows it and git cannot be asked: in a browser, say.
   *
   * @default what `gitCommit` finds for the current directory at the start of the run
   */
  readonly commit?: string;
  /**
   * The hook's name.
   *
   * @default "runLog"
   */
  readonly name?: string;
}

/** The options, checked. */
export interface CheckedOptions {
  readonly config: unknown;
  readonly write: WriteLine;
  readonly id: string | undefined;
  readonly commit: string | undefined;
  readonly name: string;
}

const ACTION = "make a run log";

/** Checks the options. */
export function readOptions(options: RunLogOptions): CheckedOptions {
  const { config, id, commit, name = "runLog" } = options ?? {};
  for (const [member, value] of Object.entries({ id, commit, name })) {
    const isText = (x: unknown) => x === undefined || typeof x === "string" && x !== "";
    checkKind(ACTION, member, value, "a text", isText);
  }
  if (config !== undefined) canonicalText(config, "config"); // now, not when the run begins
  return { config, write: writerOf(options ?? {}), id, commit, name };
}

/** An id that no other run has. */
export function newRunId(): string {
  const { randomUUID } = (globalThis.crypto ?? {}) as Partial<Crypto>;
  if (randomUUID !== undefined) return randomUUID.call(crypto);
  throw new Error(
    "Cannot make a run log: crypto.randomUUID must exist: give an id, or serve the page over https or from localhost",
  );
}

function writerOf({ path, write }: RunLogOptions): WriteLine {
  if ((path === undefined) === (write === undefined)) {
    const given = path === undefined ? "neither" : "both";
    throw new TypeError(complaint(ACTION, "either path or write must be given", given));
  }
  if (write !== undefined) {
    checkKind(ACTION, "write", write, "a function", (x) => typeof x === "function");
    return write;
  }
  if (!(typeof path === "string" && path !== "") && !(path instanceof URL)) {
    throw new TypeError(complaint(ACTION, "path must be a path or a file URL", path));
  }
  return fileWriter(path);
}

/** Returns a writer of lines to a file. The first line makes the file, and its folder, if they do not exist. */
export function fileWriter(path: string | URL): WriteLine {
  const deno = findDeno();
  if (deno === undefined) {
    throw new Error(
      `Cannot make a run log: path must be somewhere with files; got ${path}, and this is not Deno; give write instead`,
    );
  }
  let hasBegun = false;
  return (line) => {
    appendLine(deno, path, line, { makesFolder: !hasBegun });
    hasBegun = true;
  };
}
