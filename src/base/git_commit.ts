/**
 * The current commit, read from git's own files. No subprocess is started, and only the permission to read is needed.
 *
 * @module
 */

import { findHost, type Host, mayRead } from "../platform/host.ts";
import { codeOf } from "./file_refusal.ts";

/** Options of {@linkcode gitCommit}. */
export interface GitCommitOptions {
  /**
   * Folder in which the search begins. The repository is the nearest folder with a `.git`: this folder or one above
   * it.
   *
   * @default the current directory
   */
  readonly from?: string;
}

/**
 * Returns the hash of the commit that is checked out. It finds the commit on a branch, with a detached HEAD, in a
 * linked worktree and in a submodule.
 *
 * Returns `"unknown"` if there is no repository, no commit yet, no permission to read (it never prompts) or no Deno.
 * It also returns `"unknown"` for a bare repository and for one with refs in a `reftable`. `GIT_DIR` is ignored.
 *
 * @example
 * ```ts
 * import { gitCommit } from "@hooke/hooke/runs";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * assertMatch(await gitCommit(), /^([0-9a-f]{40}|unknown)$/);
 * assertEquals(await gitCommit({ from: "/no/such/folder" }), "unknown");
 * ```
 */
export async function gitCommit(options: GitCommitOptions = {}): Promise<string> {
  const host = findHost();
  if (host === undefined) return "unknown";
  try {
    const from = options.from === undefined ? host.cwd() : host.realPathSync(options.from);
    const git = await findGitDir(host, from);
    return git === undefined ? "unknown" : await readHead(host, git) ?? "unknown";
  } catch {
    return "unknown"; // files that may not be read, or have another format
  }
}

const NOTHING_THERE: readonly unknown[] = ["ENOENT", "ENOTDIR", "EISDIR"];
const HASH = /^([0-9a-f]{64}|[0-9a-f]{40})$/;
// The same limit of nested symbolic refs as in git.
const MOST_SYMBOLIC_REFS = 5;

/** Returns the trimmed text of a file; `undefined` if the file does not exist. Throws if it may not be read. */
async function read(host: Host, path: string): Promise<string | undefined> {
  if (!mayRead(host, path)) {
    throw new Error(`Cannot read ${path}: permission denied. Add --allow-read`);
  }
  try {
    return (await host.readTextFile(path)).trimEnd();
  } catch (error) {
    if (NOTHING_THERE.includes(codeOf(error))) return undefined;
    throw error;
  }
}

async function findGitDir(host: Host, from: string): Promise<string | undefined> {
  for (let folder: string | undefined = from; folder !== undefined; folder = parentOf(folder)) {
    const dot = join(folder, ".git");
    if (await read(host, join(dot, "HEAD")) !== undefined) return dot;
    const target = /^gitdir: (.+)$/.exec(await read(host, dot) ?? "")?.[1];
    if (target !== undefined) return join(folder, target);
  }
}

async function readHead(host: Host, git: string): Promise<string | undefined> {
  const common = await read(host, join(git, "commondir"));
  // A worktree has its own HEAD, and shares most refs with the main repository.
  const folders = common === undefined ? [git] : [git, join(git, common)];
  let text = await read(host, join(git, "HEAD"));
  for (let i = 0; i < MOST_SYMBOLIC_REFS && text !== undefined; i++) {
    if (HASH.test(text)) return text;
    const ref = /^ref: *(refs\/.+)$/.exec(text)?.[1];
    if (ref === undefined) return undefined;
    text = await readRef(host, folders, ref);
  }
}

async function readRef(
  host: Host,
  folders: readonly string[],
  ref: string,
): Promise<string | undefined> {
  for (const folder of folders) {
    const text = await read(host, join(folder, ref));
    if (text !== undefined) return text;
  }
  const packed = await read(host, join(folders.at(-1)!, "packed-refs")) ?? "";
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
