/**
 * Output of commands.
 *
 * @module
 */

import { errorTerminal, type Stream, writeText } from "../platform/program.ts";

/** Receives a command's output line by line. */
export interface Terminal {
  /** Prints a line of the result. */
  print(line: string): void;
  /** Prints a line about an error. */
  complain(line: string): void;
  /**
   * Output for progress, in which a line may overwrite the one before.
   *
   * @default undefined: progress is not shown
   */
  readonly progress?: {
    /** Writes text without adding a newline. */
    write(text: string): void;
    /** True if the output is a terminal. */
    readonly isTerminal: boolean;
    /** Width of the terminal in characters, if known. */
    readonly columns?: number;
  };
}

/**
 * Returns the terminal of the process. If the reader closes the pipe, as in `… | head`, it calls `closed` once
 * and discards all further lines.
 */
export function terminal(closed: () => void): Terminal {
  let isClosed = false;
  const writer = (stream: Stream) => (text: string): void => {
    if (isClosed || writeText(stream, text)) return;
    isClosed = true;
    closed();
  };
  const [out, err] = [writer(1), writer(2)];
  return {
    print: (line) => out(`${line}\n`),
    complain: (line) => err(`${line}\n`),
    progress: { write: err, ...errorTerminal() },
  };
}
