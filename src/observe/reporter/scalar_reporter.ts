/**
 * Interface of reporters, and the reporters for JSON Lines and TensorBoard.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import { LineFile } from "../../sinks/files/line_file.ts";
import { TensorBoardFile } from "../../sinks/tensorboard/tensorboard_file.ts";
import type { Histogram } from "./scalars.ts";
import type { TensorBoardHistogram } from "../../sinks/tensorboard/tensorboard_event.ts";
import { scalarLine, type ScalarSnapshot } from "./scalar_snapshot.ts";

/** Schedule of a reporter. */
export interface ReporterTimes {
  /**
   * Number of collected steps between two reports. Metrics of epochs and validations are reported at any step.
   *
   * @default 1
   */
  readonly every?: number;
  /**
   * Shortest time between two reports, s. The last values of a run are reported at the latest when the run ends.
   *
   * @default 0
   */
  readonly everySeconds?: number;
}

/** Receives the scalars of a run: any object with these members. */
export interface ScalarReporter extends ReporterTimes {
  /** Name in errors and warnings. */
  readonly name: string;
  /** Called when a run begins. */
  open?(): void | PromiseLike<void>;
  /** Reports a snapshot. If it returns a promise, the run waits for it. */
  report(snapshot: ScalarSnapshot): void | PromiseLike<void>;
  /** Called when a run ends. */
  close?(outcome: Outcome): void | PromiseLike<void>;
}

/** Options of {@linkcode jsonlReporter}. */
export interface JsonlReporterOptions extends ReporterTimes {
  /** Path of the file. The file and its folder are created if they do not exist. Lines are appended. */
  readonly path?: string | URL;
  /** Function that takes each line with its newline. */
  readonly write?: (line: string) => void | PromiseLike<void>;
}

/**
 * Returns a reporter that writes each snapshot as a line of JSON, which `parseScalarLines` reads.
 *
 * @param options exactly one of `path` and `write`, and the schedule
 * @throws {TypeError} if both or neither of `path` and `write` are given
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
      `Cannot make a JSON reporter: either path or write is required; got ${
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

/** Options of {@linkcode tensorBoardReporter}. */
export interface TensorBoardReporterOptions extends ReporterTimes {
  /**
   * Prefix of the name of each scalar.
   *
   * @default ""
   */
  readonly prefix?: string;
}

/**
 * Returns a reporter that writes scalars and histograms for TensorBoard, to one file per run in `folder`.
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
