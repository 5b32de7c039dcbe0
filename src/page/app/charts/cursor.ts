/**
 * State that the charts of a run share: the visible part, the cursor, and the step whose structure is shown.
 *
 * @module
 */

import type { View } from "./chart_data.ts";

/** State that charts share. */
export interface SharedCursor {
  /** Visible part; undefined if all is visible. */
  readonly view: View | undefined;
  /** Step under the pointer. */
  readonly step: number | undefined;
  /** Step that the user has picked, to show its structure. */
  readonly picked: number | undefined;
  /** Step whose structure is shown, if it is not the newest one. */
  readonly pinned: number | undefined;
}

/** Part of the shared state that changed. */
export type CursorPart = keyof SharedCursor;

/** Keeps the shared state of charts, and reports its changes. */
export class CursorStore {
  #state: SharedCursor = { view: undefined, step: undefined, picked: undefined, pinned: undefined };
  readonly #listeners = new Set<(part: CursorPart) => void>();

  get state(): SharedCursor {
    return this.#state;
  }

  /** Calls the function after each change, and returns a function that ends this. */
  listen(listener: (part: CursorPart) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Changes a part of the state. */
  set<Part extends CursorPart>(part: Part, value: SharedCursor[Part]): void {
    if (this.#state[part] === value) return;
    this.#state = { ...this.#state, [part]: value };
    for (const listener of this.#listeners) listener(part);
  }

  /** Picks the step whose structure is to be shown. */
  pick(step: number): void {
    this.set("pinned", step);
    this.set("picked", step);
  }
}
