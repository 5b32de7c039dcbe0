/**
 * Systems in a file of text that is only added to.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { FileEnd } from "../files/file_end.ts";
import {
  codeOf,
  type OpenFile,
  openFile,
  openPrepared,
  readAt,
  syncFile,
} from "../files/open_file.ts";
import { CHANGED, type CheckedPart } from "../damage.ts";
import { RecordScanner } from "./record_scanner.ts";
import type { Slice } from "../sink.ts";
import { isMeant, looksInside } from "../slice.ts";
import type { TextFormat } from "./text_format.ts";

const CHUNK = 1 << 18;
const MOST_UNFINISHED = 1 << 16;
const MARKED = 256;

/** A record: where its bytes are, and the number of its first line. */
interface Place {
  readonly start: number;
  readonly line: number;
}

/** Where records begin, by bytes and by lines, and where the last ends. */
interface Found {
  readonly starts: readonly number[];
  readonly lines: readonly number[];
  readonly end: number;
}

/** Where records begin, found when one is first read, and from then on as the file grows. */
interface RecordIndex {
  readonly starts: number[];
  readonly lines: number[];
  /** How far the file was searched. */
  searched: { readonly end: number; readonly endLine: number };
  /** The text before that end: another one means that the file was written anew. */
  mark: string;
}

function emptyIndex(): RecordIndex {
  return { starts: [], lines: [], searched: { end: 0, endLine: 1 }, mark: "" };
}

