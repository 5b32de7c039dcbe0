/**
 * The program that runs: its arguments, output, signals and exit, in Deno and Node.
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

/** File descriptors of the output and of the errors. */
export type Stream = 1 | 2;

function commandProcess(): CommandProcess {
  return findProcess() as CommandProcess;
}

/** Returns the arguments of the program. */
export function programArguments(): readonly string[] {
  return commandProcess().argv.slice(2);
}

/** Returns the current folder. */
export function currentFolder(): string {
  return commandProcess().cwd();
}

/** Ends the program. */
export function exit(code: number): never {
  return commandProcess().exit(code);
}

/** Calls `listener` on the first Ctrl-C. A second one ends the process. */
export function onInterrupt(listener: () => void): void {
  commandProcess().once("SIGINT", listener);
}

/** Returns whether the errors go to a terminal, and its width in characters if that is known. */
export function errorTerminal(): { readonly isTerminal: boolean; readonly columns?: number } {
  const { isTTY = false, columns = 0 } = commandProcess().stderr;
  // Some terminals report a width of 0, which means unknown.
  return { isTerminal: isTTY, ...(isTTY && columns > 0 && { columns }) };
}

/** Writes text and waits until it is written. Returns `false` if the reader has closed the pipe. */
export function writeText(stream: Stream, text: string): boolean {
  const { writeSync } = builtin("node:fs");
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(stream, rest));
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error; // a full pipe that does not block: try until the reader reads
    }
  }
  return true;
}
