/**
 * Curves of runs: of run folders, and of logs.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { readRun, type RunData } from "../../config/runs/read_run.ts";
import { namesIn, pathsIn, textIn } from "../../config/runs/run_files.ts";
import { partsOf } from "../../config/runs/run_parts.ts";
import { SCALAR_OF_COLUMN } from "../../observe/atoms/thermo_row.ts";
import { ScalarHistory } from "../../observe/reporter/scalar_history.ts";
import { UsageError } from "../frame/usage_error.ts";
import { kindOf } from "../run/path_kind.ts";
import { type LogRow, parseLog } from "./log_rows.ts";

/** Curves of a run. */
export interface Curves {
  /** Path as the user has given it. */
  readonly name: string;
  readonly history: ScalarHistory;
  /** Horizontal axis: the step times `perStep`, in the unit `unit`. */
  readonly x: { readonly label: string; readonly unit: string; readonly perStep: number };
  /** False if the points are those of structures, which have no order. */
  readonly isLine: boolean;
  /** True if the run has not ended: it still runs, or its process was killed. */
  readonly isOpen: boolean;
}

/** Points that are kept of each curve: more than a picture can show, in bounded memory. */
const POINTS = 4000;

/** Logs in folders that are no run folders. */
const LOGS: readonly string[] = ["log.csv", "logs/scalars.jsonl", "scalars.jsonl", "log.jsonl"];

/**
 * Reads the curves of a run folder, of a folder with a log, or of a log (.csv or .jsonl). Nothing is changed, so a run
 * may still be writing.
 *
 * @throws {UsageError} if there is no log
 */
export async function readCurves(path: string): Promise<Curves> {
  const folder = path.replace(/(.)[/\\]+$/, "$1");
  const kind = kindOf(folder);
  if (kind === undefined) {
    throw new UsageError(`Cannot plot ${path}: there is no such file or folder`);
  }
  if (kind === "file") {
    if (!/\.(csv|jsonl)$/i.test(folder)) {
      throw new UsageError(
        `Cannot plot ${path}: pass a run folder, or a log whose name ends with .csv or .jsonl`,
      );
    }
    return ofRows(path, parseLog(await textIn(folder) ?? "", folder));
  }
  if (await textIn(pathsIn(folder).config) !== undefined) return await ofRun(path, folder);
  for (const name of LOGS) {
    const text = await textIn(`${folder}/${name}`);
    if (text !== undefined) return ofRows(path, parseLog(text, `${folder}/${name}`));
  }
  throw new UsageError(
    `Cannot plot ${path}: it is not a run folder, because it has no config.json, and it has no ${
      LOGS.join(" or ")
    }. It has ${(await namesIn(folder)).slice(0, 8).join(", ") || "no files"}`,
  );
}

/** Returns a run with the values of `log.csv`, which has those of the initial structure, too. */
export async function readLoggedRun(folder: string): Promise<RunData> {
  const run = await readRun(folder);
  const text = await textIn(`${folder}/log.csv`);
  if (text === undefined) return run;
  const history = historyOf(parseLog(text, `${folder}/log.csv`));
  const known = new Set(history.names());
  for (const name of run.history.names()) {
    if (known.has(name)) continue;
    const { steps, values } = run.history.series(name);
    for (const [i, step] of steps.entries()) {
      history.add({ step, scalars: { [name]: values[i]! } });
    }
  }
  return { ...run, history };
}

async function ofRun(name: string, folder: string): Promise<Curves> {
  const run = await readLoggedRun(folder);
  const config = isObject(run.config) ? run.config : {};
  const dt = config.command === "md" ? Number(config.dt) : NaN;
  return {
    name,
    history: run.history,
    x: axisOf(dt / 1000),
    isLine: true,
    isOpen: partsOf(run).at(-1)?.end === undefined,
  };
}

function ofRows(name: string, rows: readonly LogRow[]): Curves {
  const last = rows.at(-1);
  const perStep = last === undefined ? NaN : (last.values.time ?? NaN) / last.step / 1000;
  return {
    name,
    history: historyOf(rows),
    x: axisOf(perStep),
    isLine: true,
    isOpen: false,
  };
}

/** Returns an axis of time if a step takes one, in ps, otherwise an axis of steps. */
function axisOf(perStep: number): Curves["x"] {
  return perStep > 0 && perStep < Infinity
    ? { label: "time, ps", unit: "ps", perStep }
    : { label: "step", unit: "steps", perStep: 1 };
}

/** Returns the history of rows, whose columns get the names of scalars. Columns without any number are left out. */
function historyOf(rows: readonly LogRow[]): ScalarHistory {
  const history = new ScalarHistory({ size: POINTS });
  const names = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  names.delete("time");
  const known = [...names].filter((name) => rows.some(({ values }) => !Number.isNaN(values[name])));
  for (const { step, values } of rows) {
    history.add({
      step,
      scalars: Object.fromEntries(
        known.flatMap((name) =>
          name in values ? [[SCALAR_OF_COLUMN[name] ?? name, values[name]!]] : []
        ),
      ),
    });
  }
  return history;
}
