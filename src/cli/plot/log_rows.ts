/**
 * Rows of logs: CSV files, and JSON Lines of reporters and hooks.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { UsageError } from "../frame/usage_error.ts";

/** Values of a step: of all systems, or of one. */
export interface LogRow {
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

/** Columns that are no curves: they count, or tell systems apart. */
const KEYS: ReadonlySet<string> = new Set(["step", "systemId", "status", "time"]);

/**
 * Reads the rows of a log, whose name ends with .csv or .jsonl. A last line without a newline is ignored, because a run
 * is just writing it, or was killed. Rows of several systems are averaged. A run that was resumed may repeat steps: the
 * earlier rows are dropped.
 *
 * @throws {UsageError} if the file is not a log; the message has the number of the line
 */
export function parseLog(text: string, name: string): readonly LogRow[] {
  const rows = /\.csv$/i.test(name) ? csvRows(text, name) : jsonRows(text, name);
  const steps: { step: number; systems: Map<number, Record<string, number>> }[] = [];
  for (const { step, systemId = 0, ...values } of rows) {
    let last = steps.at(-1);
    while (last !== undefined && last.step > step) {
      steps.pop();
      last = steps.at(-1);
    }
    if (last?.step !== step) steps.push(last = { step, systems: new Map() });
    last.systems.set(systemId, values);
  }
  return steps.map(({ step, systems }) => ({ step, values: meanOf([...systems.values()]) }));
}

type Numbers = Record<string, number> & { step: number; systemId?: number };

function csvRows(text: string, name: string): Numbers[] {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split(/\r?\n/).filter((x) => x !== "");
  const columns = (lines.shift() ?? "").split(",");
  if (!columns.includes("step")) {
    throw new UsageError(`Cannot read ${name}: the first line of a log must have a column "step"`);
  }
  return lines.map((line, i) => {
    const cells = line.split(",");
    const numbers = Object.fromEntries(columns.map((column, j) => [column, numberOf(cells[j])]));
    if (cells.length !== columns.length || !Number.isFinite(numbers.step)) {
      throw new UsageError(
        `Cannot read ${name}, line ${i + 2}: it must have ${columns.length} cells and a step`,
      );
    }
    return numbers as Numbers;
  });
}

function numberOf(cell: string | undefined): number {
  return cell === undefined || cell.trim() === "" ? NaN : Number(cell);
}

function jsonRows(text: string, name: string): Numbers[] {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.flatMap((line, i) => {
    if (line.trim() === "") return [];
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch (cause) {
      throw new UsageError(`Cannot read ${name}, line ${i + 1}: ${(cause as Error).message}`);
    }
    if (!isObject(row)) {
      throw new UsageError(`Cannot read ${name}, line ${i + 1}: it must be an object`);
    }
    // Lines about the beginning and the end of a run have no values.
    if (typeof row.step !== "number" || row.type === "end") return [];
    const members = isObject(row.scalars) ? { ...row.scalars, step: row.step } : row;
    const numbers = Object.entries(members).map(([key, value]) => [key, valueOf(value)] as const);
    return [
      Object.fromEntries(numbers.filter(([, value]) => value !== undefined)) as Numbers,
    ];
  });
}

/** JSON has no NaN: reporters write it as a text, and `--json` as null. */
function valueOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (value === null || value === "NaN") return NaN;
  return value === "Infinity" ? Infinity : value === "-Infinity" ? -Infinity : undefined;
}

function meanOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(all.flatMap((one) => Object.keys(one)));
  const time = all[0]?.time;
  return Object.fromEntries([
    ...(time === undefined ? [] : [["time", time] as const]),
    ...[...names].filter((name) => !KEYS.has(name)).map((name) => {
      const known = all.flatMap((one) => Number.isNaN(one[name] ?? NaN) ? [] : [one[name]!]);
      const sum = known.reduce((total, value) => total + value, 0);
      return [name, known.length === 0 ? NaN : sum / known.length] as const;
    }),
  ]);
}
