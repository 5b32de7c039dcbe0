/**
 * The running program: its arguments, output, signals and exit, in Deno and Node.
 *
 * In Deno these functions use `Deno`. The first use of `process` would load Deno's stand-ins for Node, which takes as
 * long as everything else that `hooke --help` does.
 *
 * @module
 */

import { findHost, mayRead } from "./host.ts";
import { builtin, findProcess, type Process } from "./process.ts";

/** Members of `Deno` that a command needs. */
interface DenoProgram {
  readonly args: readonly string[];
  readonly version: { readonly deno: string };
  readonly build: { readonly standalone?: boolean };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  readonly stderr: { writeSync(bytes: Uint8Array): number; isTerminal(): boolean };
  consoleSize(): { readonly columns: number };
  cwd(): string;
  execPath(): string;
  chdir(folder: string): void;
  exit(code: number): never;
  addSignalListener(signal: string, listener: () => void): void;
  removeSignalListener(signal: string, listener: () => void): void;
}

/** Members of Node's `process` that a command needs. Bun has them as well. */
interface CommandProcess extends Process {
  chdir(folder: string): void;
  readonly argv: readonly string[];
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number };
  on(signal: string, listener: () => void): void;
  removeListener(signal: string, listener: () => void): void;
  exit(code: number): never;
}

/** File descriptors: 1 for the standard output, 2 for the standard error. */
export type Stream = 1 | 2;

function findDeno(): DenoProgram | undefined {
  return (globalThis as unknown as { readonly Deno?: DenoProgram }).Deno;
}

function nodeProcess(): CommandProcess {
  return findProcess() as CommandProcess;
}

/** Returns the command line arguments of the program. */
export function programArguments(): readonly string[] {
  return findDeno()?.args ?? nodeProcess().argv.slice(2);
}

/** Returns whether the program is an executable that `deno compile` has made. */
export function isExecutable(): boolean {
  return findDeno()?.build.standalone === true;
}

/** Returns the words that start this Deno in a shell: `npx -y deno@2.9.6` if npx installed it, which puts no `deno` on the path. */
export function denoWords(): string {
  const deno = findDeno();
  return deno !== undefined && /[/\\]_npx[/\\]/.test(deno.execPath())
    ? `npx -y deno@${deno.version.deno}`
    : "deno";
}

/** Returns the path of the current directory. */
export function currentFolder(): string {
  return (findDeno() ?? nodeProcess()).cwd();
}

/** Makes a folder the current directory. */
export function enterFolder(path: string): void {
  (findDeno() ?? nodeProcess()).chdir(path);
}

/** Ends the program with an exit code. */
export function exit(code: number): never {
  return (findDeno() ?? nodeProcess()).exit(code);
}

/**
 * Time after a signal in which further ones are the same, ms. Programs that started this one, such as npx, pass on the
 * Ctrl-C which the terminal has sent to all of them.
 */
const SAME_SIGNAL = 500;

/**
 * Calls `listener` on the first signal with a name such as `"SIGINT"`, which is Ctrl-C. A second one, at least half a
 * second later, ends the process.
 *
 * @throws {Error} if the operating system has no such signal
 */
export function onSignal(name: string, listener: () => void): void {
  const deno = findDeno(), node = deno === undefined ? nodeProcess() : undefined;
  let isFirst = true;
  const received = () => {
    if (!isFirst) return;
    isFirst = false;
    const timer = setTimeout(() => {
      deno?.removeSignalListener(name, received);
      node?.removeListener(name, received);
    }, SAME_SIGNAL);
    findHost()?.unrefTimer(timer as unknown as number);
    listener();
  };
  deno?.addSignalListener(name, received);
  node?.on(name, received);
}

/**
 * Returns whether the program should handle SIGHUP, which is sent if its terminal is closed: not if it was started by
 * `nohup`, which would lose its effect. Without the permission to read `/proc`, the standard error tells: `nohup`
 * never leaves it on a terminal.
 */
export function mayHangUp(): boolean {
  try {
    const host = findHost()!;
    if (!mayRead(host, "/proc/self/status")) return errorTerminal().isTerminal;
    const [, ignored = "0"] = /^SigIgn:\s*([0-9a-f]+)/m.exec(
      host.readTextFileSync("/proc/self/status"),
    ) ?? [];
    return (BigInt(`0x${ignored}`) & 1n) === 0n;
  } catch {
    return errorTerminal().isTerminal;
  }
}

/** Returns whether the standard error is a terminal, and the width of the terminal in characters if it is known. */
export function errorTerminal(): { readonly isTerminal: boolean; readonly columns?: number } {
  const deno = findDeno();
  const { isTTY = false, columns = 0 } = deno === undefined
    ? nodeProcess().stderr
    : { isTTY: deno.stderr.isTerminal(), columns: columnsOf(deno) };
  // Some terminals report a width of 0, which means unknown.
  return { isTerminal: isTTY, ...(isTTY && columns > 0 && { columns }) };
}

/** Returns the width of the terminal; 0 if no stream is a terminal. */
function columnsOf(deno: DenoProgram): number {
  try {
    return deno.consoleSize().columns;
  } catch {
    return 0;
  }
}

/** Time between two attempts to write to a full pipe, in ms. */
const FULL_PIPE = 5;

/** Blocks the thread without using the processor. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Writes text to a stream, and waits until it is written. Returns `false` if the reader has closed the pipe. */
export function writeText(stream: Stream, text: string): boolean {
  const write = writerTo(stream);
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(write(rest));
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
      sleep(FULL_PIPE); // the pipe is full and does not block, so try again when the reader may have read
    }
  }
  return true;
}

/** Returns the function that writes bytes to a stream and returns how many it has written. */
function writerTo(stream: Stream): (bytes: Uint8Array) => number {
  const deno = findDeno();
  if (deno === undefined) return (bytes) => builtin("node:fs").writeSync(stream, bytes);
  const { [stream]: file } = { 1: deno.stdout, 2: deno.stderr };
  return (bytes) => file.writeSync(bytes);
}
