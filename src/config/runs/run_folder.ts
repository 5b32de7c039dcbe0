/**
 * Run folders, which contain everything that a run writes and needs to resume.
 *
 * @module
 */

import { LockedRunFolder } from "./locked_run_folder.ts";
import { parseRunLog } from "./parse_run_log.ts";
import { makeFolder, namesIn, pathsIn, removeEmptySinks, textIn } from "./run_files.ts";
import {
  type ReadFolderOptions,
  readFolderOptions,
  type RunFolderOptions,
} from "./run_folder_options.ts";
import type { RunFolder } from "./run_folder_protocol.ts";
import { assertRunFolder, clean, identify } from "./run_identity.ts";
import { RunLock } from "./run_lock.ts";
import { builtin } from "../../platform/process.ts";

/**
 * Opens a run folder, and creates it if it does not exist. The folder is locked until it is closed or the process
 * ends, even if the process is killed.
 *
 * It contains `config.json`, the run log `runs.jsonl`, `logs/scalars.jsonl` and `logs/tensorboard`, `checkpoints`,
 * and after a run `report.html`, or `report.md` with its `plots`.
 *
 * A sink in the folder may be opened before the folder or after it. If the run is refused, sinks in the folder that
 * have no content are closed, and the files that they have created are removed.
 *
 * @param path path of the folder; the folders above it are created, too
 * @throws {RunFolderBusyError} if another run has locked the folder
 * @throws {RangeError} if the folder contains other files, belongs to another configuration, or was written by a
 * newer version
 * @throws {SyntaxError} if a file in the folder is damaged; the message has the line or key
 * @throws {TypeError} if an option is wrong, and in a web page, which has no file system
 * @throws {Error} if a file or folder cannot be read or written; the error has the `code` of the file system's error,
 * which is its `cause`
 *
 * @example A run that resumes after it was stopped
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { openRunFolder, readRun, resume } from "@hooke/hooke/runs";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon`;
 * const config = { dt: 2, steps: 60 };
 *
 * async function go(steps: number): Promise<number> {
 *   await using folder = await openRunFolder(path, { config, checkpoints: { every: 20 } });
 *   const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 *   await using md = new NVE({ model, dt: config.dt });
 *   folder.attach(md);
 *   const batch = (await resume(folder, md))?.batch ?? fresh();
 *   await md.run(batch, steps);
 *   return md.stepCount;
 * }
 * function fresh(): Batch {
 *   const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 *   initVelocities(batch, 40, { seed: 1 });
 *   return batch;
 * }
 *
 * assertEquals([await go(40), await go(20)], [40, 60]);
 * const run = await readRun(path);
 * assertEquals(run.records.map(({ type, segment, step }) => [type, segment, step]), [
 *   ...[["start", 0, 0], ["end", 0, 40], ["start", 1, 40], ["end", 1, 60]],
 * ]);
 * ```
 */
export async function openRunFolder(
  path: string | URL,
  options: RunFolderOptions = {},
): Promise<RunFolder> {
  const folder = pathOf(path);
  try {
    return await openFolder(folder, readFolderOptions(options));
  } catch (error) {
    // If a run of this process has the folder, the sinks belong to that run.
    if (!RunLock.isHeldHere(folder)) await removeEmptySinks(folder).catch(() => {}); // the first error is more important
    throw error;
  }
}

async function openFolder(folder: string, read: ReadFolderOptions): Promise<RunFolder> {
  await assertRunFolder(folder);
  await makeFolder(folder);
  const lock = RunLock.take(folder);
  try {
    const paths = pathsIn(folder);
    const identities = await identify(paths, read.config, read.override);
    // Everything below happens under the lock, so no other run sees a folder that is half prepared.
    for (const each of [paths.logs, paths.checkpoints]) await makeFolder(each);
    await clean(paths);
    const records = parseRunLog(await textIn(paths.runs) ?? "", paths.runs);
    const segments = Math.max(-1, ...records.map(({ segment }) => segment)) + 1;
    return new LockedRunFolder({ paths, ...identities, lock, segments, options: read });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Returns an unused path for a new run folder: `name` if it is unused, otherwise the first unused one of `name-2`,
 * `name-3` and so on.
 *
 * @param parent the folder of all runs, which need not exist
 * @param name base name of the runs
 * @throws {Error} if `parent` cannot be read
 *
 * @example
 * ```ts
 * import { nextRunFolder, openRunFolder } from "@hooke/hooke/runs";
 * import { assertEquals } from "@std/assert";
 *
 * const runs = await Deno.makeTempDir();
 * for (const name of ["run", "run-2"]) {
 *   const path = await nextRunFolder(runs);
 *   assertEquals(path, `${runs}/${name}`);
 *   await using _folder = await openRunFolder(path);
 * }
 * ```
 */
export async function nextRunFolder(parent: string | URL, name: string = "run"): Promise<string> {
  const folder = pathOf(parent), names = await namesIn(folder);
  let free = name;
  for (let n = 2; names.includes(free); n++) free = `${name}-${n}`;
  return `${folder}/${free}`;
}

function pathOf(path: string | URL): string {
  const text = typeof path === "string" ? path : builtin("node:url").fileURLToPath(path);
  if (text === "") {
    throw new TypeError('Cannot open a run folder: its path must not be empty; got ""');
  }
  return text.replace(/(.)\/+$/, "$1");
}
