/**
 * The sinks in files that this process has open.
 *
 * A run folder must distinguish the empty file of a sink that was opened before it from other files, and
 * remove it if it refuses the run: an empty file that stays would make the next run fail, too.
 *
 * @module
 */

/** Properties of an open sink. */
export interface OpenSink {
  /** Path of the file or folder of the sink. */
  readonly path: string;
  /** Number of systems in the sink. */
  readonly length: number;
  /** Closes the sink. */
  close(): Promise<void>;
}

/** Map from each open sink to whether it created its file. */
const OPEN = new Map<OpenSink, boolean>();

/** Adds a sink that was opened. */
export function addOpenSink(sink: OpenSink, createdFile: boolean): void {
  OPEN.set(sink, createdFile);
}

/** Removes a sink that was closed. */
export function removeOpenSink(sink: OpenSink): void {
  OPEN.delete(sink);
}

/** Returns the open sinks without systems. `createdFile` is true if the sink created its file. */
export function emptySinks(): [sink: OpenSink, createdFile: boolean][] {
  return [...OPEN].filter(([{ length }]) => length === 0);
}
