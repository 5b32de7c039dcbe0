import { holdPath, type PathLock } from "../../base/path_lock.ts";

/**
 * A file or folder that one sink writes to: locked while the sink is open. Opening a sink removes data that no
 * flush completed, so a second writer would destroy data that the first is about to commit.
 */
export class HeldPath {
  readonly #path: string;
  #lock: PathLock | undefined;
  #isReported = false;

  /** Creates the holder of a path; nothing is locked yet. */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Locks the path, unless it is locked already. Throws an error with the code `"EBUSY"` if another writer has locked
   * it.
   */
  hold(): void {
    this.#lock ??= holdPath(this.#path, `Cannot open ${this.#path}`);
  }

  /** Throws an error with the code `"ESTALE"`, once, if the path is locked and was removed since. */
  assertThere(): void {
    if (this.#isReported) return; // closing need not report it again
    try {
      this.#lock?.assertThere(`Cannot write to ${this.#path}`, "it");
    } catch (error) {
      this.#isReported = true;
      throw error;
    }
  }

  /** Releases the lock. */
  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
    this.#isReported = false;
  }
}
