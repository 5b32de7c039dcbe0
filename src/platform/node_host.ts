/**
 * Stand-in for `Deno` in Node and Bun.
 *
 * @module
 */

import type { Host, HostFile, OpenOptions } from "./host_interface.ts";
import { lockByDatabase } from "./node_lock.ts";
import { builtin, findProcess } from "./process.ts";

/** Returns a stand-in for `Deno` that uses the files and the process of Node. */
export function nodeHost(): Host {
  const fs = builtin("node:fs"), files = builtin("node:fs/promises"), os = builtin("node:os");
  const process = findProcess()!;
  return {
    build: {
      os: process.platform === "win32" ? "windows" : process.platform,
      target: `${process.arch}-${process.platform}`,
    },
    pid: process.pid,
    cwd: () => process.cwd(),
    hostname: () => os.hostname(),
    unrefTimer: (timer) => (timer as unknown as { unref(): void }).unref(),
    realPathSync: (path) => fs.realpathSync(path),
    readTextFile: (path) => files.readFile(path, "utf8"),
    readTextFileSync: (path) => fs.readFileSync(path, "utf8"),
    readFile: async (path, options) => bytesOf(await files.readFile(path, options)),
    writeTextFile: (path, text) => files.writeFile(path, text),
    mkdir: async (path, options) => void await files.mkdir(path, options),
    mkdirSync: (path, options) => void fs.mkdirSync(path, options),
    openSync: (path, options) => openFile(path, options),
    stat: (path) => files.stat(path),
    statSync: (path) => {
      const stat = fs.statSync(path, { bigint: true }), { size, mtime, dev, ino } = stat;
      return {
        size: Number(size),
        mtime,
        dev: Number(dev),
        ino,
        isFile: stat.isFile(),
        isDirectory: stat.isDirectory(),
      };
    },
    remove: (path) => files.rm(path),
    rename: (from, to) => files.rename(from, to),
    link: (from, to) => files.link(from, to),
    copyFile: (from, to) => files.copyFile(from, to),
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Opens a file. Its position begins at 0, and only `seekSync`, `readSync` and `writeSync` change it. */
function openFile(path: string | URL, options: OpenOptions): HostFile {
  const fs = builtin("node:fs");
  const file = fs.openSync(path, flagsOf(options));
  let position = 0;
  let lock: { release(): void } | undefined;
  return {
    statSync: () => fs.fstatSync(file),
    seekSync: (offset) => position = offset,
    readSync(bytes) {
      const count = fs.readSync(file, bytes, 0, bytes.length, position);
      position += count;
      return count === 0 && bytes.length > 0 ? null : count;
    },
    writeSync(bytes) {
      const at = options.append ? null : position;
      const count = fs.writeSync(file, bytes, 0, bytes.length, at);
      position += count;
      return count;
    },
    truncateSync: (length) => fs.ftruncateSync(file, length),
    tryLockSync() {
      lock = lockByDatabase(fs.fstatSync(file, { bigint: true }));
      return lock !== undefined;
    },
    close() {
      try {
        lock?.release();
      } finally {
        fs.closeSync(file);
      }
    },
  };
}

/**
 * Returns the flags of the operating system for opening a file. Unlike Node's names, such as `"a+"`, they can be
 * combined freely.
 */
function flagsOf({ read, write, append, create, createNew }: OpenOptions): number {
  const { constants } = builtin("node:fs");
  const writes = write || append;
  return (read && writes ? constants.O_RDWR : writes ? constants.O_WRONLY : constants.O_RDONLY) |
    (append ? constants.O_APPEND : 0) |
    (create || createNew ? constants.O_CREAT : 0) |
    (createNew ? constants.O_EXCL : 0);
}
