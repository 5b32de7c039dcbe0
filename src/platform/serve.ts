/**
 * HTTP servers, with handlers that take a `Request` and return a `Response`.
 *
 * Bodies are streams. A body is only pulled when the client has room, so that a slow client costs a bounded amount of
 * memory, and it is cancelled when the client leaves.
 *
 * @module
 */

import { builtin } from "./process.ts";

/** Answers a request. It must not throw: an error becomes an answer with the status 500 and no text. */
export type HttpHandler = (request: Request) => Response | Promise<Response>;

/** Address that a server listens on. */
export interface ListenOptions {
  /** Name or address of the interface, such as `127.0.0.1`. */
  readonly host: string;
  /** Port; 0 for any unused port. */
  readonly port: number;
}

/** A running server. */
export interface HttpServer {
  /** Port that the server listens on. */
  readonly port: number;
  /** Stops the server, and cuts the connections that are still open. */
  close(): Promise<void>;
}

/** Largest size of all headers of a request, bytes. */
const MAX_HEADERS = 16 * 1024;

/** Time in which a client must send its headers, and its whole request, ms. */
const HEADERS_TIME = 10_000, REQUEST_TIME = 30_000;

/** Largest number of connections. Further ones are closed at once. */
const MAX_CONNECTIONS = 1_000;

/** Longest body that is read before it is sent, bytes. */
const AT_ONCE = 1 << 20;

type NodeHttp = typeof import("node:http");
type Incoming = InstanceType<NodeHttp["IncomingMessage"]>;
type Outgoing = InstanceType<NodeHttp["ServerResponse"]>;

/**
 * Starts a server. It bounds the size of headers, the time to send them, and the number of connections.
 *
 * Deno runs Node's server, too: `Deno.serve` waits for headers without a limit of time.
 *
 * @throws {TypeError} if the runtime has no server, as a web page
 * @throws {Error} if the operating system refuses the address, with the code of its error, such as `EADDRINUSE`
 */
export async function listen(
  handler: HttpHandler,
  { host, port }: ListenOptions,
): Promise<HttpServer> {
  const server = builtin("node:http").createServer({
    maxHeaderSize: MAX_HEADERS,
    headersTimeout: HEADERS_TIME,
    requestTimeout: REQUEST_TIME,
    connectionsCheckingInterval: HEADERS_TIME / 4,
  }, (incoming, outgoing) => void respond(handler, incoming, outgoing));
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as { readonly port: number }).port,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(handler: HttpHandler, incoming: Incoming, out: Outgoing): Promise<void> {
  let response: Response;
  try {
    response = await handler(requestOf(incoming));
  } catch {
    response = new Response(null, { status: 500 });
  }
  out.writeHead(response.status, Object.fromEntries(response.headers));
  if (Number(response.headers.get("content-length") ?? Infinity) <= AT_ONCE) {
    return await sendWhole(response, out);
  }
  const reader = response.body?.getReader();
  if (reader === undefined) return void out.end();
  const gone = new Promise<void>((resolve) => out.once("close", resolve));
  void gone.then(() => reader.cancel()).catch(() => {});
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done || out.destroyed) break;
      if (!out.write(value)) await Promise.race([gone, drained(out)]);
    }
    out.end();
  } catch {
    out.destroy(); // the body has failed, so that the client must not take the part for the whole
  } finally {
    // A client may have left before the answer began, when nothing listened yet. Otherwise this has no effect.
    await reader.cancel().catch(() => {});
  }
}

/** Sends a short body in one part. A stream costs more than the rest of an answer. */
async function sendWhole(response: Response, out: Outgoing): Promise<void> {
  try {
    out.end(new Uint8Array(await response.arrayBuffer()));
  } catch {
    out.destroy();
  }
}

function drained(out: Outgoing): Promise<void> {
  return new Promise((resolve) => void out.once("drain", resolve));
}

/** Returns the request of a browser's `fetch` with the same method, address, headers and body. */
function requestOf(incoming: Incoming): Request {
  const { method = "GET", url = "/", headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  const { from } = ReadableStream as unknown as {
    from(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array>;
  };
  const init = {
    method,
    headers,
    ...(hasBody && { body: from.call(ReadableStream, incoming), duplex: "half" }),
  };
  // An address such as `*`, or one with a host, is not a path of this server.
  return new Request(`http://server${url.startsWith("/") ? url : "/*"}`, init as RequestInit);
}
