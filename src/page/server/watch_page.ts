/**
 * The page of a run in this process.
 *
 * @module
 */

import { EngineRun } from "../feed/engine_run.ts";
import { EngineShelf } from "../feed/engine_shelf.ts";
import { FolderRun } from "../feed/folder_run.ts";
import type { WatchedEngine, WatchedFacts } from "../feed/watched_engine.ts";
import { pageAsset } from "./page_assets.ts";
import { type ServedPage, servePage } from "./serve_page.ts";

/** Time between two looks at the files of the folder, ms. They are of this process, so that a look takes its time. */
const LOOK = 2000;

/** Time between two looks at the number of clients, ms. */
const POLL = 200;

/** Options of {@linkcode WatchPage.open}. */
export interface WatchPageOptions {
  /** Name or address of the interface. @default "127.0.0.1" */
  readonly host?: string;
  /** Port; 0 for any unused port. */
  readonly port: number;
  /** Signal that interrupts the run; it also ends a pause. */
  readonly signal?: AbortSignal;
  /** Stops the run. @default the stop of its engine */
  readonly stop?: () => void;
  /** Called after a command was carried out, with a sentence about it. */
  readonly onCommand?: (text: string) => void;
}

/** A page that shows a run of this process. */
export class WatchPage {
  readonly #run: EngineRun;
  readonly #page: ServedPage;

  /** Begins to serve. */
  static async open(facts: WatchedFacts, options: WatchPageOptions): Promise<WatchPage> {
    const { host = "127.0.0.1", port, signal, stop, onCommand } = options;
    const run = new EngineRun({ facts, signal, stop, ...(onCommand && { onCommand }) });
    const page = await servePage({ shelf: new EngineShelf(run), host, port, assets: pageAsset });
    return new WatchPage(run, page);
  }

  private constructor(run: EngineRun, page: ServedPage) {
    this.#run = run;
    this.#page = page;
  }

  /** Address of the page, with its token. */
  get url(): string {
    return this.#page.url;
  }

  /** Warning if other machines can reach the page; undefined if only this machine can. */
  get warning(): string | undefined {
    return this.#page.warning;
  }

  /** True if the page is open in a browser. */
  get isOpen(): boolean {
    return this.#run.isWatched();
  }

  /** Shows an engine. See {@linkcode EngineRun.attach}. */
  attach(engine: WatchedEngine, isShared = false): void {
    this.#run.attach(engine, isShared);
  }

  /** Shows a warning. */
  warn(message: string): void {
    this.#run.warn(message);
  }

  /** Shows the files of the run folder, which must exist. */
  async openFolder(path: string): Promise<void> {
    this.#run.show(await FolderRun.open({ path, id: this.#run.id, interval: LOOK }));
  }

  /** Settles when the page was closed in all browsers for `away` ms, or the signal aborts. */
  async closed(signal: AbortSignal, away: number): Promise<void> {
    let since = performance.now();
    while (!signal.aborted && performance.now() - since < away) {
      if (this.isOpen) since = performance.now();
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
  }

  /** Stops the server. */
  async close(): Promise<void> {
    await this.#page.close();
  }
}
