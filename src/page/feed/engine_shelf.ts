/**
 * The shelf of a process that shows its own run.
 *
 * @module
 */

import type { RunInfo } from "../protocol.ts";
import type { EngineRun } from "./engine_run.ts";
import type { Shelf, ShelvedRun } from "./run_shelf.ts";

/** Shows one run of this process. */
export class EngineShelf implements Shelf {
  readonly #run: EngineRun;

  /** Shows a run. */
  constructor(run: EngineRun) {
    this.#run = run;
  }

  /** See {@linkcode Shelf.list}. */
  async list(): Promise<readonly RunInfo[]> {
    return [await this.#run.info()];
  }

  /** See {@linkcode Shelf.find}. */
  find(id: string): Promise<ShelvedRun | undefined> {
    return Promise.resolve(id === this.#run.id ? this.#run : undefined);
  }

  /** See {@linkcode Shelf.close}. */
  close(): Promise<void> {
    return this.#run.close();
  }
}
