/**
 * What a run folder can do, and for whom.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";
import type { AddOptions } from "../../hooks/registry/add_options.ts";
import type { ScalarHistory } from "../../observe/mod.ts";
import type { RunData } from "./read_run.ts";

/** An engine that a run folder can be attached to: any of dynamics, a trainer, a loop. */
export interface FolderEngine extends Workflow {
  /** Its hooks. */
  readonly hooks: Workflow["hooks"] & { add(hook: never, options?: AddOptions): unknown };
}

/** The folder of a run, as `openRunFolder` gives it: ours until it is closed. */
export interface RunFolder extends AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** The id of the run. */
  readonly id: string;
  /** The configuration; `null` where there is none. */
  readonly config: unknown;
  /** The scalars so far. */
  readonly history: ScalarHistory;
  /** The engine that it is attached to. */
  readonly engine: FolderEngine | undefined;
  /**
   * Has an engine write into this folder: adds the hooks `runReport`, `runLog`, `reporter`, and, as they were asked for,
   * `profiler`, `trajectory` and `checkpoints`. One engine for each folder.
   *
   * @throws {Error} where it has one already, or is closed
   */
  attach(engine: FolderEngine): void;
  /** The checkpoints that are there, the newest first. */
  checkpoints(): Promise<{ readonly path: string; readonly step: number }[]>;
  /** All that is known of the run by now: what `readRun` gives, with the scalars that this process has. */
  data(): Promise<RunData>;
  /** Writes the report, and answers with where it is. */
  writeReport(format?: "html" | "markdown"): Promise<string>;
  /** Gives the folder back: another run may have it. Rejects with an Error while the hooks of its engine are open. */
  close(): Promise<void>;
}
