/**
 * Types of run folders and of engines that write to them.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";
import type { AddOptions } from "../../hooks/registry/add_options.ts";
import type { ScalarHistory } from "../../observe/mod.ts";
import type { RunData } from "./read_run.ts";

/** An engine that a run folder can be attached to: any engine of dynamics, a trainer, or a loop. */
export interface FolderEngine extends Workflow {
  /** Hooks of the engine. */
  readonly hooks: Workflow["hooks"] & { add(hook: never, options?: AddOptions): unknown };
}

/** An open run folder, as `openRunFolder` returns it. It is locked until it is closed. */
export interface RunFolder extends AsyncDisposable {
  /** Path of the folder. */
  readonly path: string;
  /** Id of the run. */
  readonly id: string;
  /** Configuration; `null` if there is no configuration. */
  readonly config: unknown;
  /** Scalars so far. */
  readonly history: ScalarHistory;
  /** Attached engine. */
  readonly engine: FolderEngine | undefined;
  /**
   * Lets an engine write to this folder: adds the hooks `runReport`, `runLog` and `reporter`, and `profiler`,
   * `trajectory` and `checkpoints` if the options ask for them. A folder has one engine.
   *
   * @throws {Error} if the folder has an engine already, or is closed
   */
  attach(engine: FolderEngine): void;
  /** Returns the checkpoints, the newest first. */
  checkpoints(): Promise<{ readonly path: string; readonly step: number }[]>;
  /** Returns the data of the run so far: those of `readRun`, with the scalars of this process. */
  data(): Promise<RunData>;
  /** Writes the report, and returns its path. */
  writeReport(format?: "html" | "markdown"): Promise<string>;
  /** Unlocks the folder for other runs. Rejects with an Error while the hooks of its engine are open. */
  close(): Promise<void>;
}
