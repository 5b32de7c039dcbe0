/**
 * The folder of a run of this process: what its files show and the engine does not.
 *
 * @module
 */

import type { RunEvent } from "../protocol.ts";
import type { FolderRun } from "./folder_run.ts";

type Scalars = Extract<RunEvent, { readonly type: "scalars" }>;

/** Follows the files of a run folder while its engine runs in this process. */
export class FolderPart {
  /** The folder. */
  readonly run: FolderRun;
  readonly #end = new AbortController();
  #reading: Promise<void> | undefined;

  /** Does not follow the files yet. */
  constructor(run: FolderRun) {
    this.run = run;
  }

  /** Begins to hand on events of the folder, those of earlier parts of the run first. Does nothing if it has begun. */
  follow(receive: (event: RunEvent) => void): void {
    this.#reading ??= (async () => {
      for await (const event of this.run.events(this.#end.signal)) receive(event);
    })();
  }

  /** Stops to follow, and closes the files. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#reading;
    await this.run.close();
  }
}

/**
 * Returns rows of the folder that the engine does not show: rows of earlier parts whole, and of this part the scalars
 * that are not in `live`.
 *
 * @param begun number of steps done when this part began
 */
export function rowsBeside(
  { names, rows }: Scalars,
  begun: number,
  live: ReadonlySet<string>,
): readonly Scalars[] {
  const isEarlier = (step: number) => begun > 0 && step <= begun;
  const earlier = rows.filter(([step]) => isEarlier(step!));
  const later = rows.filter(([step]) => !isEarlier(step!));
  const kept = names.flatMap((name, i) => live.has(name) ? [] : [i]);
  const found: Scalars[] = [];
  if (earlier.length > 0) found.push({ type: "scalars", names, rows: earlier });
  if (later.length > 0 && kept.length > 0) {
    found.push({
      type: "scalars",
      names: kept.map((i) => names[i]!),
      rows: later.map((row) => [row[0]!, ...kept.map((i) => row[i + 1]!)]),
    });
  }
  return found;
}
