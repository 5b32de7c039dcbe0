/**
 * Types of the members of `Deno` that this package uses, such as files and the process. Node has a stand-in for them.
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
  /** Locks the file or folder until it is closed. Returns `false` if another process has the lock. */
  tryLockSync(exclusive: boolean): boolean;
  close(): void;
}

/** Options for opening a file or a folder. */
export interface OpenOptions {
  readonly read?: boolean;
  readonly write?: boolean;
  readonly append?: boolean;
  readonly create?: boolean;
  readonly createNew?: boolean;
}

/** Identity and time of a file or folder. */
export interface HostStat {
  readonly size: number;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly mtime: Date | null;
  readonly dev: number;
  /** Number of the file in its file system; Node gives all digits of the 64 bits that Windows uses. */
  readonly ino: number | bigint | null;
}

/** Members of `Deno` that this package uses. The stand-in for Node has all of them except the optional ones. */
export interface Host {
  /** Versions of Deno; undefined in Node. */
  readonly version?: { readonly deno: string; readonly v8: string; readonly typescript: string };
  /** Operating system, by the name that Deno uses, target triple, and true if `deno compile` made the program. */
  readonly build: { readonly os: string; readonly target: string; readonly standalone?: boolean };
  /** Permissions of Deno; undefined in Node, where everything is permitted. */
  readonly permissions?: {
    querySync(
      of: { name: "read" | "write"; path: string | URL } | { name: "ffi" } | {
        name: "sys";
        kind: "hostname";
      } | { name: "net"; host: string },
    ): { readonly state: string };
    /** Asks the user in a terminal for a permission that is missing. Elsewhere the permission stays missing. */
    requestSync(
      of: { name: "write"; path: string | URL } | { name: "net"; host: string },
    ): { readonly state: string };
  };
  readonly pid: number;
  cwd(): string;
  hostname(): string;
  unrefTimer(timer: number): void;
  realPathSync(path: string): string;
  readTextFile(path: string): Promise<string>;
  readTextFileSync(path: string | URL): string;
  readFile(
    path: string | URL,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>>;
  writeTextFile(path: string | URL, text: string): Promise<void>;
  mkdir(path: string | URL, options: { readonly recursive: true }): Promise<void>;
  mkdirSync(path: string | URL, options?: { readonly recursive: true }): void;
  openSync(path: string | URL, options: OpenOptions): HostFile;
  stat(path: string | URL): Promise<{ readonly size: number }>;
  statSync(path: string | URL): HostStat;
  remove(path: string | URL): Promise<void>;
  rename(from: string | URL, to: string | URL): Promise<void>;
  link(from: string, to: string): Promise<void>;
  copyFile(from: string | URL, to: string | URL): Promise<void>;
}
