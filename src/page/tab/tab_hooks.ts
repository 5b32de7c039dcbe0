/**
 * Hooks that show a run in a tab to the page.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { runLog } from "../../config/runs/run_log.ts";
import type { DynamicsContext } from "../../dynamics/stages.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { ThermoHook } from "../../observe/atoms/thermo_hook.ts";
import { THERMO_COLUMNS } from "../../observe/atoms/thermo_row.ts";
import { TrajectoryHook } from "../../observe/atoms/trajectory_hook.ts";
import { Reporter } from "../../observe/reporter/reporter.ts";
import { type ScalarSnapshot, stepsDone } from "../../observe/reporter/scalar_snapshot.ts";
import type { HookRow, ViewerFrame } from "../protocol.ts";
import type { TabReceiver } from "./messages.ts";
import type { TabParts } from "./tab_engine.ts";
import type { TabTrajectory } from "./trajectory.ts";

/** Shortest time between two live frames, s. */
const LIVE_SECONDS = 0.1;

/** Values that the hooks of a run collect. */
export interface TabLogs {
  readonly reporter: Reporter;
  /** Lines of the run log. */
  readonly records: readonly string[];
  /** Lines of the table of thermodynamic values, with their head; empty for a relaxation. */
  readonly rows: readonly string[];
}

/** Adds the hooks of a run: its log, scalars, trajectory and live frames. */
export function addTabHooks(
  parts: TabParts,
  trajectory: TabTrajectory,
  receiver: TabReceiver,
  live: (frame: ViewerFrame) => void,
): TabLogs {
  const { engine, config, steps, logEvery, trajEvery, fields } = parts;
  const records: string[] = [], rows: string[] = [];
  const reporter = new Reporter({
    frequency: logEvery,
    nSteps: steps,
    ...parts.scalars,
    reporters: [{ name: "page", report: (snapshot) => receiver.event(scalarsOf(snapshot)) }],
  });
  const add = (hook: object, options: object = {}) => engine.hooks.add(hook as never, options);
  add(runLog({ config, commit: "unknown", write: (line) => void records.push(line) }), {
    order: "first",
  });
  add(reporter);
  add(new TrajectoryHook({ sink: trajectory, every: trajEvery, fields }));
  if (parts.isMoving) {
    rows.push(THERMO_COLUMNS.join(","));
    add(
      new ThermoHook({
        every: logEvery,
        pressure: parts.facts.hasPressure,
        name: "log",
        output: (all) =>
          void rows.push(
            ...all.map((row) => THERMO_COLUMNS.map((name) => cellOf(row[name])).join(",")),
          ),
      }),
    );
  }
  add(liveHook(parts.batch, live));
  return { reporter, records, rows };
}

/** Returns a number as `log.csv` of the command has it. */
function cellOf(value: number): string {
  return Number.isNaN(value) ? "" : Object.is(value, -0) ? "-0" : String(value);
}

/** Returns the event of the scalars of a step. */
export function scalarsOf(
  { scalars, ...snapshot }: ScalarSnapshot,
): {
  readonly type: "scalars";
  readonly names: readonly string[];
  readonly rows: readonly (readonly (number | null)[])[];
} {
  const values = Object.values(scalars).map((value) => Number.isFinite(value) ? value : null);
  return {
    type: "scalars",
    names: Object.keys(scalars),
    rows: [[stepsDone(snapshot), ...values]],
  };
}

/** Returns a hook that sends the first system of the batch to the page, at most ten times a second. */
function liveHook(batch: Batch, live: (frame: ViewerFrame) => void): object {
  const atoms = batch.nodeOffsets[1]!, system = batch.system(0);
  const numbers = system.numbers, { pbc, info } = system;
  return {
    name: "live",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 1,
    everySeconds: LIVE_SECONDS,
    atEnd: true,
    reads: ["positions", "cell", "velocities", "forces"],
    call({ read, stepCount }: DynamicsContext) {
      const of = read as unknown as Readonly<Record<string, ArrayLike<number>>>;
      const first = (name: string) =>
        Float32Array.from({ length: 3 * atoms }, (_, i) => of[name]![i]!);
      const cell = Float32Array.from({ length: 9 }, (_, i) => of.cell![i]!);
      const frame: ViewerFrame = {
        step: stepCount + 1,
        numbers: Uint8Array.from(numbers),
        positions: first("positions"),
        fields: { forces: first("forces"), velocities: first("velocities") },
        pbc: [pbc[0] === 1, pbc[1] === 1, pbc[2] === 1],
        ...typeof info.file === "string" && { label: info.file },
        ...cell.some((x) => x !== 0) && { cell },
      };
      live(frame);
    },
  };
}

/** Returns the rows of the hook table. */
export function hookRows(
  { hooks }: { readonly hooks: { list(): readonly object[] } },
): readonly HookRow[] {
  const all = hooks.list() as readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly stages: readonly string[];
    readonly frequency: number;
  }[];
  return all.map(({ name, enabled, stages, frequency }) => ({
    name,
    stages,
    frequency,
    isEnabled: enabled,
  }));
}
