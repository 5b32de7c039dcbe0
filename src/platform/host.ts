/**
 * Members of Deno and of web pages that this package uses. They are looked up at run time, because neither
 * environment has the members of the other or knows their types.
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

/** Members of `Deno` that are used here. */
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

/** Members of `navigator` that are used here. */
export interface NavigatorHost {
  readonly hardwareConcurrency?: number;
  readonly userAgent?: string;
  readonly platform?: string;
}

/** Returns `Deno`, or `undefined` in other runtimes. */
export function findDeno(): DenoHost | undefined {
  return (globalThis as unknown as { readonly Deno?: DenoHost }).Deno;
}

/** Returns `navigator`, or `undefined` in runtimes without it. */
export function findNavigator(): NavigatorHost | undefined {
  return (globalThis as unknown as { readonly navigator?: NavigatorHost }).navigator;
}

/** Returns whether native libraries may be loaded without a permission prompt. */
export function mayLoadNative(deno: DenoHost): boolean {
  return deno.permissions.querySync({ name: "ffi" }).state === "granted";
}

/** Returns whether a path may be read without a permission prompt, which would halt a run. */
export function mayRead(deno: DenoHost, path: string | URL): boolean {
  return deno.permissions.querySync({ name: "read", path }).state === "granted";
}
