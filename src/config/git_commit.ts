/**
 * The commit that is checked out, from git's own files: no subprocess, no permission but to read.
 *
 * @module
 */

import { type DenoHost, findDeno, mayRead } from "../platform/host.ts";

/** Where {@linkcode gitCommit} looks. */
export interface GitCommitOptions {
  /**
   * The folder to begin at; the repository is that of the nearest folder above with a `.git`.
   *
   * @default the current directory
   */
  readonly from?: string;
}

/**
 * The hash of the commit that is checked out: on a branch, detached, in a linked worktree or a submodule.
 *
 * `"unknown"` where there is no repository, no commit yet, no permission to read (nobody is asked for it) or no
 * Deno; also in a bare repository and in one that keeps its refs in a `reftable`. `GIT_DIR` is not looked at.
 *
 * @example
 * ```ts
 * import { gitCommit } from "@hooke/hooke/config";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * assertMatch(await gitCommit(), /^([0-9a-f]{40}|unknown)$/);
 * assertEquals(await gitCommit({ from: "/no/such/folder" }), "unknown");
 * ```
 */
export async function gitCommit(options: GitCommitOptions = {}): Promise<string> {
  const deno = findDeno();
  if (deno === undefined) return "unknown";
  try {
    const from = options.from === undefined ? deno.cwd() : deno.realPathSync(options.from);
    const git = await findGitDir(deno, from);
    return git === undefined ? "unknown" : await readHead(deno, git) ?? "unknown";
  } catch {
    return "unknown"; // what must not be read, or is no file of git
  }
}

const NOTHING_THERE = ["NotFound", "NotADirectory", "IsADirectory"];
const HASH = /^([0-9a-f]{64}|[0-9a-f]{40})$/;
// git itself gives up at this depth.
const MOST_SYMBOLIC_REFS = 5;

/** The trimmed text of a file; `undefined` if there is none. Throws where it may not be read. */
async function read(deno: DenoHost, path: string): Promise<string | undefined> {
  if (!mayRead(deno, path)) {
    throw new Error(`Cannot read ${path}: reading it must be permitted: add --allow-read`);
  }
  try {
    return (await deno.readTextFile(path)).trimEnd();
  } catch (error) {
    if (error instanceof Error && NOTHING_THERE.includes(error.name)) return undefined;
    throw error;
  }
}

async function findGitDir(deno: DenoHost, from: string): Promise<string | undefined> {
  for (let folder: string | undefined = from; folder !== undefined; folder = parentOf(folder)) {
    const dot = join(folder, ".git");
    if (await read(deno, join(dot, "HEAD")) !== undefined) return dot;
    const target = /^gitdir: (.+)$/.exec(await read(deno, dot) ?? "")?.[1];
    if (target !== undefined) return join(folder, target);
  }
}

async function readHead(deno: DenoHost, git: string): Promise<string | undefined> {
  const common = await read(deno, join(git, "commondir"));
  // A worktree has a HEAD of its own, and most refs in common with the others.
  const folders = common === undefined ? [git] : [git, join(git, common)];
  let text = await read(deno, join(git, "HEAD"));
  for (let i = 0; i < MOST_SYMBOLIC_REFS && text !== undefined; i++) {
    if (HASH.test(text)) return text;
    const ref = /^ref: *(refs\/.+)$/.exec(text)?.[1];
    if (ref === undefined) return undefined;
    text = await readRef(deno, folders, ref);
  }
}

async function readRef(
  deno: DenoHost,
  folders: readonly string[],
  ref: string,
): Promise<string | undefined> {
  for (const folder of folders) {
    const text = await read(deno, join(folder, ref));
    if (text !== undefined) return text;
  }
  const packed = await read(deno, join(folders.at(-1)!, "packed-refs")) ?? "";
  return packed.split("\n").find((line) => line.endsWith(` ${ref}`))?.split(" ")[0];
}

function join(folder: string, path: string): string {
  return /^([\\/]|[A-Za-z]:)/.test(path) ? path : `${folder.replace(/[\\/]$/, "")}/${path}`;
}

function parentOf(folder: string): string | undefined {
  const cut = folder.replace(/[\\/]+$/, "").search(/[\\/][^\\/]*$/);
  if (cut < 0) return undefined;
  return cut === 0 || folder[cut - 1] === ":" ? folder.slice(0, cut + 1) : folder.slice(0, cut);
}