/** A file of records. What is added is there whole or not at all. */
export class TextStore<T> {
  readonly #path: string;
  readonly #format: TextFormat<T>;
  #open: { readonly file: OpenFile; readonly end: FileEnd } | undefined;
  #length = 0;
  #last: Place | undefined;
  #known: RecordIndex = emptyIndex();
  /** The last search for records: each goes on from the end of the one before. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(path: string, format: TextFormat<T>) {
    this.#path = path;
    this.#format = format;
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
    const systems = batch.systems();
    const header = end.size === 0 ? this.#format.header(systems) : "";
    const records = systems.map((system) => this.#format.encode(system));
    const bytes = new TextEncoder().encode(header + records.join(""));
    await end.add(bytes);
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
    this.#last = undefined;
    this.#forget();
  }

  async truncate(length: number): Promise<void> {
    const { starts, lines } = await this.#index(this.#open!.file);
    await this.#open!.end.cut(starts[length]!);
    this.#length = length;
    this.#last = { start: starts[length - 1]!, line: lines[length - 1]! };
    this.#forget();
  }

  async close(): Promise<void> {
    const file = this.#open?.file;
    this.#open = undefined;
    await file?.close();
  }

  async last(): Promise<T | undefined> {
    if (this.#last === undefined || this.#open === undefined) return undefined;
    const { start, line } = this.#last, { file, end } = this.#open;
    return this.#format.decode(await this.#text(file, start, end.size), line);
  }

  /** Some of the records, one by one. Nothing is made or changed where the file was not opened. */
  async *frames(slice: Slice): AsyncGenerator<T, void> {
    const file = await this.#openToRead();
    if (file === undefined) return;
    try {
      const { end, starts, lines } = await this.#index(file);
      const count = starts.length;
      for (let i = slice.from ?? 0; i < Math.min(slice.to ?? count, count); i++) {
        const line = lines[i]!;
        const text = await this.#text(file, starts[i]!, starts[i + 1] ?? end);
        if (looksInside(slice) && !isMeant(this.#format.stamp(text, line), slice)) continue;
        yield this.#format.decode(text, line);
      }
    } finally {
      await file.close();
    }
  }

  /** Compares all records with their check sums. */
  async *check(): AsyncGenerator<CheckedPart, void> {
    const file = await openFile(this.#path, "r");
    try {
      const { size } = await file.stat();
      const { end, starts, lines } = await this.#index(file);
      for (const [i, start] of starts.entries()) {
        const line = lines[i]!;
        yield checkedRecord(
          this.#format,
          await this.#text(file, start, starts[i + 1] ?? end),
          line,
        );
      }
      if (end < size && (await this.#text(file, end, size)).trim() !== "") {
        const reason = "the file ends with a part of a record";
        yield { place: `byte ${end}`, reason, isSummed: true, systems: 0 };
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

  /** Looks at all that is there, and takes off what a kill has left unfinished. */
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
      await this.#checkRest(file, scanner, size);
      await end.cut(scanner.end);
    }
    [this.#length, this.#last] = [length, last];
    this.#forget();
    return end;
  }

  /** Finds records from where it last stopped; answers with where they begin, and where the last ends. */
  #index(file: OpenFile): Promise<Found> {
    const looking = this.#looking.then(() => this.#look(file));
    this.#looking = looking.catch(() => {}); // told to whoever asked
    return looking;
  }

  async #look(file: OpenFile): Promise<Found> {
    const size = this.#open?.end.size ?? (await file.stat()).size;
    if (await this.#markOf(file) !== this.#known.mark) this.#forget(); // another has written it anew
    const known = this.#known, { starts, lines } = known;
    const found: Place[] = [];
    const scanner = new RecordScanner(this.#format, known.searched);
    await this.#scan(file, scanner, size, (start, line) => void found.push({ start, line }));
    if (scanner.end < size) await this.#checkRest(file, scanner, size);
    for (const { start, line } of found) {
      starts.push(start);
      lines.push(line);
    }
    const { end, endLine } = scanner;
    if (known !== this.#known) return { starts, lines, end }; // emptied meanwhile
    known.searched = { end, endLine };
    known.mark = await this.#markOf(file);
    if (this.#open === undefined) this.#length = starts.length;
    return { starts, lines, end };
  }

  async #markOf(file: OpenFile): Promise<string> {
    const { end } = this.#known.searched;
    const from = Math.max(0, end - MARKED);
    return new TextDecoder().decode(await readAt(file, from, end - from));
  }

  #forget(): void {
    this.#known = emptyIndex();
  }

  async #scan(
    file: OpenFile,
    scanner: RecordScanner,
    size: number,
    found: (start: number, line: number) => void,
  ): Promise<void> {
    for (let at = scanner.end; at < size; at += CHUNK) {
      scanner.push(await readAt(file, at, Math.min(CHUNK, size - at)), found);
    }
  }

  /** Throws where the rest of the file is not what a kill has left of ours. */
  async #checkRest(
    file: OpenFile,
    { end, endLine }: RecordScanner,
    size: number,
  ): Promise<void> {
    const bytes = await readAt(file, end, Math.min(size - end, MOST_UNFINISHED));
    const text = new TextDecoder().decode(bytes);
    if (this.#format.isUnfinished(text)) return;
    throw new SyntaxError(
      `Cannot open ${this.#path} as it must end with a whole record: line ${endLine} begins one that is not, ${
        JSON.stringify(text.slice(0, 60))
      }`,
    );
  }

  async #text(file: OpenFile, start: number, end: number): Promise<string> {
    const bytes = await readAt(file, start, end - start);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (cause) {
      throw new SyntaxError(
        `Cannot read ${this.#path} as it must be text in UTF-8: bytes ${start} … ${end} are not`,
        { cause },
      );
    }
  }
}

/** Compares a record with its check sum, and reads it. Blank lines after it belong to its text. */
function checkedRecord<T>(format: TextFormat<T>, text: string, line: number): CheckedPart {
  const sum = format.isAsWritten?.(text);
  const part = { place: `line ${line}`, isSummed: sum !== undefined, systems: 1 };
  if (sum === false) return { ...part, reason: CHANGED };
  try {
    format.decode(text, line);
  } catch (error) {
    return { ...part, reason: (error as Error).message };
  }
  return part;
}
