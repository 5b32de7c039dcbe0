/**
 * Files of pictures.
 *
 * @module
 */

import type { CommandRun } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { exists } from "../run/formats.ts";
import { checkWritable } from "../run/writable.ts";

/**
 * Checks that a picture can be written.
 *
 * @throws {UsageError} if it has another ending than .svg, or exists and is not to be replaced
 */
export async function checkPicture(
  path: string,
  { overwrite }: { readonly overwrite: boolean },
  run: CommandRun,
): Promise<void> {
  if (!/\.svg$/i.test(path)) {
    throw new UsageError(`Cannot write ${path}: the name of a picture must end with .svg`);
  }
  if (!overwrite && exists(path)) {
    throw new UsageError(
      `Cannot write ${path}: it exists. Pass --overwrite to replace it, or another file by --output`,
    );
  }
  await checkWritable([path], run);
}
