/** Who has a run folder. */
export interface RunHolder {
  /** The number of the process. */
  readonly pid: number;
  /** The name of its machine. */
  readonly host: string;
  /** When the process began, as the machine counts it; `null` where that cannot be found out. */
  readonly startTime: string | null;
  /** Since when it has the folder, ISO 8601 in UTC. */
  readonly since: string;
  /** When it last said that it is alive. */
  readonly heartbeat: string;
}

/** Another run has the folder: two never write into one. */
export class RunFolderBusyError extends Error {
  /** What errors of this kind are called. */
  override readonly name = "RunFolderBusyError";
  /** The folder. */
  readonly path: string;
  /** Who has it, if that can be read. */
  readonly holder: RunHolder | undefined;

  /** Says who has it. */
  constructor(path: string, holder: RunHolder | undefined) {
    const who = holder === undefined
      ? "another has it"
      : `process ${holder.pid} on ${holder.host} has it since ${holder.since}`;
    super(
      `Cannot open run folder ${path}: no other run may have it: ${who}; ` +
        `wait for it, or take another folder, as nextRunFolder finds one`,
    );
    this.path = path;
    this.holder = holder;
  }
}
