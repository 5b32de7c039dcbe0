/**
 * Errors of file systems.
 *
 * @module
 */

/**
 * Causes in plain words, by error code. For a code that is missing here, messages show the text of the system's
 * error.
 */
const CAUSES: ReadonlyMap<unknown, string> = new Map([
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the file system is read-only"],
  ["ENOENT", "there is no such file or folder"],
  ["ENOTDIR", "a part of its path is a file and not a folder"],
  ["EISDIR", "it is a folder"],
  ["EEXIST", "a file or a broken link of that name exists"],
  ["ENOSPC", "no space left on the disk"],
  ["EDQUOT", "the disk quota is used up"],
  ["EFBIG", "the file would be too large"],
  ["EMFILE", "too many files are open"],
  ["EIO", "the disk reported an error"],
  ["ELOOP", "too many symbolic links"],
  ["EINVAL", "the system does not allow this on it"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ESTALE", "it was removed during the run"],
  ["ENOTCONN", "its file system is not mounted any more"],
]);

/** Error code for files and folders that were removed while they were in use. */
const STALE = "ESTALE";

/** Returns the `code` of an error, such as `"ENOENT"`; `undefined` if the error has no code. */
export function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/**
 * Returns the error for a file or folder that was removed or replaced while a run wrote to it. This error ends the
 * run under any error policy: a run must not complete if its results are lost.
 *
 * @param action the failed action, for example `Cannot write to out.xyz`
 * @param what the removed file or folder, for example `the file`
 */
export function removal(action: string, what: string): Error {
  return Object.assign(new Error(`${action}: ${what} was removed during the run`), { code: STALE });
}

/** Returns whether an error has the code of `removal`: a file or folder was removed while a run wrote to it. */
export function isRemoval(error: unknown): boolean {
  return codeOf(error) === STALE;
}

/**
 * Returns the error for a failed action on a file or folder, for example `Cannot open out.csv: permission denied`. It
 * has the `code` of its cause.
 *
 * @param action the failed action, for example `Cannot open out.csv`
 */
export function refusal(action: string, cause: unknown): Error {
  const code = codeOf(cause);
  const reason = CAUSES.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
  const error = new Error(`${action}: ${reason}`, { cause });
  return code === undefined ? error : Object.assign(error, { code });
}
