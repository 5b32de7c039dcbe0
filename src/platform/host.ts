/**
 * What is used of Deno and of a page, found at run time: neither is there everywhere, and the types of one are
 * unknown to the library of the other.
 *
 * @module
 */

/** An open file. */
export interface HostFile {
  statSync(): { readonly size: number };
  seekSync(offset: number, whence: number): number;
  readSync(bytes: Uint8Array): number | null;
  writeSync(bytes: Uint8Array): number;
  truncateSync(length: number): void;
  close(): void;
}

/** What is used of Deno. */
export interface DenoHost {
  readonly version: { readonly deno: string; readonly v8: string; readonly typescript: string };
  readonly build: { readonly target: string };
  readonly permissions: {
    querySync(
      of: { name: "read"; path: string | URL } | { name: "ffi" },
    ): { readonly state: string };
  };
  cwd(): string;
  realPathSync(path: string): string;
  readTextFile(path: string): Promise<string>;
  mkdirSync(path: string, options: { recursive: true }): void;
  openSync(
    path: string | URL,
    options: { append: true; create: true; read: boolean },
  ): HostFile;
}

/** What is used of `navigator`. */
export interface NavigatorHost {
  readonly hardwareConcurrency?: number;
  readonly userAgent?: string;
  readonly platform?: string;
}

/** Deno, if this is Deno. */
export function findDeno(): DenoHost | undefined {
  return (globalThis as unknown as { readonly Deno?: DenoHost }).Deno;
}

/** What the runtime says of itself, if it does. */
export function findNavigator(): NavigatorHost | undefined {
  return (globalThis as unknown as { readonly navigator?: NavigatorHost }).navigator;
}

/** Returns whether native libraries may be loaded without a prompt for permission. */
export function mayLoadNative(deno: DenoHost): boolean {
  return deno.permissions.querySync({ name: "ffi" }).state === "granted";
}

/** May this path be read, without anybody being asked? A question in mid-run would halt it. */
export function mayRead(deno: DenoHost, path: string | URL): boolean {
  return deno.permissions.querySync({ name: "read", path }).state === "granted";
}
