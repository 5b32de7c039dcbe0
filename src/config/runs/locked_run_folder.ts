/**
 * An open run folder, and the hooks that write to it.
 *
 * @module
 */

import { checkpointsIn, writeWhole } from "../../checkpoint/mod.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { AddOptions } from "../../hooks/registry/add_options.ts";
import {
  type CheckpointableEngine,
  CheckpointHook,
  jsonlReporter,
  Profiler,
  Reporter,
  type ScalarHistory,
  SnapshotHook,
  tensorBoardReporter,
  TrajectoryHook,
} from "../../observe/mod.ts";
import { readRun, type RunData } from "./read_run.ts";
import { report } from "../report/report.ts";
import { makeFolder, type RunIdentity, type RunPaths, writeIdentity } from "./run_files.ts";
import type { FolderEngine, RunFolder } from "./run_folder_protocol.ts";
import type { ReadFolderOptions } from "./run_folder_options.ts";
import type { RunLock } from "./run_lock.ts";
import { runLog, type RunLogHook } from "./run_log.ts";
import type { WriteLine } from "./line_writer.ts";
import { fileWriter } from "./run_log_options.ts";
import { TrajectoryWriter } from "./trajectory_writer.ts";

/** Values from which a {@linkcode LockedRunFolder} is created. */
export interface FolderParts {
  readonly paths: RunPaths;
  readonly identity: RunIdentity;
  /** Stored identity that `identity` replaces once the engine runs; undefined if `identity` is stored. */
  readonly replaced?: RunIdentity;
  readonly lock: RunLock;
  readonly segments: number;
  readonly options: ReadFolderOptions;
}

/** An open run folder, which this process has locked. */
export class LockedRunFolder implements RunFolder {
  readonly path: string;
  readonly id: string;
  readonly config: unknown;
  readonly #parts: FolderParts;
  readonly #reporter: Reporter;
  readonly #profiler: Profiler | undefined;
  readonly #log: RunLogHook;
  #engine: FolderEngine | undefined;
  /** True while the hooks of the attached engine are open. */
  #isWriting = false;
  #isClosed = false;
  #replaced: RunIdentity | undefined;

