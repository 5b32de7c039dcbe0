/**
 * Where the scalars of a run are told: what a reporter is, and those that are ready-made.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import { LineFile } from "../../sinks/files/line_file.ts";
import { TensorBoardFile } from "../../sinks/tensorboard/tensorboard_file.ts";
import type { Histogram } from "./scalars.ts";
import type { TensorBoardHistogram } from "../../sinks/tensorboard/tensorboard_event.ts";
import { scalarLine, type ScalarSnapshot } from "./scalar_snapshot.ts";

/** How often a reporter is told. */
export interface ReporterTimes {
  /**
   * At steps that this divides, of those that are collected; what epochs and validations come to is always told.
   *
   * @default 1
   */
  readonly every?: number;
  /**
   * And only when so many seconds have passed since it last was; what is left at the end of a run is told then.
   *
   * @default 0
   */
  readonly everySeconds?: number;
}

/** What is told the scalars of a run: any object with these members. */
export interface ScalarReporter extends ReporterTimes {
  /** What errors and warnings call it. */
  readonly name: string;
  /** A run begins. */
  open?(): void | PromiseLike<void>;
  /** Some scalars. May take time: then the run waits. */
  report(snapshot: ScalarSnapshot): void | PromiseLike<void>;
  /** A run is over. */
  close?(outcome: Outcome): void | PromiseLike<void>;
}

/** Where lines of JSON go. */
export interface JsonlReporterOptions extends ReporterTimes {
  /** A file, in a folder that is there; lines are added to what is there. */
  readonly path?: string | URL;
  /** Takes each line, its newline included. */
  readonly write?: (line: string) => void | PromiseLike<void>;
}

/**
 * Writes a line of JSON for each snapshot; `parseScalarLines` reads them.
 *
 * @param options a `path` or a `write`, one of them
 * @throws {TypeError} for both, and for neither
 *
 * @example
 * ```ts
 * import { jsonlReporter, parseScalarLines } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * let text = "";
 * const reporter = jsonlReporter({ write: (line) => void (text += line) });
 * const snapshot = { step: 1, time: 1e9, stage: "walk/STEP", engine: "walk", scalars: { x: 2 } };
 * reporter.report(snapshot);
 * assertEquals(parseScalarLines(text), [snapshot]);
 * ```
 */
export function jsonlReporter(options: JsonlReporterOptions): ScalarReporter {
  const { path, write, ...times } = options;
  if ((path === undefined) === (write === undefined)) {
    throw new TypeError(
      `Cannot make a reporter of JSON: it must have either path or write; got ${
        path === undefined ? "neither" : "both"
      }`,
    );
  }
  if (write !== undefined) {
    const report = (snapshot: ScalarSnapshot) => write(`${scalarLine(snapshot)}\n`);
    return { name: "jsonl", ...times, report };
  }
  const file = new LineFile(path!);
  return {
    name: "jsonl",
    ...times,
    open: () => file.open(),
    report: (snapshot) => file.add(scalarLine(snapshot)),
    close: () => file.close(),
  };
}

/** What a reporter for TensorBoard can be told. */
export interface TensorBoardReporterOptions extends ReporterTimes {
  /**
   * What stands before the name of each scalar.
   *
   * @default ""
   */
  readonly prefix?: string;
}

/**
 * Writes scalars for TensorBoard: a file for each run, in the folder.
 *
 * @example
 * ```ts
 * import { tensorBoardReporter } from "@hooke/hooke/observe";
 * import { readTensorBoard } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * const reporter = tensorBoardReporter(folder, { prefix: "relax/" });
 * await reporter.open!();
 * const at = { time: 1e9, stage: "dynamics/AFTER_STEP", engine: "FIRE" };
 * reporter.report({ step: 4, ...at, scalars: { fmax: 0.5 } });
 * await reporter.close!({ status: "completed" });
 * const [event] = await readTensorBoard(folder);
 * assertEquals([event?.step, event?.scalars], [4, { "relax/fmax": 0.5 }]);
 * ```
 */
export function tensorBoardReporter(
  folder: string | URL,
  options: TensorBoardReporterOptions = {},
): ScalarReporter {
  const { prefix = "", ...times } = options;
  const board = new TensorBoardFile(folder);
  return {
    name: "tensorboard",
    ...times,
    open: () => board.open(),
    report({ step, time, scalars, histograms = {} }) {
      const named = Object.entries(scalars).map(([name, value]) => [prefix + name, value]);
      const spread = Object.entries(histograms).filter(([, { to }]) => Number.isFinite(to));
      return board.add(step, Object.fromEntries(named), {
        wallTime: time,
        histograms: Object.fromEntries(
          spread.map(([name, histogram]) => [prefix + name, forTensorBoard(histogram)]),
        ),
      });
    },
    close: () => board.close(),
  };
}

function forTensorBoard({ from, to, counts, sum, sumOfSquares }: Histogram): TensorBoardHistogram {
  const width = (to - from) / counts.length, last = counts.length - 1;
  const limits = counts.map((_, i) => i === last ? to : from + (i + 1) * width);
  const count = counts.reduce((total, each) => total + each, 0);
  return { min: from, max: to, count, sum, sumOfSquares, limits, counts };
}
