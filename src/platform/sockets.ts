/**
 * TCP connections, with TLS if asked for. Deno, Node and Bun have the same modules for them.
 *
 * @module
 */

import { builtin } from "./process.ts";

/** An open connection. */
export interface ByteSocket {
  /** Address of the other side. */
  readonly peer: string;
  /** Bytes from the other side; ends when the connection ends. It is read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Sends bytes. Resolves when the operating system has taken them. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends what was written, and closes the connection. */
  end(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

/** Certificate, key and authorities as PEM texts. */
export interface SocketTls {
  /** Certificates of the authorities that sign the certificates of the other side. */
  readonly authority: string;
  /** Certificate of this side. */
  readonly certificate: string;
  /** Key of this side. */
  readonly key: string;
}

/** A place that listens for connections. */
export interface SocketServer {
  /** Port on which it listens. */
  readonly port: number;
  /** Stops listening. Open connections stay open. */
  close(): void;
}

/** Members of a socket of Node that this file uses. */
type NodeSocket = import("node:net").Socket;

/** Number of connections at a time, beyond which more are refused. */
const MOST_CONNECTIONS = 64;
/** Milliseconds after which a TLS handshake is given up. */
const TLS_TIMEOUT = 10_000;

/**
 * Listens on an address, and calls `accept` with each connection.
 *
 * @throws {Error} if the address or the port cannot be used
 */
export async function listenOn(
  { host, port, tls }: {
    readonly host: string;
    readonly port: number;
    readonly tls?: SocketTls | undefined;
  },
  accept: (socket: ByteSocket) => void,
): Promise<SocketServer> {
  const take = (socket: NodeSocket) => accept(wrapped(socket));
  const server = tls === undefined
    ? builtin("node:net").createServer(take)
    : builtin("node:tls").createServer({
      cert: tls.certificate,
      key: tls.key,
      handshakeTimeout: TLS_TIMEOUT,
    }, take);
  server.maxConnections = MOST_CONNECTIONS;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.on("error", reject);
  server.listen({ host, port }, resolve);
  await promise;
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () => void server.close(),
  };
}

/**
 * Connects to an address.
 *
 * @throws {Error} if there is no answer within `timeout` milliseconds, or the connection is refused
 */
export async function connectTo(
  { host, port, timeout, tls }: {
    readonly host: string;
    readonly port: number;
    readonly timeout: number;
    readonly tls?: SocketTls | undefined;
  },
): Promise<ByteSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const net = builtin("node:net");
  const socket = tls === undefined
    ? net.connect({ host, port }, resolve)
    : builtin("node:tls").connect({
      host,
      port,
      ca: tls.authority,
      ...(net.isIP(host) === 0 && { servername: host }),
    }, resolve);
  const late = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout);
  socket.on("error", reject);
  socket.on("close", () => reject(new Error("the connection was closed")));
  try {
    await promise;
    return wrapped(socket);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

function wrapped(socket: NodeSocket): ByteSocket {
  socket.on("error", () => {}); // reading and writing report it
  socket.setNoDelay(true);
  return {
    peer: `${socket.remoteAddress ?? "?"}:${socket.remotePort ?? "?"}`,
    bytes: socket,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => error ? reject(error) : resolve());
      }),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}
