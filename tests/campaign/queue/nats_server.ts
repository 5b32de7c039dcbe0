/**
 * A NATS server that a test starts, kills and starts again.
 *
 * @module
 */

import { openPython } from "../../python.ts";

/** A server on a free port of this machine, with JetStream in a temporary folder. */
export class NatsServer implements AsyncDisposable {
  readonly folder: string;
  readonly name: string;
  readonly #extra: string;
  #port = -1;
  #process: Deno.ChildProcess | undefined;

  private constructor(folder: string, name: string, extra: string) {
    this.folder = folder;
    this.name = name;
    this.#extra = extra;
  }

  /** Starts a server. `extra` are further lines of its configuration. */
  static async start(extra: string = "", name: string = "test"): Promise<NatsServer> {
    const server = new NatsServer(await Deno.makeTempDir(), name, extra);
    await server.restart();
    return server;
  }

  /** Starts servers that form a cluster. They elect leaders after that. */
  static async startCluster(count: number): Promise<NatsServer[]> {
    const listeners = Array.from(
      { length: count },
      () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
    );
    const ports = listeners.map(({ addr }) => (addr as Deno.NetAddr).port);
    for (const listener of listeners) listener.close();
    const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
    return await Promise.all(ports.map((port, i) => {
      const cluster = `name: cluster, listen: "127.0.0.1:${port}", routes: ${
        JSON.stringify(routes)
      }`;
      return NatsServer.start(`cluster { ${cluster} }`, `server-${i}`);
    }));
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  /** Starts the server again on the same port. Waits until it takes connections. */
  async restart(): Promise<void> {
    const config = `${this.folder}/server.conf`;
    await Deno.writeTextFile(
      config,
      `
listen: "127.0.0.1:${this.#port}"
server_name: ${this.name}
jetstream { store_dir: "${this.folder}/disk", sync_interval: always }
ports_file_dir: "${this.folder}"
${this.#extra}
`,
    );
    await this.#removePorts();
    this.#process = new Deno.Command(`${(await openPython("nats")).programs}/nats-server`, {
      args: ["-c", config, "-l", `${this.folder}/log`],
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#port = await this.#readPort();
  }

  async #removePorts(): Promise<void> {
    for await (const { name } of Deno.readDir(this.folder)) {
      if (name.endsWith(".ports")) await Deno.remove(`${this.folder}/${name}`);
    }
  }

  /** Returns the port, which the server writes when it takes connections. */
  async #readPort(): Promise<number> {
    for (let tries = 0; tries < 1200; tries++) {
      for await (const { name } of Deno.readDir(this.folder)) {
        if (!name.endsWith(".ports")) continue;
        try {
          const { nats } = JSON.parse(await Deno.readTextFile(`${this.folder}/${name}`));
          return Number(new URL(nats[0]).port);
        } catch {
          // The server has not finished the file.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(
      `nats-server has not started: ${await Deno.readTextFile(`${this.folder}/log`).catch(String)}`,
    );
  }

  /** Kills the server without a warning. */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.status;
    this.#process = undefined;
  }

  /** Removes everything that the server has stored. The server must not run. */
  async wipe(): Promise<void> {
    await Deno.remove(`${this.folder}/disk`, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await Deno.remove(this.folder, { recursive: true });
  }
}
