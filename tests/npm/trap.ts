/**
 * Catches requests that would leave this machine.
 *
 * @module
 */

/**
 * A proxy that forwards nothing. Programs that run with `env` send all requests but those to 127.0.0.1 here, where they
 * fail.
 */
export class Trap implements AsyncDisposable {
  /** First lines of the caught requests, as in `CONNECT jsr.io:443 HTTP/1.1`. */
  readonly caught: string[] = [];
  readonly #listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  readonly #done = this.#catchAll();

  /** Variables that make Deno use the proxy. */
  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${this.#listener.addr.port}`;
    return { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "127.0.0.1" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#done;
  }

  async #catchAll(): Promise<void> {
    for await (const connection of this.#listener) {
      using _ = connection;
      const bytes = new Uint8Array(1024), length = await connection.read(bytes) ?? 0;
      this.caught.push(new TextDecoder().decode(bytes.subarray(0, length)).split("\r\n")[0]!);
    }
  }
}
