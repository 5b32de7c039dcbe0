/**
 * Output of commands.
 *
 * @module
 */

/** Receives a command's output line by line. */
export interface Terminal {
  /** Prints a line of the result. */
  print(line: string): void;
  /** Prints a line about an error. */
  complain(line: string): void;
  /**
   * Output for progress, in which a line may overwrite the one before.
   *
   * @default no progress
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
 * Returns the terminal of the Deno process. If the reader closes the pipe, as in `… | head`, it calls `closed` once
 * and discards all further lines.
 */
export function terminal(closed: () => void): Terminal {
  const encoder = new TextEncoder();
  let isClosed = false;
  const writer = (stream: { writeSync(bytes: Uint8Array): number }) => (text: string): void => {
    let rest = encoder.encode(text);
    try {
      while (rest.length > 0 && !isClosed) rest = rest.subarray(stream.writeSync(rest));
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      isClosed = true;
      closed();
    }
  };
  const [out, err] = [writer(Deno.stdout), writer(Deno.stderr)];
  return {
    print: (line) => out(`${line}\n`),
    complain: (line) => err(`${line}\n`),
    progress: { write: err, ...shapeOf(Deno.stderr.isTerminal()) },
  };
}

/**
 * Returns whether the output is a terminal, and its width. Some terminals report a width of 0, which means unknown.
 */
function shapeOf(isTerminal: boolean): { isTerminal: boolean; columns?: number } {
  const columns = isTerminal ? Deno.consoleSize().columns : 0;
  return { isTerminal, ...(columns > 0 && { columns }) };
}
