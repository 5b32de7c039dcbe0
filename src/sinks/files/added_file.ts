import type { FileEnd } from "./file_end.ts";
import type { OpenFile } from "./open_file.ts";
import { WriterQueue } from "./writer_queue.ts";

/** An open file that is added to in the background, in order. */
export class AddedFile {
  readonly #file: OpenFile;
  readonly #end: FileEnd;
  readonly #queue = new WriterQueue();

  constructor(file: OpenFile, end: FileEnd) {
    this.#file = file;
    this.#end = end;
  }

  /** Adds bytes. Answers with something to await when the disk does not keep up; throws what went wrong before. */
  add(bytes: Uint8Array): void | Promise<void> {
    return this.#queue.add(() => this.#end.add(bytes), bytes.length);
  }

  /** Waits until all is in the file. Throws what went wrong since somebody last asked. */
  written(): Promise<void> {
    return this.#queue.flush();
  }

  /** The same, and safe. */
  async flush(): Promise<void> {
    await this.#queue.flush();
    await this.#file.datasync();
  }

  /** Writes what is left, and closes the file. Throws what went wrong since somebody last asked. */
  async close(): Promise<void> {
    try {
      await this.#queue.flush();
    } finally {
      await this.#file.close();
    }
  }
}
