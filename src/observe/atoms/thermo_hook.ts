import { wholeFrom } from "../../base/check_number.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { FinishedHook } from "../../hooks/protocol/table.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { DynamicsContext, DynamicsFieldName } from "../../dynamics/stages.ts";
import {
  checkNumber,
  checkOptions,
  checkRequired,
  checkType,
  isFlag,
} from "../any/hook_options.ts";
import { CsvOutput, type LogOutput, WriterOutput } from "../any/log_output.ts";
import { compareFiles, noteResumedFile } from "../checkpoints/resumed_files.ts";
import { stepTimes } from "./step_times.ts";
import {
  PRESSURE_FIELDS,
  THERMO_COLUMNS,
  THERMO_FIELDS,
  type ThermoRow,
  thermoTable,
} from "./thermo_row.ts";

/** Options of {@linkcode ThermoHook}. */
export interface ThermoHookOptions {
  /** Output of the rows: the path of a CSV file, or a function that takes the rows of a step. */
  readonly output: string | URL | ((rows: readonly ThermoRow[]) => void | PromiseLike<void>);
  /**
   * Number of steps between two rows of a system.
   *
   * @default 100
   */
  readonly every?: number;
  /**
   * True to compute the pressure, for which the model must give stresses. Systems that are not periodic in all
   * directions have no pressure: it is NaN.
   *
   * @default true
   */
  readonly pressure?: boolean;
  /**
   * True to write rows after the last step, even if it is not a multiple of `every`.
   *
   * @default false
   */
  readonly atEnd?: boolean;
  /**
   * Name of the hook.
   *
   * @default "thermo"
   */
  readonly name?: string;
}

const NAME = "ThermoHook";

/**
 * Writes thermodynamic values of each system every `every` steps: step, time (fs), systemId, temperature (K),
 * potential, kinetic and total energy (eV), pressure (GPa) and volume (Å³). The first row describes the initial
 * structure, with step 0; `step` is the number of steps done.
 *
 * A run that resumes from a checkpoint removes the rows that were written to a CSV file after the checkpoint, and
 * writes them again. An error while writing stops the run, unless the hook is added with another `onError`.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { ThermoHook, type ThermoRow } from "@hooke/hooke/observe";
 * import { assertAlmostEquals, assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const rows: ThermoRow[] = [];
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new ThermoHook({ output: (all) => void rows.push(...all), every: 50 })],
 * });
 * await md.run(batch, 100);
 * assertEquals(rows.map(({ step, time }) => [step, time]), [[0, 0], [50, 100], [100, 200]]);
 * assertAlmostEquals(rows[2]!.total, rows[0]!.total, 1e-4);
 * assertAlmostEquals(rows[0]!.volume, 8 * 5.26 ** 3, 1e-3);
 * ```
 */
export class ThermoHook implements FinishedHook<string> {
  /** Name of the hook. */
  readonly name: string;
  /** Handlers by stage name. */
  readonly on: object;
  /** Number of steps between two rows. */
  readonly frequency: number;
  /** Phase of the schedule, `every` − 1: rows are due when the number of finished steps is a multiple of `every`. */
  readonly phase: number;
  /** Schedule of the initial rows. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>>;
  /** True if rows are written after the last step. */
  readonly atEnd: boolean;
  /** Fields that the hook reads. */
  readonly reads: readonly DynamicsFieldName[];
  /** Ends the run if writing fails. */
  readonly onError = "throw";
  readonly #output: LogOutput;
  readonly #hasPressure: boolean;

  /** Creates the hook; no file is opened yet. */
  constructor(options: ThermoHookOptions) {
    checkThermo(options);
    const { output, every = 100, pressure = true, atEnd = false, name = "thermo" } = options;
    const { frequency, phase, stageTimes } = stepTimes(every);
    this.name = name;
    this.#hasPressure = pressure;
    this.frequency = frequency;
    this.phase = phase;
    this.stageTimes = stageTimes;
    this.atEnd = atEnd;
    this.reads = pressure ? PRESSURE_FIELDS : THERMO_FIELDS;
    this.on = {
      dynamics: {
        BEFORE_STEP: (ctx: DynamicsContext) => this.#write(ctx.stepCount, ctx),
        AFTER_STEP: (ctx: DynamicsContext) => this.#write(ctx.stepCount + 1, ctx),
      },
    };
    this.#output = typeof output === "function"
      ? new WriterOutput((_step, rows) => output(rows as unknown as ThermoRow[]), THERMO_COLUMNS)
      : new CsvOutput(output, THERMO_COLUMNS);
    noteResumedFile(this, async (state) => await this.#output.compare?.(state));
  }

  /** Opens the output. Called by the engine. */
  async open(engine?: Workflow): Promise<void> {
    // All files of the run are compared before the first is truncated.
    if (this.#output.compare !== undefined) await compareFiles(engine, this);
    await this.#output.open();
  }

  #write(step: number, { read }: DynamicsContext): void | PromiseLike<void> {
    const fields = read as Readonly<Record<string, ArrayLike<number> | undefined>>;
    return this.#output.write(step, thermoTable(step, fields, this.#hasPressure));
  }

  /** Waits until all rows are written. Called by the engine. */
  close(): Promise<void> {
    return this.#output.close();
  }

  /** Returns the position in the file for a checkpoint as plain data. Called by the engine. */
  save(): unknown {
    return this.#output.save?.();
  }

  /** Restores a state that `save` returned. Called by the engine. */
  load(state: unknown): void {
    this.#output.load?.(state);
  }

  /** Waits until all rows so far are in the file. Called before a checkpoint is written. */
  async flush(): Promise<void> {
    await this.#output.flush?.();
  }
}

function checkThermo(options: ThermoHookOptions): void {
  checkOptions(NAME, options, ["output", "every", "pressure", "atEnd", "name"]);
  checkRequired(NAME, options, "output", "the path of a CSV file, or a function");
  const isOutput = (x: unknown) =>
    typeof x === "function" || x instanceof URL || typeof x === "string" && x !== "";
  checkType(NAME, options, "output", "a path or a function", isOutput);
  checkType(NAME, options, "name", "a string", (x) => typeof x === "string" && x !== "");
  checkType(NAME, options, "pressure", "true or false", isFlag);
  checkType(NAME, options, "atEnd", "true or false", isFlag);
  checkNumber(NAME, options, "every", wholeFrom(1));
}
