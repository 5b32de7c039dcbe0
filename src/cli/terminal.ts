/**
 * Where a command writes.
 *
 * @module
 */

/** Takes a command's output, a line at a time. */
export interface Terminal {
  /** A line of what was asked for. */
  print(line: string): void;
  /** A line about what went wrong. */
  complain(line: string): void;
  /**
   * Where a line that changes is painted.
   *
   * @default nowhere
   */
  readonly progress?: {
    /** Takes text as it is. */
    write(text: string): void;
    /** Whether a person looks at it. */
    readonly isTerminal: boolean;
    /** How many characters fit into a line, where that is known. */
    readonly columns?: number;
  };
}

/**
 * The terminal that Deno runs in. When whoever reads it has left, as in `… | head`, it calls `closed` once, and lets
 * all further lines go.
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

/** Whether somebody looks, and the width of what they look at; some terminals say 0, which says nothing. */
function shapeOf(isTerminal: boolean): { isTerminal: boolean; columns?: number } {
  const columns = isTerminal ? Deno.consoleSize().columns : 0;
  return { isTerminal, ...(columns > 0 && { columns }) };
}
