/** Host name in the lock of a process without the permission `--allow-sys=hostname`. */
export const UNKNOWN_HOST = "unknown";

/** The process that has locked a run folder. */
export interface RunHolder {
  /** Process id. */
  readonly pid: number;
  /** Host name of the machine; `"unknown"` if the process had no permission to read it. */
  readonly host: string;
  /** Start time of the process in clock ticks since the machine started; `null` if it is unknown. */
  readonly startTime: string | null;
  /** Time when the process locked the folder, ISO 8601 in UTC. */
  readonly since: string;
  /** Time of the last heartbeat that the process wrote to the lock, ISO 8601 in UTC. */
  readonly heartbeat: string;
}

/**
 * Error thrown if a run folder is locked by another run, because two runs never write to the same folder.
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
  /** Name of the error. */
  override readonly name = "RunFolderBusyError";
  /** Path of the folder. */
  readonly path: string;
  /** Process that has locked the folder; undefined if it is unknown. */
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
