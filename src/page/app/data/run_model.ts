/**
 * State of a run as the page knows it: the sum of its events.
 *
 * @module
 */

import type {
  HookRow,
  RunCommand,
  RunEvent,
  RunInfo,
  StructureRow,
  TimingRow,
} from "../../protocol.ts";
import { Series } from "./series.ts";

/** Parts of a model, which panels show. */
export type ModelPart = RunEvent["type"] | "reset";

/** Curve that is replaced as it forms. */
export type Curve = Extract<RunEvent, { readonly type: "curve" }>;

/** Warning of a run, and how often it came. */
export interface CountedWarning {
  readonly message: string;
  readonly step?: number;
  readonly count: number;
}

/** Everything that a page knows of a run. */
export interface RunModel {
  run: RunInfo | undefined;
  readonly series: Map<string, Series>;
  readonly curves: Map<string, Curve>;
  hooks: readonly HookRow[] | undefined;
  /** Structures by their names. A row replaces the earlier one of its structure. */
  readonly structures: Map<string, StructureRow>;
  readonly warnings: Map<string, CountedWarning>;
  readonly commands: { readonly command: RunCommand; readonly step: number }[];
  timings: readonly TimingRow[];
  frames: { readonly count: number; readonly live?: number };
}

/** Warnings and commands that are kept. */
const KEPT = 1000;

/** Name of the series that the page computes from the total energy. */
export const DRIFT = "energy drift";

/** Name of the total energy. */
const TOTAL = "energy/total";

/** Returns the model of a run without events. */
export function emptyModel(): RunModel {
  return {
    run: undefined,
    series: new Map(),
    curves: new Map(),
    hooks: undefined,
    structures: new Map(),
    warnings: new Map(),
    commands: [],
    timings: [],
    frames: { count: 0 },
  };
}

/** Adds an event to a model, and returns the part that changed. */
export function applyEvent(model: RunModel, event: RunEvent): ModelPart {
  switch (event.type) {
    case "info":
      model.run = event.run;
      break;
    case "scalars":
      addRows(model.series, event.names, event.rows);
      break;
    case "curve":
      model.curves.set(event.name, event);
      break;
    case "hooks":
      model.hooks = event.hooks;
      break;
    case "structures":
      for (const row of event.rows) model.structures.set(row.name, row);
      break;
    case "warning":
      addWarning(model.warnings, event);
      break;
    case "command":
      if (model.commands.length === KEPT) model.commands.shift();
      model.commands.push({ command: event.command, step: event.step });
      break;
    case "timings":
      model.timings = event.rows;
      break;
    case "frames":
      model.frames = event;
      break;
    case "behind":
      Object.assign(model, emptyModel());
      return "reset";
  }
  return event.type;
}

function addRows(
  series: Map<string, Series>,
  names: readonly string[],
  rows: readonly (readonly (number | null)[])[],
): void {
  const [first] = rows;
  if (first === undefined) return;
  for (const [i, name] of names.entries()) {
    let own = series.get(name);
    for (const row of rows) {
      const step = row[0]!, value = row[i + 1];
      own?.cut(step);
      if (value === null || value === undefined) continue;
      if (own === undefined) series.set(name, own = new Series());
      own.add(step, value);
    }
    if (name === TOTAL && own !== undefined) {
      addDrift(series, own, rows.reduce((low, [step]) => Math.min(low, step!), Infinity));
    }
  }
}

/** Continues the series of what the total energy has changed since the first point. */
function addDrift(series: Map<string, Series>, total: Series, from: number): void {
  let drift = series.get(DRIFT);
  if (drift === undefined) series.set(DRIFT, drift = new Series());
  drift.cut(from);
  const { steps, values } = total;
  for (let i = total.indexOf(from); i < total.length; i++) {
    drift.add(steps[i]!, values[i]! - values[0]!);
  }
}

function addWarning(
  warnings: Map<string, CountedWarning>,
  { message, step }: { readonly message: string; readonly step?: number },
): void {
  const count = 1 + (warnings.get(message)?.count ?? 0);
  if (count === 1 && warnings.size === KEPT) return;
  warnings.set(message, { message, count, ...(step === undefined ? {} : { step }) });
}
