/**
 * Lock of a run folder. One run at a time writes to a folder.
 *
 * The operating system locks the folder and its file `lock` as long as the process lives. A killed process therefore
 * leaves nothing to clean up, and of two processes that start at the same time only one gets the lock. The file
 * `lock` describes that process; removing the file does not release the lock. If several machines share a folder
 * through a network that does not share locks, the file and its heartbeat keep other processes out.
 *
 * @module
 */

import { refusal } from "../../base/file_refusal.ts";
import { lockPath, type PathLock } from "../../base/path_lock.ts";
import { findHost, type Host, type HostFile, mayReadHostname } from "../../platform/host.ts";
import { RunFolderBusyError, type RunHolder, UNKNOWN_HOST } from "./run_folder_busy_error.ts";
import { checked, isIsoTime, parseObject } from "../read_json.ts";

/** Version of the format of the file `lock`. */
const SCHEMA = 1;
/** Size of the file `lock` in bytes. The text is padded to this size, so that a single write replaces it. */
const LENGTH = 512;
/** First characters of every file `lock`. */
const START = '{"schema":';
const HEARTBEAT_SECONDS = 10;
/** Time without a heartbeat after which a process on another machine counts as dead, s. */
const SILENT_SECONDS = 60;

/** Ids, as `idOf` returns them, of the folders that this process has locked. */
const HELD = new Set<string>();

/** Values from which a {@linkcode RunLock} is created. */
interface LockParts {
  readonly id: string;
  readonly file: HostFile;
  readonly locks: readonly (PathLock | undefined)[];
}

/** A lock of a run folder. It is held until it is released or the process ends. */
export class RunLock {
  readonly #id: string;
  readonly #file: HostFile;
  readonly #locks: readonly (PathLock | undefined)[];
  readonly #holder: RunHolder;
  readonly #timer: number;

  /** Returns whether this process has locked a folder. */
  static isHeldHere(folder: string): boolean {
    return orDefault(() => HELD.has(idOf(lockHost(folder), folder)), false);
  }

  /**
   * Locks a folder.
   *
   * @throws {RunFolderBusyError} if another run has locked it
   * @throws {SyntaxError} if the folder contains a file `lock` that no run has written; the file stays unchanged
   * @throws {RangeError} if a newer version has written the file `lock`
   */
  static take(folder: string): RunLock {
    const host = lockHost(folder);
    const locks = [lockPath(folder)];
    let file: HostFile | undefined;
    try {
      const opened = file = openLock(host, folder);
      // Network file systems support locks of files, but rarely of folders. The lock of the folder remains if the
      // file is removed.
      locks.push(lockPath(`${folder}/lock`));
      if (locks.includes(undefined)) {
        throw new RunFolderBusyError(folder, orDefault(() => holderIn(opened, folder), undefined));
      }
      // This process now has the locks of the operating system. Another holder may still be alive: on another machine,
      // if the network file system does not share locks, or in another runtime, which uses other locks.
      const before = holderIn(file, folder), own = holderNow(host);
      if (before !== undefined && isHolding(host, before, own, writtenAt(host, folder))) {
        throw new RunFolderBusyError(folder, before);
      }
      return new RunLock(host, { id: idOf(host, folder), file, locks }, own);
    } catch (error) {
      file?.close();
      for (const lock of locks) lock?.release();
      throw error;
    }
  }

  /**
   * Returns whether a process that seems to be alive has locked a folder. Nothing is locked or written; a file that
   * cannot be read counts as no lock.
   */
  static isHeld(folder: string): boolean {
    if (RunLock.isHeldHere(folder)) return true;
    return orDefault(() => {
      const host = lockHost(folder), name = `${folder}/lock`;
      const holder = parseLock(host.readTextFileSync(name), name);
      return holder !== undefined &&
        isHolding(host, holder, holderNow(host), writtenAt(host, folder));
    }, false);
  }

