/**
 * Files of JSON Lines.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import type { Host, HostFile } from "../../platform/host.ts";
import { fileSystemFor, pathIn } from "./file_system.ts";
import { jsonLine } from "../training/json_line.ts";

const ENCODER = new TextEncoder();

/**
 * A file of JSON Lines in the subfolder `logs` of the output folder. `write` hands each line to the operating system
 * before it returns.
 */
export class LogFile {
  readonly #folder: string;
  readonly #fileName: string | undefined;
  #file: HostFile | undefined;
  /** Path of the file; `undefined` until it is opened for the first time. */
  path: string | undefined;

  constructor(outputDir: string | URL, fileName: string | undefined) {
    this.#folder = pathIn(outputDir, "logs");
    this.#fileName = fileName;
  }

  /** True while the file is open. */
  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  /**
   * Creates the folder, and opens the file with the given name for appending. Without a name, creates a new file
   * whose name contains the time.
   */
  open(): void {
    const files = fileSystemFor("JsonLog");
    attempt(
      `Cannot create folder ${this.#folder}`,
      () => files.mkdirSync(this.#folder, { recursive: true }),
    );
    if (this.#fileName === undefined) return this.#openNew(files);
    const path = this.path = pathIn(this.#folder, this.#fileName);
    const isUnfinished = hasUnfinishedLine(files, path);
    this.#file = attempt(
      `Cannot open ${path}`,
      () => files.openSync(path, { append: true, create: true }),
    );
    if (isUnfinished) this.#writeAll("\n"); // a line that was cut off must not join the next one
  }

  #openNew(files: Host): void {
    const stamp = new Date().toISOString().replace(/[:.]/g, "-");
    for (let n = 1;; n++) {
      const path = pathIn(this.#folder, `training_${stamp}${n === 1 ? "" : `-${n}`}.jsonl`);
      try {
        this.#file = files.openSync(path, { append: true, createNew: true });
        this.path = path;
        return;
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw refusal(`Cannot open ${path}`, error);
      }
    }
  }

  /** Writes one line with a single call. */
  write(values: Readonly<Record<string, unknown>>): void {
    this.#writeAll(`${jsonLine(values)}\n`);
  }

  /** Closes the file, if it is open. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #writeAll(text: string): void {
    let bytes = ENCODER.encode(text);
    attempt(`Cannot write ${this.path}`, () => {
      while (bytes.length > 0) bytes = bytes.subarray(this.#file!.writeSync(bytes));
    });
  }
}

/** Returns the result of a function. If the function throws, throws an error that names the action. */
function attempt<T>(action: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusal(action, error);
  }
}

function hasUnfinishedLine(files: Host, path: string): boolean {
  try {
    const text = files.readTextFileSync(path);
    return text !== "" && !text.endsWith("\n");
  } catch {
    return false; // the file does not exist
  }
}
