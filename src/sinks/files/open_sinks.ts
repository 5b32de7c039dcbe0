/**
 * The sinks in files that this process has open.
 *
 * A run folder must tell the empty file of a sink that was opened before it from a file of something else, and remove it
 * if it refuses the run: an empty file that stays behind would have the next run refused, too.
 *
 * @module
 */

/** What is known of an open sink. */
export interface OpenSink {
  /** Path of its file or folder. */
  readonly path: string;
  /** Number of systems in it. */
  readonly length: number;
  /** Closes it. */
  close(): Promise<void>;
}

/** Open sinks, each with whether it has made its file. */
const OPEN = new Map<OpenSink, boolean>();

/** Notes a sink that was opened. */
export function noteOpened(sink: OpenSink, hasMadeFile: boolean): void {
  OPEN.set(sink, hasMadeFile);
}

/** Notes a sink that was closed. */
export function noteClosed(sink: OpenSink): void {
  OPEN.delete(sink);
}

/** Returns the open sinks that hold no system, each with whether it has made its file. */
export function emptySinks(): [sink: OpenSink, hasMadeFile: boolean][] {
  return [...OPEN].filter(([{ length }]) => length === 0);
}
