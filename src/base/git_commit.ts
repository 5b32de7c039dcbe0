/**
 * The current commit, read from git's own files. No subprocess is started, and only the permission to read is needed.
 *
 * @module
 */

import { type DenoHost, findDeno, mayRead } from "../platform/host.ts";

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
  const deno = findDeno();
  if (deno === undefined) return "unknown";
  try {
    const from = options.from === undefined ? deno.cwd() : deno.realPathSync(options.from);
    const git = await findGitDir(deno, from);
    return git === undefined ? "unknown" : await readHead(deno, git) ?? "unknown";
  } catch {
    return "unknown"; // files that may not be read, or have another format
  }
}

const NOTHING_THERE = ["NotFound", "NotADirectory", "IsADirectory"];
const HASH = /^([0-9a-f]{64}|[0-9a-f]{40})$/;
// The same limit of nested symbolic refs as in git.
const MOST_SYMBOLIC_REFS = 5;

/** Returns the trimmed text of a file; `undefined` if the file does not exist. Throws if it may not be read. */
async function read(deno: DenoHost, path: string): Promise<string | undefined> {
  if (!mayRead(deno, path)) {
    throw new Error(`Cannot read ${path}: permission denied. Add --allow-read`);
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
  // A worktree has its own HEAD, and shares most refs with the main repository.
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
