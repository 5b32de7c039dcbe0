import type { FileEnd } from "./file_end.ts";
import type { OpenFile } from "./open_file.ts";
import { WriterQueue } from "./writer_queue.ts";

/** An open file to which bytes are appended in the background, in order. */
export class AddedFile {
  readonly #file: OpenFile;
  readonly #end: FileEnd;
  readonly #queue = new WriterQueue();

  constructor(file: OpenFile, end: FileEnd) {
    this.#file = file;
    this.#end = end;
  }

  /**
   * Appends bytes. Returns a promise to await if the disk does not keep up. Throws the first error of earlier writes.
   */
  add(bytes: Uint8Array): void | Promise<void> {
    return this.#queue.add(() => this.#end.add(bytes), bytes.length);
  }

  /** Waits until everything is in the file. Throws the first write error that no earlier call has thrown. */
  written(): Promise<void> {
    return this.#queue.flush();
  }

  /** Waits until everything is on the disk. Throws the first write error that no earlier call has thrown. */
  async flush(): Promise<void> {
    await this.#queue.flush();
    await this.#file.datasync();
  }

  /** Writes pending bytes and closes the file. Throws the first write error that no earlier call has thrown. */
  async close(): Promise<void> {
    try {
      await this.#queue.flush();
    } finally {
      await this.#file.close();
    }
  }
}
