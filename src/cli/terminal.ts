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
}

/**
 * The terminal that Deno runs in. When whoever reads it has left, as in `… | head`, it calls `closed` once, and lets
 * all further lines go.
 */
export function terminal(closed: () => void): Terminal {
  const encoder = new TextEncoder();
  let isClosed = false;
  const writer = (stream: { writeSync(bytes: Uint8Array): number }) => (line: string): void => {
    let rest = encoder.encode(`${line}\n`);
    try {
      while (rest.length > 0 && !isClosed) rest = rest.subarray(stream.writeSync(rest));
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      isClosed = true;
      closed();
    }
  };
  return { print: writer(Deno.stdout), complain: writer(Deno.stderr) };
}
