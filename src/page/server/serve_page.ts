/**
 * The server of the page.
 *
 * @module
 */

import { codeOf } from "../../base/file_refusal.ts";
import { askToConnect, findHost, netAddress } from "../../platform/host.ts";
import { listen } from "../../platform/serve.ts";
import type { Shelf } from "../feed/run_shelf.ts";
import { isLoopback, newToken } from "./access.ts";
import { pageHandler, type PageHandlerOptions } from "./page_handler.ts";

/** Options of {@linkcode servePage}. */
export interface ServePageOptions {
  readonly shelf: Shelf;
  /** Name or address of the interface. */
  readonly host: string;
  /** Port; 0 for any unused port. */
  readonly port: number;
  readonly assets: PageHandlerOptions["assets"];
}

/** A page that is served. */
export interface ServedPage {
  /** Address of the page, with its token, which allows to watch and to control the runs. */
  readonly url: string;
  /** Warning if other machines can reach the page; undefined if only this machine can. */
  readonly warning: string | undefined;
  /** Stops the server, and closes the runs. */
  close(): Promise<void>;
}

/**
 * Serves the page of some runs.
 *
 * @throws {Error} if the address cannot be used; the message says why
 */
export async function servePage(options: ServePageOptions): Promise<ServedPage> {
  const { shelf, host, port, assets } = options;
  const token = newToken();
  const handler = pageHandler({ shelf, token, host, assets });
  if (!askToConnect(findHost()!, netAddress(host, port))) {
    // Node's server would throw the refusal where no caller can catch it.
    throw new Error(
      `Cannot serve the page: Deno may not listen on ${host}. Start it with --allow-net=${
        netAddress(host, 0)
      }`,
    );
  }
  const server = await listen(handler, { host, port }).catch((error) => {
    throw refusedAddress(error, host, port);
  });
  const reached = ANY[host] ?? host, shown = reached.includes(":") ? `[${reached}]` : reached;
  return {
    url: `http://${shown}:${server.port}/?token=${token}`,
    warning: isLoopback(host) ? undefined : warningOf(host),
    async close() {
      await server.close();
      await shelf.close();
    },
  };
}

/** Addresses of all interfaces, and addresses by which this machine reaches them. */
const ANY: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function warningOf(host: string): string {
  return `The page can be reached from other machines, because of --host ${host}. The connection is not encrypted, so ` +
    "anyone on that network can read the token, and with it stop the run and read the files of its folder. " +
    "127.0.0.1 with ssh -L is safer";
}

function refusedAddress(error: unknown, host: string, port: number): Error {
  const message = error instanceof Error ? error.message : String(error);
  const causes: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use. Pass another --port, or 0 for any unused one`,
    EACCES:
      `the system does not allow port ${port}. Pass a port above 1023, or 0 for any unused one`,
    EADDRNOTAVAIL: `this machine has no address ${host}`,
    EINVAL: `this machine has no address ${host}`,
    ENOTFOUND: `the name ${host} is not known`,
    EAI_AGAIN: `the name ${host} is not known`,
  };
  const reason = causes[String(codeOf(error))] ?? message;
  return new Error(`Cannot serve the page: ${reason}`, { cause: error });
}
