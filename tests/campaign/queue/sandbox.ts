/**
 * A shell with disks, networks and processes of its own, in which a test makes faults that are real: a full disk, a cut
 * network, a lost mount.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** Result of a command in a sandbox. */
export interface SandboxOutput {
  readonly code: number;
  /** Standard output and errors. */
  readonly text: string;
}

/** The words that start `hooke` in a shell. */
export const HOOKE: string = [
  Deno.execPath(),
  "run -A --no-check --quiet",
  fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url)),
].join(" ");

/** A shell in namespaces. Its processes end when it is disposed of. */
export class Sandbox implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #text = "";
  #marks = 0;

  /** Starts a shell. `flags` are those of `unshare`, such as `-n` for a network. */
  constructor(...flags: readonly string[]) {
    this.#process = new Deno.Command("unshare", {
      args: ["-rmp", ...flags, "--fork", "--kill-child", "--mount-proc", "sh"],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#output = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Runs a command, and waits for its end. A command that ends with `&` goes on; redirect its output. */
  async run(command: string): Promise<SandboxOutput> {
    const mark = `end of command ${++this.#marks}:`;
    const line = `{ ${command}\n} 2>&1; code=$?; echo; echo "${mark} $code"\n`;
    await this.#input.write(new TextEncoder().encode(line));
    for (;;) {
      const found = new RegExp(`\\n?${mark} (\\d+)\\n`).exec(this.#text);
      if (found !== null) {
        const text = this.#text.slice(0, found.index);
        this.#text = this.#text.slice(found.index + found[0].length);
        return { code: Number(found[1]), text };
      }
      const { value, done } = await this.#output.read();
      if (done) throw new Error(`the sandbox has ended: ${this.#text}`);
      this.#text += value;
    }
  }

  /** Runs a command that must succeed. Returns its output. */
  async succeed(command: string): Promise<string> {
    const { code, text } = await this.run(command);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${text}`);
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // the shell may have ended
    this.#process.kill("SIGKILL");
    await this.#output.cancel();
    await this.#process.status;
  }
}
