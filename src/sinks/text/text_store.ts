/**
 * Systems in a text file to which records are appended.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { printWarning } from "../../base/print_warning.ts";
import { FileEnd } from "../files/file_end.ts";
import {
  codeOf,
  type OpenFile,
  openFile,
  openPrepared,
  readAt,
  syncFile,
} from "../files/open_file.ts";
import type { CheckedPart } from "../damage.ts";
import { checkRecords } from "./check_records.ts";
import { RecordScanner } from "./record_scanner.ts";
import { RecordTexts } from "./record_texts.ts";
import type { Slice } from "../sink.ts";
import { isSelected, selectsByStamp } from "../slice.ts";
import { systemViews } from "./system_views.ts";
import type { TextFormat } from "./text_format.ts";
import { checkUnfinished, cutWarning, isWhole, partWarning } from "./unfinished.ts";

/** Matches the beginning of an error message of a format. */
const FORMAT = /^Cannot read (extxyz|JSONL|CSV)\b/;

const CHUNK = 1 << 18;
const MARKED = 256;

/** Location of a record: the position of its first byte, and the number of its first line. */
interface Place {
  readonly start: number;
  readonly line: number;
}

/** Positions of the first bytes of records, their first lines, and the end of the last record. */
interface Found {
  readonly starts: readonly number[];
  readonly lines: readonly number[];
  readonly end: number;
  readonly endLine: number;
}

/**
 * Positions and first lines of records. They are found on the first read, and the index is extended as the
 * file grows.
 */
interface RecordIndex {
  readonly starts: number[];
  readonly lines: number[];
  /** End of the part of the file that was scanned. */
  searched: { readonly end: number; readonly endLine: number };
  /** Text before `searched.end`. If the file has another text there, another program has rewritten the file. */
  mark: string;
}

function emptyIndex(): RecordIndex {
  return { starts: [], lines: [], searched: { end: 0, endLine: 1 }, mark: "" };
}

