/**
 * Runs of a server, over HTTP.
 *
 * @module
 */

import { decodeFrame } from "../../frame_codec.ts";
import type { RunCommand, RunEvent, RunInfo, RunSource, ViewerFrame } from "../../protocol.ts";
import { linesOf } from "./lines.ts";

/** Connection of a source to its server. */
export type Connection =
  | { readonly state: "connecting" | "connected" | "closed" }
  /** The connection was lost. `retryAt` is the time of the next attempt, ms since 1970. */
  | { readonly state: "lost"; readonly reason: string; readonly retryAt: number }
  /** The server refuses the page. It is not asked again. */
  | { readonly state: "refused"; readonly reason: string };

/** Options of {@linkcode HttpSource}. */
export interface HttpSourceOptions {
  /** Receives changes of the connection. */
  readonly onConnection?: (connection: Connection) => void;
  /** Replacement of `fetch` for tests. */
  readonly fetch?: typeof fetch;
  /** Waiting time before the first retry, ms. It doubles with each further one, up to 15 s. */
  readonly firstDelay?: number;
  /** Time without a line after which the connection counts as lost, ms. The server sends a line every 15 s. */
  readonly silence?: number;
}

const LONGEST_DELAY = 15_000;

/** Server that serves runs. */
export interface Api {
  /** Address of the page, with a slash at its end. */
  readonly base: string;
  readonly token: string;
}

/** Returns the HTTP status of an answer that failed; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response ? cause.status : undefined;
}

/** Asks a server for its runs. */
export async function listRuns(
  api: Api,
  signal?: AbortSignal,
  ask: typeof fetch = fetch,
): Promise<readonly RunInfo[]> {
  return await (await request(ask, api, "api/runs", signal === undefined ? {} : { signal })).json();
}

/** A run of a server. Its events survive interruptions: the server is asked again, and the run is read from its start. */
export class HttpSource implements RunSource {
  readonly #api: Api;
  readonly #id: string;
  readonly #options: HttpSourceOptions;
  #length = 0;

  constructor(api: Api, id: string, options: HttpSourceOptions = {}) {
    this.#api = api;
    this.#id = id;
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  async *events(signal: AbortSignal): AsyncGenerator<RunEvent> {
    const { firstDelay = 500 } = this.#options;
    let delay = firstDelay, isFirst = true;
    while (!signal.aborted) {
      let reason = "the server closed it", last: RunEvent["type"] | undefined, isOver = false;
      try {
        for await (const event of this.#stream(signal)) {
          if (last === undefined) {
            this.#report({ state: "connected" });
            delay = firstDelay;
            // What the page has shown stays until the run is read again.
            if (!isFirst) yield { type: "behind" };
            isFirst = false;
          }
          last = event.type;
          if (event.type === "behind") continue;
          if (event.type === "frames") this.#length = event.count;
          if (event.type === "info") isOver = isEnded(event.run);
          yield event;
        }
        if (last === "behind") continue;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        if ((statusOf(error) ?? 500) < 500) {
          return this.#report({ state: "refused", reason });
        }
      }
      if (signal.aborted || isOver) break;
      this.#report({ state: "lost", reason, retryAt: Date.now() + delay });
      await pause(delay, signal);
      delay = Math.min(2 * delay, LONGEST_DELAY);
    }
    this.#report({ state: "closed" });
  }

  async frame(index: number, signal?: AbortSignal): Promise<ViewerFrame> {
    if (!(index >= 0 && index < this.#length)) {
      throw new RangeError(`frame must be between 0 and ${this.#length - 1}; got ${index}`);
    }
    return decodeFrame(await this.#bytes(`frames/${index}`, signal));
  }

  async live(
    signal?: AbortSignal,
    system = 0,
    fields?: readonly string[],
  ): Promise<ViewerFrame | undefined> {
    const query = new URLSearchParams({
      ...(system !== 0 && { system: String(system) }),
      ...(fields !== undefined && { fields: fields.join() }),
    });
    const path = query.size > 0 ? `live?${query}` : "live";
    const answer = await this.#request(path, signal === undefined ? {} : { signal });
    if (answer.status === 204) return undefined;
    return decodeFrame(new Uint8Array(await answer.arrayBuffer()));
  }

  async command(command: RunCommand): Promise<void> {
    const answer = await this.#request("commands", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(command),
    });
    await answer.body?.cancel();
  }

  async file(path: string, signal?: AbortSignal): Promise<Blob> {
    const parts = path.split("/").map(encodeURIComponent).join("/");
    const init = signal === undefined ? {} : { signal };
    return await (await this.#request(`files/${parts}`, init)).blob();
  }

  /** Yields the events of one connection. Throws if the server is silent for too long. */
  async *#stream(signal: AbortSignal): AsyncGenerator<RunEvent> {
    const { silence = 45_000 } = this.#options;
    const connection = new AbortController();
    const end = () => connection.abort(signal.reason);
    signal.addEventListener("abort", end);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => connection.abort(new Error(`the server was silent for ${silence / 1000} s`)),
        silence,
      );
    };
    try {
      wait();
      const { body } = await this.#request("events", { signal: connection.signal });
      if (body === null) return;
      for await (const line of linesOf(body, wait)) yield JSON.parse(line) as RunEvent;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      connection.abort();
    }
  }

  async #bytes(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#request(path, signal === undefined ? {} : { signal });
    return new Uint8Array(await answer.arrayBuffer());
  }

  #request(path: string, init: RequestInit): Promise<Response> {
    return request(
      this.#options.fetch ?? fetch,
      this.#api,
      `api/runs/${encodeURIComponent(this.#id)}/${path}`,
      init,
    );
  }

  #report(connection: Connection): void {
    this.#options.onConnection?.(connection);
  }
}

/** Returns whether nothing follows the events of a run. An interrupted run may be resumed. */
export function isEnded({ state }: RunInfo): boolean {
  return state === "completed" || state === "warned" || state === "failed";
}

async function request(
  ask: typeof fetch,
  { base, token }: Api,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const answer = await ask(`${base}${path}`, {
    ...init,
    headers: { ...init.headers as Record<string, string>, authorization: `Bearer ${token}` },
  });
  if (answer.ok) return answer;
  throw new Error(await reasonIn(answer), { cause: answer });
}

/** Returns the message of an answer that failed. */
async function reasonIn(answer: Response): Promise<string> {
  const text = (await answer.text()).trim();
  try {
    const { error } = JSON.parse(text);
    if (typeof error === "string") return error;
  } catch {
    // The answer is that of another program, such as a proxy.
  }
  return `the server answered ${answer.status} ${answer.statusText}`.trim();
}

/** Waits for a time, or until the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
