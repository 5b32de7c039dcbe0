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

/** A file of records. What is added is there whole or not at all. */
export class TextStore<T> {
  readonly #path: string;
  readonly #format: TextFormat<T>;
  #file: OpenFile | undefined;
  #end: FileEnd | undefined;
  #length = 0;
  #last: Place | undefined;
  // Where records begin, found when somebody first asks for one, and from then on as the file grows.
  #starts: number[] = [];
  #lines: number[] = [];
  #indexed = { end: 0, endLine: 1 };
  #mark = ""; // what stands before that end
  /** The last who looks for records: each goes on where the one before has stopped. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(path: string, format: TextFormat<T>) {
    this.#path = path;
    this.#format = format;
  }

  get length(): number {
    return this.#length;
  }

  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    this.#file = await openPrepared(this.#path, (file) => this.#begin(file));
  }

  async append(batch: Batch, counted: () => void): Promise<void> {
    const end = this.#end!;
    const systems = batch.systems();
    const header = end.size === 0 ? this.#format.header(systems) : "";
    const records = systems.map((system) => this.#format.encode(system));
    const bytes = new TextEncoder().encode(header + records.join(""));
    await end.add(bytes);
    this.#length += systems.length;
    counted();
  }

  async sync(): Promise<void> {
    if (this.#file !== undefined) await syncFile(this.#file, this.#path);
  }

  async clear(): Promise<void> {
    await this.open();
    await this.#end!.cut(0, "empty");
    this.#length = 0;
    this.#last = undefined;
    this.#forget();
  }

  async truncate(length: number): Promise<void> {
    const { starts, lines } = await this.#index(this.#file!);
    await this.#end!.cut(starts[length]!);
    this.#length = length;
    this.#last = { start: starts[length - 1]!, line: lines[length - 1]! };
    this.#forget();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = this.#end = undefined;
    await file?.close();
  }

  async last(): Promise<T | undefined> {
    if (this.#last === undefined || this.#file === undefined) return undefined;
    const { start, line } = this.#last;
    return this.#format.decode(await this.#text(this.#file, start, this.#end!.size), line);
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

  async #openToRead(): Promise<OpenFile | undefined> {
    try {
      return await openFile(this.#path, "r");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Looks at all that is there, and takes off what a kill has left unfinished. */
  async #begin(file: OpenFile): Promise<void> {
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
    [this.#end, this.#length, this.#last] = [end, length, last];
    this.#forget();
  }

  /** Finds records from where it last stopped; answers with where they begin, and where the last ends. */
  #index(file: OpenFile): Promise<Found> {
    const looking = this.#looking.then(() => this.#look(file));
    this.#looking = looking.catch(() => {}); // told to whoever asked
    return looking;
  }

  async #look(file: OpenFile): Promise<Found> {
    const size = this.#end?.size ?? (await file.stat()).size;
    if (await this.#markOf(file) !== this.#mark) this.#forget(); // another has written it anew
    const [starts, lines] = [this.#starts, this.#lines];
    const found: Place[] = [];
    const scanner = new RecordScanner(this.#format, this.#indexed);
    await this.#scan(file, scanner, size, (start, line) => void found.push({ start, line }));
    if (scanner.end < size) await this.#checkRest(file, scanner, size);
    for (const { start, line } of found) {
      starts.push(start);
      lines.push(line);
    }
    const { end, endLine } = scanner;
    if (starts !== this.#starts) return { starts, lines, end }; // emptied meanwhile
    this.#indexed = { end, endLine };
    this.#mark = await this.#markOf(file);
    if (this.#file === undefined) this.#length = starts.length;
    return { starts, lines, end };
  }

  async #markOf(file: OpenFile): Promise<string> {
    const from = Math.max(0, this.#indexed.end - MARKED);
    return new TextDecoder().decode(await readAt(file, from, this.#indexed.end - from));
  }

  #forget(): void {
    this.#starts = [];
    this.#lines = [];
    this.#indexed = { end: 0, endLine: 1 };
    this.#mark = "";
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
