/**
 * The host of the program: `Deno`, or a stand-in for it in Node and Bun. It is looked up at run time, because a web
 * page has neither.
 *
 * @module
 */

import type { Host } from "./host_interface.ts";
import { nodeHost } from "./node_host.ts";
import { isServer } from "./process.ts";

export type { Host, HostFile, HostStat, OpenOptions } from "./host_interface.ts";

let node: Host | undefined;

/** Returns `Deno`, or the stand-in for it in Node and Bun; `undefined` in a web page. */
export function findHost(): Host | undefined {
  const { Deno: deno } = globalThis as unknown as { readonly Deno?: Host };
  if (deno !== undefined) return deno;
  return isServer() ? node ??= nodeHost() : undefined;
}

/** Returns whether native libraries may be loaded without a permission prompt. */
export function mayLoadNative({ permissions }: Host): boolean {
  return permissions === undefined || permissions.querySync({ name: "ffi" }).state === "granted";
}

/** Returns whether a path may be read without a permission prompt, which would halt a run. */
export function mayRead({ permissions }: Host, path: string | URL): boolean {
  return permissions === undefined ||
    permissions.querySync({ name: "read", path }).state === "granted";
}

/**
 * Returns whether one of several paths may be written. If none may, the user is asked for the last one in a terminal.
 */
export function askToWrite({ permissions }: Host, ...paths: readonly string[]): boolean {
  return permissions === undefined ||
    paths.some((path) => permissions.querySync({ name: "write", path }).state === "granted") ||
    permissions.requestSync({ name: "write", path: paths.at(-1)! }).state === "granted";
}

/** Returns whether a server or an own address may be used without a permission prompt. */
export function mayConnect({ permissions }: Host, host: string): boolean {
  return permissions === undefined ||
    permissions.querySync({ name: "net", host }).state === "granted";
}

/** Returns the address on which a server listens as permissions name it; without a port if any may be chosen. */
export function netAddress(host: string, port: number): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === 0 ? name : `${name}:${port}`;
}

/** Returns whether a server, `host:port`, may be reached. In a terminal, the user is asked if it may not. */
export function askToConnect({ permissions }: Host, host: string): boolean {
  return permissions === undefined ||
    permissions.requestSync({ name: "net", host }).state === "granted";
}

/** Returns whether the name of the machine may be read without a permission prompt, which would halt a run. */
export function mayReadHostname({ permissions }: Host): boolean {
  return permissions === undefined ||
    permissions.querySync({ name: "sys", kind: "hostname" }).state === "granted";
}
