/**
 * Workers of a queue as processes, which a test kills.
 *
 * @module
 */

const ROOT = new URL("../../../", import.meta.url);

/** A worker in a process of its own. */
export class WorkerProcess {
  readonly #process: Deno.ChildProcess;
  readonly #output: Promise<Deno.CommandOutput>;

  /** Starts a worker. `args` are further arguments of the command. */
  constructor(url: string, store: string, args: readonly string[] = []) {
    const command = ["work", "--queue", url, "--store", store, "--quiet", ...args];
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-check",
        "--allow-read",
        `--allow-write=${store}`,
        "--allow-net=127.0.0.1",
        "src/cli/main.ts",
        ...command,
      ],
      cwd: ROOT,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#output = this.#process.output();
  }

  /** Sends a signal. Resolves with the exit code and everything that the worker has printed. */
  async end(
    signal: "SIGKILL" | "SIGTERM",
  ): Promise<{ readonly code: number; readonly text: string }> {
    try {
      this.#process.kill(signal);
    } catch {
      // It has ended already; its output says why.
    }
    const { code, stdout, stderr } = await this.#output;
    const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
    return { code, text };
  }
}
