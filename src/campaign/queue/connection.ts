/**
 * Connections to a NATS server. No message of an error or a warning contains a password, a token or a seed.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import { askToConnect, findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import { loadNats, type NatsClient, type NatsConnection } from "./client.ts";
import type { QueueConnectionOptions } from "./options.ts";

/** Names of the options, for checks. */
const NAMES: readonly (keyof QueueConnectionOptions)[] = [
  "servers",
  "credentials",
  "user",
  "password",
  "token",
  "tlsAuthority",
  "tlsCertificate",
  "tlsKey",
  "name",
  "waits",
  "onNotice",
];

/** An open connection. */
export interface QueueConnection {
  readonly client: NatsClient;
  readonly nats: NatsConnection;
}

/**
 * Connects to a server.
 *
 * @throws {TypeError} if an option is unknown, or the client's packages are not installed
 * @throws {Error} if no server answers or it refuses the credentials; the message contains no secret
 */
export async function connectQueue(options: QueueConnectionOptions): Promise<QueueConnection> {
  checkOptions("connect to a queue", options, NAMES);
  const addresses = addressesOf(options.servers);
  const shown = addresses.map(({ shown }) => shown).join(", ");
  const client = await loadNats();
  const { user, password } = { ...addresses[0], ...definedOf(options) };
  const waiting = options.waits === true
    ? setTimeout(() => options.onNotice?.(`Waiting for a server at ${shown}`), QUIET)
    : undefined;
  try {
    if (options.waits) assertPermitted(addresses);
    const nats = await client.transport.connect({
      servers: addresses.map(({ address }) => address),
      name: options.name ?? "hooke",
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: options.waits ?? false,
      timeout: 10_000,
      ...(user !== undefined && { user, pass: password ?? "" }),
      ...(options.token !== undefined && { token: options.token }),
      ...tlsOf(options, addresses.some(({ isTls }) => isTls)),
      ...(options.credentials !== undefined && {
        authenticator: client.transport.credsAuthenticator(
          new Uint8Array(await readSecret(options.credentials, "--credentials")),
        ),
      }),
    });
    void watch(nats, shown, options.onNotice);
    return { client, nats };
  } catch (error) {
    throw new Error(`Cannot connect to ${shown}: ${withoutSecrets(reasonOf(error), options)}`);
  } finally {
    clearTimeout(waiting);
  }
}

/** Time after which waiting for a server is reported, ms. */
const QUIET = 2000;

/**
 * Throws an error if no server may be reached. A client that waits for its first connection takes a missing permission
 * for a server that does not answer yet.
 */
function assertPermitted(addresses: readonly Address[]): void {
  const hosts = addresses.map(({ address }) => /:\d+$/.test(address) ? address : `${address}:4222`);
  const host = findHost();
  if (host === undefined || hosts.some((one) => askToConnect(host, one))) return;
  throw new Error(`Requires net access to "${hosts[0]}", run again with the --allow-net flag`);
}

function definedOf(
  { user, password }: QueueConnectionOptions,
): { user?: string; password?: string } {
  return { ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
}

interface Address {
  readonly address: string;
  readonly shown: string;
  readonly isTls: boolean;
  readonly user?: string;
  readonly password?: string;
}

function addressesOf(servers: string): Address[] {
  const all = String(servers).split(",").map((text) => text.trim()).filter((text) => text !== "");
  if (all.length === 0) {
    throw new TypeError(
      `servers must be an address such as nats://127.0.0.1:4222; got ${show(servers)}`,
    );
  }
  return all.map((text) => addressOf(text, servers));
}

function addressOf(text: string, servers: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["nats:", "tls:"].includes(url.protocol) || url.host === "") {
    throw new TypeError(
      // Up to the last @, the text may be a password, in which commas and slashes are not separators.
      `servers must be addresses such as nats://127.0.0.1:4222 or tls://host:4222; got ${
        show(servers.replace(/^.*@/s, "…@"))
      }${servers.includes("@") ? ". In a password, write special characters as %2C" : ""}`,
    );
  }
  const { username, password, host, protocol } = url;
  return {
    address: host,
    shown: `${protocol}//${host}`,
    isTls: protocol === "tls:",
    ...(username !== "" && { user: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
  };
}

/** Returns an address without user and password. */
export function withoutUser(address: string): string {
  return address.replaceAll(/[^\s,/@]*(?::[^\s,/@]*)?@/g, "");
}

function withoutSecrets(text: string, { password, token }: QueueConnectionOptions): string {
  const hidden = [password, token].filter((each) => each !== undefined && each !== "") as string[];
  return hidden.reduce((shown, secret) => shown.replaceAll(secret, "…"), withoutUser(text));
}

function tlsOf(
  { tlsAuthority, tlsCertificate, tlsKey }: QueueConnectionOptions,
  isTls: boolean,
): { readonly tls?: { caFile?: string; certFile?: string; keyFile?: string } } {
  const isGiven = [tlsAuthority, tlsCertificate, tlsKey].some((path) => path !== undefined);
  if (!isTls && !isGiven) return {};
  return {
    tls: {
      ...(tlsAuthority !== undefined && { caFile: tlsAuthority }),
      ...(tlsCertificate !== undefined && { certFile: tlsCertificate }),
      ...(tlsKey !== undefined && { keyFile: tlsKey }),
    },
  };
}

async function readSecret(path: string, option: string): Promise<Uint8Array> {
  try {
    return await builtin("node:fs/promises").readFile(path);
  } catch (cause) {
    throw new Error(`the file of ${option}, ${path}, cannot be read (${reasonOf(cause)})`);
  }
}

/** Reports lost and restored connections. */
async function watch(
  nats: NatsConnection,
  shown: string,
  notice: ((text: string) => void) | undefined,
): Promise<void> {
  for await (const { type, ...rest } of nats.status()) {
    if (type === "disconnect") notice?.(`Lost the connection to ${shown}; trying again`);
    if (type === "reconnect") notice?.(`Connected to ${shown} again`);
    // The request whose permission is missing fails with this error, and its caller decides whether it matters.
    const isRefusal = "error" in rest && rest.error.name === "PermissionViolationError";
    if (type === "error" && "error" in rest && !isRefusal) {
      notice?.(`${shown}: ${withoutUser(reasonOf(rest.error))}`);
    }
  }
}

/** Returns the message of an error on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
