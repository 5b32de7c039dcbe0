import {
  type DynamicsContext,
  type DynamicsFieldName,
  DynamicsStage,
} from "../../dynamics/stages.ts";
import { warningsOf } from "../../hooks/loop/progress.ts";
import type { CustomField, Workflow } from "../../hooks/protocol/context.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import {
  checkOptions,
  checkRequired,
  checkStage,
  checkType,
  type HookTimes,
  isFunction,
  isOneOf,
  TIMES,
  timesOf,
} from "../any/hook_options.ts";
import { CsvOutput, type LogOutput, type LogWriter, WriterOutput } from "../any/log_output.ts";
import { compareFiles, noteResumedFile } from "../checkpoints/resumed_files.ts";
import { type CustomScalar, LOG_COLUMNS, LOGGED, tableOf } from "./log_table.ts";

/** Options of {@linkcode LoggingHook} besides its output. */
export interface LogContents extends HookTimes {
  /**
   * Custom columns: functions of the context, by the names of the columns.
   *
   * @default {}
   */
  readonly customScalars?: Readonly<Record<string, CustomScalar>>;
  /**
   * Fields that custom columns read in `ctx.read`, besides those that every log reads.
   *
   * @default []
   */
  readonly reads?: readonly (DynamicsFieldName | CustomField<string, unknown>)[];
  /**
   * Stage at which rows are written.
   *
   * @default DynamicsStage.AFTER_STEP
   */
  readonly stage?: DynamicsStage;
}

/** Output of {@linkcode LoggingHook}. */
export type LogTarget =
  | {
    /** Writes the rows to a file of comma-separated values. */
    readonly backend: "csv";
    /** Path of the file. The file and its folder are created if they do not exist. */
    readonly logPath: string | URL;
  }
  | {
    /** Passes the rows to a function. */
    readonly backend: "custom";
    /**
     * Function that takes the rows of each step. Calls do not overlap: the next one waits until a returned promise
     * settles.
     */
    readonly writerFn: LogWriter;
  };

/** Options of {@linkcode LoggingHook}. */
export type LoggingHookOptions = LogContents & LogTarget;

const NAME = "LoggingHook";
const OPTIONS = ["backend", "logPath", "writerFn", "customScalars", "reads", "stage", ...TIMES];

/**
 * Writes a row for each system every `frequency` steps: step, time (fs), systemId, status, energy (eV), fmax (eV/Å),
 * temperature (K), and custom columns.
 *
 * Rows are appended to an existing CSV file if its header is the same; another header is an error. If the file has
 * rows of an earlier run and this run begins at step 0, the engine warns. Numbers are written so that reading returns
 * the same number; NaN is an empty cell. Rows are written in the background, each one completely. All of them are in
 * the file when the run has ended.
 *
 * A run that resumes from a checkpoint removes the rows that were written to a CSV file after the checkpoint, and
 * writes them again. A custom function receives these rows a second time.
 *
 * An error while writing stops the run, unless the hook is added with another `onError`. It is thrown at once, some
 * rows later, or when the run ends.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid, or if the name of a custom column is
 * taken; the message names the option or column.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { LoggingHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const logPath = `${await Deno.makeTempDir()}/log.csv`;
 * const log = new LoggingHook({
 *   backend: "csv",
 *   logPath,
 *   frequency: 10,
 *   customScalars: { atoms: (ctx) => ctx.batch.nodeCount },
 * });
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   hooks: [log],
 * });
 * await opt.run(Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]), 25);
 *
 * const [header, ...rows] = (await Deno.readTextFile(logPath)).trimEnd().split("\n");
 * assertEquals(header, "step,time,systemId,status,energy,fmax,temperature,atoms");
 * assertEquals(rows.map((row) => row.split(",")[0]), ["0", "10", "20"]);
 * ```
 */
export class LoggingHook {
  /** Stage at which rows are written. */
  readonly stage: DynamicsStage;
  /** Number of steps between two rows of a system. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly (DynamicsFieldName | CustomField<string, unknown>)[];
  /** Ends the run if writing fails. */
  readonly onError = "throw";
  /** Names of the columns, in order. */
  readonly columns: readonly string[];
  readonly #custom: Readonly<Record<string, CustomScalar>>;
  readonly #output: LogOutput;

