/**
 * Errors of stores.
 *
 * @module
 */

import { codeOf, refusal } from "../files/open_file.ts";

/**
 * Runs work, and converts errors of the file system to errors that name `verb` and the path of the store. Other
 * errors are thrown unchanged.
 */
export async function withPath<T>(
  path: string,
  verb: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") {
      throw new SyntaxError(
        `Cannot ${verb} ${path}: the path must be a folder; it, or a folder above it, is a file`,
        { cause: error },
      );
    }
    // Not every error of a file system has a code. Errors thrown by Hooke are of these classes, or have a cause.
    const isOwn = [SyntaxError, RangeError, TypeError].some((kind) => error instanceof kind) ||
      error instanceof Error && error.cause !== undefined;
    throw isOwn ? error : refusal(path, verb, error);
  }
}
