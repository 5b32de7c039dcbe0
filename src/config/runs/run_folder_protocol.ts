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

/** An open run folder, the result of `openRunFolder`. It is locked until it is closed. */
export interface RunFolder extends AsyncDisposable {
  /** Path of the folder. */
  readonly path: string;
  /** Id of the run. */
  readonly id: string;
  /** Configuration of the run; `null` if there is no configuration. */
  readonly config: unknown;
  /** Scalars that this process has collected so far. */
  readonly history: ScalarHistory;
  /** Attached engine; undefined before `attach`. */
  readonly engine: FolderEngine | undefined;
  /**
   * Attaches an engine, which then writes to this folder. Adds the hooks `runReport`, `runLog` and `reporter` to the
   * engine, and `profiler`, `trajectory` and `checkpoints` if the options ask for them. A folder has one engine.
   *
   * @throws {Error} if the folder already has an engine, or is closed
   */
  attach(engine: FolderEngine): void;
  /** Returns the checkpoints, the newest first. */
  checkpoints(): Promise<{ readonly path: string; readonly step: number }[]>;
  /**
   * Returns the data of the run so far, as `readRun` does. If this process has collected scalars, they replace those
   * of the files.
   */
  data(): Promise<RunData>;
  /** Writes the report to the folder, and returns its path. The default format is `"html"`. */
  writeReport(format?: "html" | "markdown"): Promise<string>;
  /** Unlocks the folder for other runs. Rejects with an Error while the hooks of its engine are open. */
  close(): Promise<void>;
}
