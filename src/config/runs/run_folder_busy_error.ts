/** Host name in the lock of a process without the permission `--allow-sys=hostname`. */
export const UNKNOWN_HOST = "unknown";

/** The process that has locked a run folder. */
export interface RunHolder {
  /** Process id. */
  readonly pid: number;
  /** Host name of the machine; `"unknown"` if the process had no permission to read it. */
  readonly host: string;
  /** Start time of the process in the units of the machine; `null` if it is unknown. */
  readonly startTime: string | null;
  /** Time when the process locked the folder, ISO 8601 in UTC. */
  readonly since: string;
  /** Time of the last heartbeat, ISO 8601 in UTC. */
  readonly heartbeat: string;
}

/**
 * The error of a run folder that another run has locked: two runs never write to one folder.
 *
 * @example
 * ```ts
 * import { openRunFolder, RunFolderBusyError } from "@hooke/hooke/runs";
 * import { assertRejects } from "@std/assert";
 *
 * const path = await Deno.makeTempDir();
 * const config = { dt: 2 };
 * await using folder = await openRunFolder(path, { config });
 * await assertRejects(() => openRunFolder(path, { config }), RunFolderBusyError, folder.path);
 * ```
 */
export class RunFolderBusyError extends Error {
  /** Name of the class. */
  override readonly name = "RunFolderBusyError";
  /** Path of the folder. */
  readonly path: string;
  /** Process that has locked the folder, if it is known. */
  readonly holder: RunHolder | undefined;

  /** Creates the error with a message that names the holder. */
  constructor(path: string, holder: RunHolder | undefined) {
    const who = holder === undefined
      ? "another run has locked it"
      : `process ${holder.pid}${placeOf(holder)} has locked it since ${holder.since}`;
    super(
      `Cannot open run folder ${path}: ${who}. ` +
        `Wait until that run ends, or use another folder: nextRunFolder() finds a free one`,
    );
    this.path = path;
    this.holder = holder;
  }
}

function placeOf({ host }: RunHolder): string {
  return host === UNKNOWN_HOST ? "" : ` on ${host}`;
}