  constructor(parts: FolderParts) {
    const { paths, identity, options, segments } = parts;
    this.#parts = parts;
    this.#replaced = parts.replaced;
    this.path = paths.folder;
    this.id = identity.id;
    this.config = identity.config;
    this.#reporter = new Reporter({
      frequency: 10,
      ...options.scalars,
      reporters: [
        jsonlReporter({ path: paths.scalars }),
        ...(options.tensorBoard ? [tensorBoardReporter(paths.board)] : []),
        ...options.reporters,
      ],
    });
    this.#profiler = options.profile ? new Profiler({ frequency: 100 }) : undefined;
    const { id, config } = identity, { commit } = options;
    this.#log = runLog({
      id,
      write: this.#lineWriter(),
      ...(commit !== undefined && { commit }),
      ...(identity.configHash !== null && { config }),
    });
    this.#log.load({ id, segments });
  }

  get history(): ScalarHistory {
    return this.#reporter.history;
  }

  get engine(): FolderEngine | undefined {
    return this.#engine;
  }

  attach(engine: FolderEngine): void {
    const wrong = this.#isClosed
      ? "the folder was closed"
      : this.#engine && `the folder belongs to ${this.#engine.name}`;
    if (wrong !== undefined) {
      throw new Error(
        `Cannot attach ${engine.name} to run folder ${this.path}: ${wrong}. Open a folder for each engine`,
      );
    }
    this.#engine = engine;
    const add = (hook: object, options: AddOptions) => engine.hooks.add(hook as never, options);
    // Hooks close in reverse order, so the report is written when all others have written their files.
    add(this.#reportHook(), { order: "first" });
    add(this.#log, { order: "first" });
    if (this.#profiler !== undefined) add(this.#profiler, { order: "first", name: "profiler" });
    add(this.#reporter, {});
    const { trajectory, checkpoints } = this.#parts.options;
    const writer = trajectory && new TrajectoryWriter(trajectory.sink);
    if (writer !== undefined) {
      const { frequency, initial = false, fields } = trajectory!;
      const target = { sink: writer, ...(fields !== undefined && { fields }) };
      const hook = initial
        ? new TrajectoryHook({ ...target, every: frequency })
        : new SnapshotHook({ ...target, frequency });
      add(hook, { name: "trajectory" });
    }
    if (checkpoints !== false && canCheckpoint(engine)) {
      const { checkpoints: folder } = this.#parts.paths;
      const { every: everySteps, keep: keepLast, ...clock } = checkpoints;
      add(new CheckpointHook({ folder, everySteps, keepLast, atBegin: false, ...clock }), {});
    }
  }

  async checkpoints(): Promise<{ readonly path: string; readonly step: number }[]> {
    return await checkpointsIn(this.#parts.paths.checkpoints);
  }

  async data(): Promise<RunData> {
    const data = await readRun(this.path);
    return this.history.names().length > 0 ? { ...data, history: this.history } : data;
  }

  async writeReport(format: "html" | "markdown" = "html"): Promise<string> {
    const { paths } = this.#parts;
    const write = (path: string, text: string, what: string) =>
      writeWhole(path, new TextEncoder().encode(text), what);
    const pictures: [string, string][] = [];
    const link = (svg: string, file: string) => {
      pictures.push([`${paths.plots}/${file}`, svg]);
      return `plots/${file}`;
    };
    this.#assertThere(`Cannot write the report of ${this.path}`);
    const text = await report(await this.data(), { format, link });
    if (pictures.length > 0) await makeFolder(paths.plots);
    for (const [path, svg] of pictures) await write(path, svg, "plot");
    const path = `${this.path}/report.${format === "html" ? "html" : "md"}`;
    await write(path, text, "report");
    return path;
  }

  close(): Promise<void> {
    if (this.#isWriting) {
      return Promise.reject(
        new Error(
          `Cannot close run folder ${this.path}: its engine, ${this.#engine?.name}, still writes to it. ` +
            `Await the run, or close the engine, first`,
        ),
      );
    }
    if (!this.#isClosed) this.#parts.lock.release();
    this.#isClosed = true;
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns a writer of lines to `runs.jsonl`. It throws if the folder was removed or replaced since it was locked. */
  #lineWriter(): WriteLine {
    const { runs } = this.#parts.paths;
    const append = fileWriter(runs);
    return (line) => {
      this.#assertThere(`Cannot write ${runs}`);
      return append(line);
    };
  }

  #assertThere(action: string): void {
    this.#parts.lock.assertThere(action);
  }

  /**
   * Returns a hook that records whether the hooks of the engine are open, and writes the profile and the report at
   * the end of a run. It opens first and closes last.
   */
  #reportHook(): object {
    const { options: { report }, paths, identity } = this.#parts;
    let from = 0;
    return {
      name: "runReport",
      on: {},
      onError: "warn", // the hook has no stage, so it costs nothing per step
      open: async () => {
        this.#isWriting = true;
        from = this.#engine!.stepCount;
        if (this.#replaced !== undefined) await writeIdentity(paths.config, identity);
      },
      close: async ({ status }: Outcome) => {
        try {
          this.#assertThere(`Cannot end the run in ${paths.folder}`);
          if (this.#replaced !== undefined) {
            // The run could not begin with the new configuration, so the next one must find the old one.
            const isUnused = status === "failed" && this.#engine!.stepCount === from;
            if (isUnused) await writeIdentity(paths.config, this.#replaced);
            else this.#replaced = undefined;
          }
          const rows = this.#profiler?.summary().transitions;
          if (rows !== undefined) {
            const text = new TextEncoder().encode(`${JSON.stringify(rows)}\n`);
            await writeWhole(paths.profile, text, "profile");
          }
          if (report !== false) await this.writeReport(report);
        } finally {
          this.#isWriting = false;
        }
      },
    };
  }
}

function canCheckpoint(engine: object): engine is CheckpointableEngine {
  const { betweenSteps, saveCheckpoint } = engine as Partial<CheckpointableEngine>;
  return typeof betweenSteps === "function" && typeof saveCheckpoint === "function";
}
