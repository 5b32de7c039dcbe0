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

/** The terminal that Deno runs in. */
export function terminal(): Terminal {
  const encoder = new TextEncoder();
  const writer = (stream: { writeSync(bytes: Uint8Array): number }) => (line: string): void => {
    let rest = encoder.encode(`${line}\n`);
    while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
  };
  return { print: writer(Deno.stdout), complain: writer(Deno.stderr) };
}
