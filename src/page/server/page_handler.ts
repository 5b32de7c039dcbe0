/**
 * Routes of the server of the page.
 *
 * @module
 */

import { openFileIn } from "../feed/run_file.ts";
import type { Shelf, ShelvedRun } from "../feed/run_shelf.ts";
import { encodeFrame } from "../frame_codec.ts";
import { bearerOf, isOwnHost, isSameOrigin, isToken } from "./access.ts";
import { answer, eventStream, json, plainPage, refused } from "./answers.ts";
import { boundedText, MAX_COMMAND, parseCommand } from "./command.ts";

/** A file of the page itself. */
export interface PageAsset {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Encoding of the body; undefined for none. */
  readonly encoding?: "gzip";
}

/** Options of {@linkcode pageHandler}. */
export interface PageHandlerOptions {
  /** Runs to show. */
  readonly shelf: Shelf;
  /** Token that requests must have. */
  readonly token: string;
  /** Name or address by which the user has chosen to reach the server. */
  readonly host: string;
  /** Returns a file of the page by its path, such as `/app.js`; undefined if there is none. */
  readonly assets: (path: string) => PageAsset | undefined | Promise<PageAsset | undefined>;
  /** Time between blank lines in idle streams, ms. @default 15 000 */
  readonly heartbeat?: number;
}

/** Returns the function that answers the requests of the page. It never throws. */
export function pageHandler(options: PageHandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await route(request, options);
    } catch (error) {
      // The text may name files: only for those who have the token.
      if (!isToken(bearerOf(request), options.token)) return refused(500, "Cannot answer");
      const message = error instanceof Error ? error.message : String(error);
      return refused(error instanceof RangeError ? 404 : 500, message);
    }
  };
}

async function route(request: Request, options: PageHandlerOptions): Promise<Response> {
  const url = urlOf(request);
  if (url === undefined) return refused(400, "Cannot read the address");
  if (!isOwnHost(request, options.host)) {
    return refused(403, "Cannot answer: the page must be opened by the address that was printed");
  }
  const { method } = request, path = url.pathname;
  if (path.startsWith("/api/")) return await api(request, path, options);
  if (method !== "GET" && method !== "HEAD") return refused(405, `Cannot ${method} ${path}`);
  if (path === "/" && !isToken(url.searchParams.get("token") ?? "", options.token)) {
    return plainPage(
      401,
      "Not the whole address",
      "Open the address that <code>hooke</code> has printed in the terminal, with its " +
        "<code>?token=…</code>. Each start makes a new one.",
    );
  }
  const asset = await options.assets(path);
  if (asset === undefined) return refused(404, "Cannot find this page");
  const { body, encoding, type } = asset;
  const isTaken = encoding === undefined || takes(request, encoding);
  return answer(method === "HEAD" ? null : isTaken ? body : unpacked(body), 200, {
    "content-type": type,
    "vary": "accept-encoding",
    ...(encoding !== undefined && isTaken && { "content-encoding": encoding }),
  });
}

/** Returns whether a client can unpack an encoding. All browsers can; curl says so only with `--compressed`. */
function takes({ headers }: Request, encoding: string): boolean {
  const given = (headers.get("accept-encoding") ?? "").split(",").map((part) => part.trim());
  return given.some((part) => part.split(";")[0] === encoding && !/;\s*q=0(\.0*)?$/.test(part));
}

function unpacked(body: PageAsset["body"]): ReadableStream {
  return new Response(body).body!.pipeThrough(new DecompressionStream("gzip"));
}

async function api(
  request: Request,
  path: string,
  { token, shelf, heartbeat }: PageHandlerOptions,
): Promise<Response> {
  if (!isSameOrigin(request)) return refused(403, "Cannot answer a request of another site");
  if (!isToken(bearerOf(request), token)) return refused(401, "Cannot answer without the token");
  const parts = path.split("/").slice(2).map(decoded);
  if (parts.includes(undefined)) return refused(400, "Cannot read the address");
  const [runs, id, what, ...rest] = parts as string[];
  if (runs !== "runs") return refused(404, "Cannot find this address");
  const isPost = what === "commands" && rest.length === 0;
  if (request.method !== (isPost ? "POST" : "GET")) {
    return refused(405, `Cannot ${request.method} ${path}`);
  }
  if (id === undefined || id === "" && what === undefined) return json(await shelf.list());
  const run = await shelf.find(id);
  if (run === undefined) return refused(404, "Cannot find this run");
  if (isPost) return await commanded(request, run);
  return await part(run, what, rest, { heartbeat, query: new URL(request.url).searchParams });
}

async function part(
  run: ShelvedRun,
  what: string | undefined,
  rest: readonly string[],
  { heartbeat, query }: {
    readonly heartbeat: number | undefined;
    readonly query: URLSearchParams;
  },
): Promise<Response> {
  const [first = ""] = rest;
  if (what === "events" && rest.length === 0) {
    return eventStream((signal) => run.events(signal), heartbeat);
  }
  if (what === "frames" && rest.length === 1 && /^\d{1,9}$/.test(first)) {
    return binary(encodeFrame(await run.frame(Number(first))));
  }
  if (what === "live" && rest.length === 0) {
    const system = query.get("system") ?? "0";
    if (!/^\d{1,9}$/.test(system)) return refused(400, "Cannot read the number of the system");
    const fields = query.get("fields")?.split(",");
    const frame = await run.live(undefined, Number(system), fields);
    return frame === undefined ? answer(null, 204) : binary(encodeFrame(frame));
  }
  if (what === "files" && rest.length > 0) return await download(run, rest);
  return refused(404, "Cannot find this address");
}

async function commanded(request: Request, run: ShelvedRun): Promise<Response> {
  const text = await boundedText(request, MAX_COMMAND);
  if (text === undefined) return refused(413, `Cannot read more than ${MAX_COMMAND} bytes`);
  let command;
  try {
    command = parseCommand(text);
  } catch (error) {
    return refused(400, (error as Error).message);
  }
  try {
    await run.command(command);
  } catch (error) {
    return refused(409, error instanceof Error ? error.message : String(error));
  }
  return answer(null, 204);
}

/** Files are never shown as pages of this server: a report with a script in it must not get the token. */
async function download(run: ShelvedRun, rest: readonly string[]): Promise<Response> {
  const missing = () => refused(404, "Cannot find this file");
  // A slash that was encoded would make two parts of one.
  if (run.path === undefined || rest.some((name) => name.includes("/"))) return missing();
  const file = await openFileIn(run.path, rest.join("/"));
  if (file === undefined) return missing();
  return answer(file.stream(), 200, {
    "content-type": "application/octet-stream",
    "content-length": String(file.bytes),
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(rest.at(-1)!)}`,
  });
}

function binary(bytes: Uint8Array<ArrayBuffer>): Response {
  return answer(bytes, 200, {
    "content-type": "application/octet-stream",
    "content-length": String(bytes.length),
  });
}

function urlOf({ url }: Request): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** Decodes a part of a path once; undefined if it is no valid text, or has a character that no name has. */
function decoded(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