  /** Creates the hook; no file is opened yet. */
  constructor(options: LoggingHookOptions) {
    checkLogging(options);
    const { stage = DynamicsStage.AFTER_STEP, customScalars = {}, reads = [] } = options;
    this.frequency = 1;
    Object.assign(this, timesOf(NAME, options));
    this.stage = stage;
    this.reads = [...LOGGED, ...reads];
    this.columns = [...LOG_COLUMNS, ...Object.keys(customScalars)];
    this.#custom = customScalars;
    this.#output = options.backend === "csv"
      ? new CsvOutput(options.logPath, this.columns)
      : new WriterOutput(options.writerFn, this.columns);
    noteResumedFile(this, async (state) => await this.#output.compare?.(state));
  }

  /** Opens the output. Called by the engine. */
  async open(engine?: Workflow): Promise<void> {
    // All files of the run are compared before the first is truncated.
    if (this.#output.compare !== undefined) await compareFiles(engine, this);
    const earlier = await this.#output.open();
    if (earlier !== undefined && engine?.stepCount === 0) warnOfRows(engine, earlier);
  }

  /** Writes the rows of a step. Called by the engine. */
  call(ctx: DynamicsContext): void | PromiseLike<void> {
    return this.#output.write(ctx.stepCount, tableOf(ctx, this.#custom));
  }

  /** Waits until all rows are written. Called by the engine. */
  close(): Promise<void> {
    return this.#output.close();
  }

  /** Returns the position in the file for a checkpoint as plain data. Called by the engine. */
  save(): unknown {
    return this.#output.save?.();
  }

  /**
   * Restores a state that `save` returned: rows written after that state are removed before the next row is written.
   * Called by the engine.
   */
  load(state: unknown): void {
    this.#output.load?.(state);
  }

  /** Waits until all rows so far are in the file. Called before a checkpoint is written. */
  async flush(): Promise<void> {
    await this.#output.flush?.();
  }
}

/** Warns that the rows of this run follow rows of an earlier run with the same steps. */
function warnOfRows(engine: Workflow, path: string | URL): void {
  const text =
    `${path} holds rows of an earlier run, and ${engine.name} begins at step 0: steps and times will be duplicated. ` +
    "Use a separate file for each run, or remove the file";
  warningsOf(engine)?.warn("log", "open", new RangeError(text));
}

function checkLogging(options: LoggingHookOptions): void {
  checkOptions(NAME, options, OPTIONS);
  checkRequired(NAME, options, "backend", '"csv" or "custom"');
  checkType(NAME, options, "backend", '"csv" or "custom"', isOneOf("csv", "custom"));
  const isPath = (x: unknown) => (typeof x === "string" && x !== "") || x instanceof URL;
  checkType(NAME, options, "logPath", "a path", isPath);
  checkType(NAME, options, "writerFn", "a function", isFunction);
  if (options.backend === "csv") checkRequired(NAME, options, "logPath", "the path of the file");
  else checkRequired(NAME, options, "writerFn", "the function that takes the rows");
  checkStage(NAME, options);
  const areFields = (x: unknown) => Array.isArray(x) && x.every((key) => fieldName(key));
  checkType(NAME, options, "reads", "an array of field names", areFields);
  checkType(NAME, options, "customScalars", "an object of functions", isObject);
  for (const [name, scalar] of Object.entries(options.customScalars ?? {})) {
    checkColumn(name, scalar);
  }
}

function checkColumn(name: string, scalar: unknown): void {
  if (name === "" || LOG_COLUMNS.includes(name)) {
    throw new RangeError(
      `Cannot make a ${NAME}: the name of a custom column must not be empty or one of ${
        LOG_COLUMNS.join(", ")
      }; got ${JSON.stringify(name)}`,
    );
  }
  if (typeof scalar === "function") return;
  throw new TypeError(complaint(`make a ${NAME}`, `column ${name} must be a function`, scalar));
}
