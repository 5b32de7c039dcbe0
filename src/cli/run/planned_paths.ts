/**
 * Checks of the paths that a command is going to write, so that no result replaces another one or an input.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import { UsageError } from "../frame/usage_error.ts";
import { isRunFile } from "./new_run.ts";
import { checkTrajectoryName } from "./results.ts";

/** Throws a UsageError if two results of a command have the same path, or a result has that of an input. */
export function checkDistinct(results: readonly string[], inputs: readonly string[] = []): void {
  const { resolve } = builtin("node:path"), seen = new Map<string, string>();
  for (const path of results) {
    const known = seen.get(resolve(path));
    if (known !== undefined) {
      throw new UsageError(
        `Cannot write two results to ${path}: pass different files by --output and --traj`,
      );
    }
    seen.set(resolve(path), path);
  }
  const input = inputs.find((path) => seen.has(resolve(path)));
  if (input === undefined) return;
  throw new UsageError(`Cannot write to ${input}: the command reads it. Pass another file`);
}

/**
 * Checks the name of a file of structures in a run folder.
 *
 * @param option the option that has the name, such as `--traj`
 * @throws {UsageError} if it lies outside the folder, or is that of another file of the run
 */
export function checkRunFileName(name: string, option: string): void {
  checkTrajectoryName(name);
  const { normalize, isAbsolute } = builtin("node:path");
  const [first, ...rest] = normalize(name).replaceAll("\\", "/").split("/");
  if (isAbsolute(name) || first === "..") {
    throw new UsageError(
      `Cannot use ${option} ${name}: it is a name in the run folder; pass a name such as trajectory.xyz`,
    );
  }
  if (!isRunFile(first!)) return;
  throw new UsageError(
    `Cannot use ${option} ${name}: ${
      rest.length === 0 ? "the run writes another file of this name" : `${first} has other files`
    }; pass another name`,
  );
}
