// A run for tests of the server: events and frames from lists.
import type { Shelf, ShelvedRun } from "../../src/page/feed/run_shelf.ts";
import type { RunCommand, RunEvent, RunInfo, ViewerFrame } from "../../src/page/protocol.ts";
import { pageHandler } from "../../src/page/server/page_handler.ts";

export const TOKEN = "right-token";

export const INFO: RunInfo = {
  id: "runs/argon",
  name: "argon",
  kind: "md",
  state: "running",
  step: 10,
  isControllable: true,
  systems: 1,
  files: [],
};

export const FRAME: ViewerFrame = {
  numbers: Uint8Array.of(18),
  positions: Float32Array.of(1, 2, 3),
};

/** A run of these events, with one frame. */
export class ShownRun implements ShelvedRun {
  readonly length = 1;
  readonly commands: RunCommand[] = [];

  readonly events: ShelvedRun["events"];
  readonly path: string | undefined;

  constructor(events: ShelvedRun["events"] = () => of([]), path?: string) {
    this.events = events;
    this.path = path;
  }

  frame(index: number): Promise<ViewerFrame> {
    return index === 0
      ? Promise.resolve(FRAME)
      : Promise.reject(new RangeError(`Cannot read frame ${index}`));
  }

  live(): Promise<ViewerFrame | undefined> {
    return Promise.resolve(undefined);
  }

  command(command: RunCommand): Promise<void> {
    if (command.action === "pause") return Promise.reject(new Error("Cannot pause: it is over"));
    this.commands.push(command);
    return Promise.resolve();
  }

  file(): Promise<Blob> {
    return Promise.reject(new Error("not used"));
  }
}

export async function* of(events: readonly RunEvent[]): AsyncGenerator<RunEvent, void> {
  yield* events;
}

export function shelfOf(run: ShelvedRun): Shelf {
  return {
    list: () => Promise.resolve([INFO]),
    find: (id) => Promise.resolve(id === INFO.id ? run : undefined),
    close: () => Promise.resolve(),
  };
}

/** Asks a server of this run. */
export function client(run: ShelvedRun, heartbeat?: number) {
  const handler = pageHandler({
    shelf: shelfOf(run),
    token: TOKEN,
    host: "127.0.0.1",
    assets: (path) =>
      path === "/" || path === "/app.js" ? { type: "text/plain", body: `<${path}>` } : undefined,
    ...(heartbeat !== undefined && { heartbeat }),
  });
  return (
    path: string,
    { headers = {}, url, ...init }: RequestInit & {
      headers?: Record<string, string>;
      url?: string;
    } = {},
  ): Promise<Response> =>
    handler(
      new Request(url ?? `http://server${path}`, {
        ...init,
        headers: { host: "127.0.0.1:8080", authorization: `Bearer ${TOKEN}`, ...headers },
      }),
    );
}
