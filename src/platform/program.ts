/**
 * The running program: its arguments, output, signals and exit, in Deno and Node.
 *
 * @module
 */

import { builtin, findProcess, type Process } from "./process.ts";

/** Members of Node's `process` that a command needs. Deno and Bun have them as well. */
interface CommandProcess extends Process {
  readonly argv: readonly string[];
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number };
  once(signal: "SIGINT", listener: () => void): void;
  exit(code: number): never;
}

/** File descriptors: 1 for the standard output, 2 for the standard error. */
export type Stream = 1 | 2;

function commandProcess(): CommandProcess {
  return findProcess() as CommandProcess;
}

/** Returns the command line arguments of the program. */
export function programArguments(): readonly string[] {
  return commandProcess().argv.slice(2);
}

/** Returns the path of the current directory. */
export function currentFolder(): string {
  return commandProcess().cwd();
}

/** Ends the program with an exit code. */
export function exit(code: number): never {
  return commandProcess().exit(code);
}

/** Calls `listener` on the first Ctrl-C. A second one ends the process. */
export function onInterrupt(listener: () => void): void {
  commandProcess().once("SIGINT", listener);
}

/** Returns whether the standard error is a terminal, and the width of the terminal in characters if it is known. */
export function errorTerminal(): { readonly isTerminal: boolean; readonly columns?: number } {
  const { isTTY = false, columns = 0 } = commandProcess().stderr;
  // Some terminals report a width of 0, which means unknown.
  return { isTerminal: isTTY, ...(isTTY && columns > 0 && { columns }) };
}

/** Writes text to a stream, and waits until it is written. Returns `false` if the reader has closed the pipe. */
export function writeText(stream: Stream, text: string): boolean {
  const { writeSync } = builtin("node:fs");
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(stream, rest));
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error; // the pipe is full and does not block, so try again until the reader reads
    }
  }
  return true;
}
