import { lockPath, type PathLock } from "../../base/path_lock.ts";
import { busyError } from "./open_file.ts";

/** A file or folder that one sink writes to: locked while the sink is open. */
export class HeldPath {
  readonly #path: string;
  #lock: PathLock | undefined;

  /** Creates the holder of a path; nothing is locked yet. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Locks it, unless it is locked already. Throws an error with the code `"EBUSY"` if another writer has it. */
  hold(): void {
    if (this.#lock !== undefined) return;
    this.#lock = lockPath(this.#path);
    if (this.#lock === undefined) throw busyError(this.#path);
  }

  /** Gives it back. */
  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}
