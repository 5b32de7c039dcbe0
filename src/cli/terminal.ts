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

/** Clears the line of the terminal. */
const CLEAR = "\r\x1b[K";

/**
 * Returns a terminal on which lines do not mix with the line of progress: that line is cleared before a line is printed.
 * Below a result, the next report paints it again, because the old one describes an earlier step than the result.
 * Below an error or a warning, it is painted again at once.
 */
export function withPaintedProgress(terminal: Terminal): Terminal {
  const { progress } = terminal;
  if (progress === undefined || !progress.isTerminal) return terminal;
  let painted = "";
  const above = (print: (line: string) => void, isRepainted: boolean) => (line: string) => {
    if (painted === "") return print(line);
    progress.write(CLEAR);
    print(line);
    if (isRepainted) progress.write(painted);
    else painted = "";
  };
  return {
    print: above((line) => terminal.print(line), false),
    complain: above((line) => terminal.complain(line), true),
    progress: {
      ...progress,
      write(text) {
        progress.write(text);
        // A report begins with a carriage return, and the last one of a run is ended by a newline.
        painted = text.startsWith("\r") ? text : "";
      },
    },
  };
}
