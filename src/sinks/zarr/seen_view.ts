/**
 * The last view of a store.
 *
 * @module
 */

import { type Host, markOf } from "./files.ts";
import { StoreView } from "./store_view.ts";

/** Opens the view of a store, and keeps it until the store changes. */
export class SeenView {
  readonly #path: string;
  #view: StoreView | undefined;
  /** Mark of the `zarr.json` at that time, which shows changes by other processes. */
  #mark: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Drops the view, because the store changes. */
  drop(): void {
    this.#view = undefined;
  }

  /**
   * Returns the current view. A store of Hooke has changed if its `zarr.json` was replaced. A store of another
   * program is read anew each time, because its `zarr.json` does not show its changes. If `isWriting` is true, only
   * this process changes the store.
   */
  async at(host: Host, isWriting: boolean): Promise<StoreView | undefined> {
    if (!isWriting) {
      const mark = await markOf(host.fs, `${this.#path}/zarr.json`);
      if (mark !== this.#mark || !this.#view?.root.isOurs) this.#view = undefined;
      this.#mark = mark;
    }
    return this.#view ??= await StoreView.open(host, this.#path);
  }
}