  private constructor(
    host: Host,
    { id, file, locks }: LockParts,
    holder: RunHolder,
  ) {
    this.#id = id;
    HELD.add(id);
    this.#file = file;
    this.#locks = locks;
    this.#holder = holder;
    this.#write(holder);
    this.#timer = setInterval(() => this.#beat(), 1000 * HEARTBEAT_SECONDS) as unknown as number;
    host.unrefTimer(this.#timer); // the timer must not keep the process alive
  }

  /** Throws an error with the code `"ESTALE"` if the folder was removed or replaced since it was locked. */
  assertThere(action: string): void {
    this.#locks[0]?.assertThere(action, "the run folder");
  }

  /** Unlocks the folder. */
  release(): void {
    clearInterval(this.#timer);
    HELD.delete(this.#id);
    try {
      this.#file.truncateSync(0);
    } finally {
      this.#file.close();
      for (const lock of this.#locks) lock?.release();
    }
  }

  #beat(): void {
    try {
      this.#write({ ...this.#holder, heartbeat: new Date().toISOString() });
    } catch {
      // A full disk only delays the heartbeat. The lock of the operating system still holds, and other writers report
      // the disk.
    }
  }

  #write(holder: RunHolder): void {
    const text = `${JSON.stringify({ schema: SCHEMA, ...holder }).padEnd(LENGTH - 1)}\n`;
    this.#file.seekSync(0, 0);
    this.#file.writeSync(new TextEncoder().encode(text));
  }
}

/** Returns an id of a folder that does not depend on the path by which the folder is reached. */
function idOf(host: Host, folder: string): string {
  const { dev, ino } = host.statSync(folder);
  return ino === null ? folder : `${dev}:${ino}`;
}

/**
 * Parses the text of a file `lock`; exported for tests and tools. Returns undefined if the text is empty or was cut
 * off.
 *
 * @throws {SyntaxError} if the text is not that of a lock; the message names the wrong key
 * @throws {RangeError} if a newer version has written it
 */
export function parseLock(text: string, name: string): RunHolder | undefined {
  const isCutOff = !text.endsWith("\n") && START.startsWith(text.slice(0, START.length));
  if (isCutOff && text.length < LENGTH) return undefined;
  const object = parseObject(text, { name, schema: SCHEMA });
  const isText = (value: unknown) => typeof value === "string";
  const refuse = { name, of: object };
  return {
    pid: checked(refuse, "pid", "a positive integer", isPid) as number,
    host: checked(refuse, "host", "a string", isText) as string,
    startTime: checked(refuse, "startTime", "a string or null", (x) => isText(x) || x === null) as
      | string
      | null,
    since: checked(refuse, "since", "a time in ISO 8601", isIsoTime) as string,
    heartbeat: checked(refuse, "heartbeat", "a time in ISO 8601", isIsoTime) as string,
  };
}

function isPid(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/**
 * Returns whether the process that holds a lock is alive. A process on another machine is judged by its heartbeat,
 * one on this machine by its process id and start time. This process itself counts as dead. `written` is the time of
 * the last write in ms.
 */
function isHolding(host: Host, holder: RunHolder, own: RunHolder, written: number): boolean {
  if (holder.host !== own.host) return isAlive(holder, written);
  if (holder.pid === own.pid && holder.startTime === own.startTime) return false;
  // Machines whose names are unknown may differ, and only Linux knows when a process has started.
  if (own.host === UNKNOWN_HOST || holder.startTime === null) return isAlive(holder, written);
  return orDefault(() => startTimeOf(host, holder.pid) === holder.startTime, false);
}

/**
 * Returns whether a lock holder on another machine is alive. Clocks of machines may differ by years. If the heartbeat
 * lies in the future, the time when the file was written is used instead.
 */
function isAlive({ heartbeat }: RunHolder, written: number): boolean {
  const silent = 1000 * SILENT_SECONDS, beat = Date.parse(heartbeat), now = Date.now();
  return now - (beat > now + silent ? written : beat) < silent;
}

/** Returns the time at which the lock file was last written, by the clock of its file system. */
function writtenAt(host: Host, folder: string): number {
  return orDefault(() => host.statSync(`${folder}/lock`).mtime?.getTime() ?? NaN, NaN);
}

function lockHost(folder: string): Host {
  const host = findHost();
  if (host !== undefined) return host;
  throw new TypeError(
    `Cannot open run folder ${folder}: there is no file system, as in a web page`,
  );
}

function openLock(host: Host, folder: string): HostFile {
  try {
    return host.openSync(`${folder}/lock`, { read: true, write: true, create: true });
  } catch (cause) {
    throw refusal(`Cannot write file lock of run folder ${folder}`, cause);
  }
}

function holderIn(file: HostFile, folder: string): RunHolder | undefined {
  const bytes = new Uint8Array(4 * LENGTH); // a longer file was not written here, and fails to parse
  file.seekSync(0, 0);
  const length = file.readSync(bytes) ?? 0;
  return parseLock(new TextDecoder().decode(bytes.subarray(0, length)), `${folder}/lock`);
}

function holderNow(host: Host): RunHolder {
  const now = new Date().toISOString();
  return {
    pid: host.pid,
    host: mayReadHostname(host) ? orDefault(() => host.hostname(), UNKNOWN_HOST) : UNKNOWN_HOST,
    startTime: orDefault(() => startTimeOf(host, host.pid), null),
    since: now,
    heartbeat: now,
  };
}

/**
 * Returns the start time of a process in ticks since the machine started. It is field 22 of /proc/PID/stat, which
 * only Linux has; without this file, an error is thrown. The program's name in parentheses may contain spaces and
 * parentheses, so fields are counted after the last parenthesis.
 */
function startTimeOf(host: Host, pid: number): string | null {
  const stat = host.readTextFileSync(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

/** Returns the result of a function, or `otherwise` if it throws. */
function orDefault<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
