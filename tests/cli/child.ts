/**
 * Runs the command in a process of its own, with signals.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Exit code and output of a process. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Time from the start to the first signal, ms; NaN without a signal. */
  readonly begun: number;
  /** Time from the first signal to the end, ms; NaN without a signal. */
  readonly milliseconds: number;
  /** Time of the first signal, ms since 1970; NaN without a signal. */
  readonly signaled: number;
}

/** Options of {@linkcode hookeProcess}. */
export interface ProcessOptions {
  readonly cwd: string;
  /** Signals, one after another: each is sent once the standard output has its text. */
  readonly signals?: readonly { readonly name: Deno.Signal; readonly after: string }[];
  /** Called with all of the standard output so far, whenever there is more. */
  readonly onText?: (out: string) => void;
  /** Flags of Deno. @default -A */
  readonly flags?: readonly string[];
}

/** Starts the command, sends signals, and waits for its end. */
export async function hookeProcess(
  args: readonly string[],
  { cwd, signals = [], flags = ["-A"], onText }: ProcessOptions,
): Promise<Ended> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", ...flags, MAIN, ...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const err = new Response(child.stderr).text(), left = [...signals];
  let out = "", sent = NaN, signaled = NaN;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    out += part;
    onText?.(out);
    while (left.length > 0 && out.includes(left[0]!.after)) {
      if (Number.isNaN(sent)) [sent, signaled] = [performance.now(), Date.now()];
      child.kill(left.shift()!.name);
    }
  }
  const { code } = await child.status;
  const milliseconds = performance.now() - sent;
  return { code, out, err: await err, begun: sent - started, milliseconds, signaled };
}
