/**
 * Reading of run folders.
 *
 * @module
 */

import { parseScalarLines, ScalarHistory, type TransitionSummary } from "../../observe/mod.ts";
import { lastScalarsIn } from "./run_parts.ts";
import { parseRunLog } from "./parse_run_log.ts";
import { isObject } from "../../base/object.ts";
import { parseIdentity, pathsIn, type RunIdentity, textIn } from "./run_files.ts";
import type { RunRecord } from "./run_record.ts";

/** Data of a run, read from its folder or assembled in code. */
export interface RunData extends Partial<RunIdentity> {
  /** Name of the run in a report. */
  readonly name: string;
  /** Records of the run log, in order. */
  readonly records: readonly RunRecord[];
  /** Scalars of the run. */
  readonly history: ScalarHistory;
  /**
   * Step and time of the last scalars of each part of the run, in the order of the parts; undefined for a part
   * without scalars. They show how far a killed part came.
   */
  readonly lastScalars?: readonly (Pick<RunRecord, "step" | "time"> | undefined)[];
  /** Timings of the run, if it was profiled. */
  readonly profile?: readonly TransitionSummary[];
}

/**
 * Reads the folder of a finished run, or of a run that is still in progress. The folder is not changed.
 *
 * @throws {RangeError} if the folder is not a run folder, or was written by a newer version
 * @throws {SyntaxError} if a file in the folder is damaged; the message has the line or key
 * @throws {Error} if a file cannot be read
 *
 * @example
 * ```ts
 * import { openRunFolder, readRun } from "@hooke/hooke/runs";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/run`;
 * await (await openRunFolder(path, { config: { dt: 0.5 } })).close();
 * const run = await readRun(path);
 * assertEquals([run.config, run.records], [{ dt: 0.5 }, []]);
 * ```
 */
export async function readRun(path: string): Promise<RunData> {
  const paths = pathsIn(path);
  const config = await textIn(paths.config);
  if (config === undefined) {
    throw new RangeError(
      `Cannot read run ${path}: it is not a run folder, because it has no config.json`,
    );
  }
  const identity = parseIdentity(config, paths.config);
  const history = new ScalarHistory();
  const rows = parseScalarLines(await textIn(paths.scalars) ?? "", paths.scalars);
  for (const row of rows) history.add(row);
  const records = parseRunLog(await textIn(paths.runs) ?? "", paths.runs);
  const profile = await textIn(paths.profile);
  return {
    ...identity,
    name: path.split("/").findLast((part) => part !== "") ?? path,
    records,
    history,
    lastScalars: lastScalarsIn(records, rows),
    ...(profile !== undefined && { profile: profileIn(profile, paths.profile) }),
  };
}

/** Parses the rows of a profile. Throws a SyntaxError that names the row and the wrong member. */
export function profileIn(text: string, name: string): TransitionSummary[] {
  const refuse = (requirement: string): never => {
    throw new SyntaxError(`Cannot read ${name}: ${requirement}`);
  };
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch (error) {
    refuse(`it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(rows)) return refuse("it must be a list");
  for (const [i, row] of rows.entries()) {
    for (const member of ["engine", "domain", "from", "to"]) {
      if (!isObject(row) || typeof row[member] !== "string") {
        refuse(`${member} of row ${i} must be a string`);
      }
    }
    for (const member of ["count", "mean", "std", "min", "max"]) {
      if (typeof row[member] !== "number") refuse(`${member} of row ${i} must be a number`);
    }
  }
  return rows as TransitionSummary[];
}