/** A file of records. Each record is appended entirely or not at all. */
export class TextStore<T> {
  readonly #path: string;
  readonly #format: TextFormat<T>;
  readonly #onWarning: (message: string) => void;
  #open: { readonly file: OpenFile; readonly end: FileEnd } | undefined;
  #length = 0;
  /** The last record, and the index of the record from which on all records have checksums, if they are known. */
  readonly #tail: { last: Place | undefined; sumsFrom: number | undefined } = {
    last: undefined,
    sumsFrom: undefined,
  };
  #known: RecordIndex = emptyIndex();
  #hasWarned = false;
  /**
   * Promise that settles when the last scan for records is done. Each scan continues at the end of the previous one.
   */
  #scanning: Promise<unknown> = Promise.resolve();

  constructor(path: string, format: TextFormat<T>, onWarning?: (message: string) => void) {
    this.#path = path;
    this.#format = format;
    this.#onWarning = onWarning ?? printWarning;
  }

  get length(): number {
    return this.#length;
  }

  async open(): Promise<void> {
    if (this.#open !== undefined) return;
    this.#open = await openPrepared(
      this.#path,
      async (file) => ({ file, end: await this.#begin(file) }),
    );
  }

  async append(batch: Batch, counted: () => void): Promise<void> {
    const { end } = this.#open!;
    const systems = [...systemViews(batch)];
    const header = end.size === 0 ? this.#format.header(systems) : "";
    const from = this.#tail.sumsFrom ??= await this.#findSums();
    await end.add(joined([header, ...systems.map((system) => this.#format.encode(system, from))]));
    this.#length += systems.length;
    counted();
  }

  async sync(): Promise<void> {
    if (this.#open !== undefined) await syncFile(this.#open.file, this.#path);
  }

  async clear(): Promise<void> {
    await this.open();
    await this.#open!.end.cut(0, "empty");
    this.#length = 0;
    this.#tail.last = this.#tail.sumsFrom = undefined;
    this.#resetIndex();
  }

  async truncate(length: number): Promise<void> {
    const { starts, lines } = await this.#index(this.#open!.file);
    await this.#open!.end.cut(starts[length]!);
    this.#length = length;
    this.#tail.last = { start: starts[length - 1]!, line: lines[length - 1]! };
    this.#tail.sumsFrom = undefined;
    this.#resetIndex();
  }

  async close(): Promise<void> {
    const file = this.#open?.file;
    this.#open = undefined;
    await file?.close();
  }

  async last(): Promise<T | undefined> {
    if (this.#tail.last === undefined || this.#open === undefined) return undefined;
    const { start, line } = this.#tail.last, { file, end } = this.#open;
    return this.#decode(await this.#text(file, start, end.size), line);
  }

  #decode(text: string, line: number): T {
    return this.#named(() => this.#format.decode(text, line));
  }

  /** Replaces the name of the format in errors by the path of the file. */
  #named<R>(work: () => R): R {
    try {
      return work();
    } catch (error) {
      throw inFile(this.#path, error);
    }
  }

  /** Yields the records of a slice. A file that does not exist is not created. */
  async *frames(slice: Slice): AsyncGenerator<T, void> {
    const file = await this.#openToRead();
    if (file === undefined) return;
    try {
      const { end, starts, lines } = await this.#index(file);
      const count = starts.length, to = Math.min(slice.to ?? count, count);
      const texts = new RecordTexts(file, this.#path, starts[to] ?? end);
      for (let i = slice.from ?? 0; i < to; i++) {
        const line = lines[i]!;
        const text = await texts.text(starts[i]!, starts[i + 1] ?? end);
        const isWanted = !selectsByStamp(slice) ||
          isSelected(this.#named(() => this.#format.stamp(text, line)), slice);
        if (isWanted) yield this.#decode(text, line);
      }
    } finally {
      await file.close();
    }
  }

  /** Compares all records with their checksums, and reports an incomplete record at the end of the file. */
  async *check(): AsyncGenerator<CheckedPart, void> {
    const file = await openFile(this.#path, "r");
    try {
      const { size } = await file.stat();
      const { end, endLine, starts, lines } = await this.#index(file);
      const texts = new RecordTexts(file, this.#path, end);
      const textOf = (i: number) => texts.text(starts[i]!, starts[i + 1] ?? end);
      yield* checkRecords(this.#format, [...lines, endLine], textOf);
      if (end < size && (await this.#text(file, end, size)).trim() !== "") {
        const reason = "the file ends with an incomplete record";
        yield { place: `line ${endLine}`, reason, isSummed: true, systems: 0 };
      }
    } finally {
      await file.close();
    }
  }

  async #openToRead(): Promise<OpenFile | undefined> {
    try {
      return await openFile(this.#path, "r");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * Scans the whole file. Appends the newline to a last record that lacks only its newline, and removes any other
   * unfinished record that a killed process left. Returns the end of the file, for appending.
   */
  async #begin(file: OpenFile): Promise<FileEnd> {
    const { size } = await file.stat();
    const scanner = new RecordScanner(this.#format);
    let length = 0;
    let last: Place | undefined;
    await this.#scan(file, scanner, size, (start, line) => {
      length++;
      last = { start, line };
    });
    const end = new FileEnd(file, this.#path, size);
    if (scanner.end < size) {
      const rest = await this.#checkRest(file, scanner, size);
      if (isWhole(this.#format, rest)) {
        await end.add(new TextEncoder().encode("\n"));
        last = { start: scanner.end, line: scanner.endLine };
        length++;
      } else {
        // Records are appended, so a part of a record there would merge with the next one.
        await end.cut(scanner.end);
        this.#onWarning(cutWarning(this.#path, scanner, size));
      }
    }
    [this.#length, this.#tail.last, this.#tail.sumsFrom] = [length, last, undefined];
    this.#resetIndex();
    return end;
  }

  /**
   * Returns the index of the record from which on all records have checksums. Earlier records were written by another
   * program.
   */
  async #findSums(): Promise<number> {
    if (this.#tail.last === undefined || this.#format.sumOf === undefined) return 0;
    const { file, end } = this.#open!;
    const text = await this.#text(file, this.#tail.last.start, end.size);
    const { from = this.#length } = this.#format.sumOf(text);
    return Math.min(from, this.#length);
  }

  /**
   * Scans the file from the end of the last scan. Returns the positions of all records, and the end of the last
   * record.
   */
  #index(file: OpenFile): Promise<Found> {
    const scanning = this.#scanning.then(() => this.#scanAll(file));
    this.#scanning = scanning.catch(() => {}); // the caller receives the error
    return scanning;
  }

  async #scanAll(file: OpenFile): Promise<Found> {
    const size = this.#open?.end.size ?? (await file.stat()).size;
    if (await this.#markOf(file) !== this.#known.mark) this.#resetIndex(); // another program has rewritten it
    const known = this.#known, { starts, lines } = known;
    const found: Place[] = [];
    const scanner = new RecordScanner(this.#format, known.searched);
    await this.#scan(file, scanner, size, (start, line) => void found.push({ start, line }));
    const isLastWhole = scanner.end < size && await this.#isLastWhole(file, scanner, size);
    for (const { start, line } of found) {
      starts.push(start);
      lines.push(line);
    }
    const { end, endLine } = scanner;
    const all = isLastWhole
      ? { starts: [...starts, end], lines: [...lines, endLine], end: size, endLine: endLine + 1 }
      : { starts, lines, end, endLine };
    if (known !== this.#known) return all; // the index was reset meanwhile
    known.searched = { end, endLine }; // a last record that lacks its newline is scanned again
    known.mark = await this.#markOf(file);
    if (this.#open === undefined) this.#length = all.starts.length;
    return all;
  }

  /**
   * Returns whether the text after the last complete record is a record that lacks only its newline. If it is not,
   * warns once.
   */
  async #isLastWhole(file: OpenFile, scanner: RecordScanner, size: number): Promise<boolean> {
    const rest = await this.#checkRest(file, scanner, size);
    if (isWhole(this.#format, rest)) return true;
    if (!this.#hasWarned && this.#open === undefined) {
      this.#hasWarned = true;
      this.#onWarning(partWarning(this.#path, scanner, size));
    }
    return false;
  }

  async #markOf(file: OpenFile): Promise<string> {
    const { end } = this.#known.searched;
    const from = Math.max(0, end - MARKED);
    return new TextDecoder().decode(await readAt(file, from, end - from));
  }

  #resetIndex(): void {
    this.#known = emptyIndex();
  }

  async #scan(
    file: OpenFile,
    scanner: RecordScanner,
    size: number,
    found: (start: number, line: number) => void,
  ): Promise<void> {
    for (let at = scanner.end; at < size; at += CHUNK) {
      const bytes = await readAt(file, at, Math.min(CHUNK, size - at));
      this.#named(() => scanner.push(bytes, found));
    }
  }

  /**
   * Returns the text after the last complete record. Throws a SyntaxError if it is not an unfinished record that a
   * killed process left.
   */
  #checkRest(file: OpenFile, { end, endLine }: RecordScanner, size: number): Promise<string> {
    return checkUnfinished(this.#format, file, { path: this.#path, end, endLine, size });
  }

  #text(file: OpenFile, start: number, end: number): Promise<string> {
    return new RecordTexts(file, this.#path, end).text(start, end);
  }
}

const encoder = new TextEncoder();

/** Returns texts and bytes as the bytes of one text. */
function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const all = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the error of a format with the path in place of the name of the format, and any other error unchanged. */
function inFile(path: string, error: unknown): unknown {
  const isOfFormat = error instanceof SyntaxError || error instanceof RangeError;
  if (!isOfFormat || !FORMAT.test(error.message)) return error;
  const message = error.message.replace(FORMAT, `Cannot read ${path}`);
  return new (error instanceof SyntaxError ? SyntaxError : RangeError)(message, { cause: error });
}
