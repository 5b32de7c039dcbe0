/**
 * Parts of a run. A part begins with a start record, and lasts until its end record, until the process is killed, or
 * until the next start record.
 *
 * @module
 */

import type { ScalarSnapshot } from "../../observe/mod.ts";
import type { RunEnd, RunRecord, RunStart } from "./run_record.ts";

/** A step and the time at which it was logged. */
type StepTime = Pick<RunRecord, "step" | "time">;

/** A part of a run. */
export interface RunPart {
  readonly start: RunStart;
  /** Last known step and its time. For a part that was killed, they may come from its scalars. */
  readonly last: StepTime;
  readonly end: RunEnd | undefined;
}

/** Returns the parts of a run, in order. */
export function partsOf({ records, lastScalars = [] }: {
  readonly records: readonly RunRecord[];
  readonly lastScalars?: readonly (StepTime | undefined)[];
}): RunPart[] {
  return startsOf(records).map((start, i, starts) => {
    const next = starts[i + 1], from = records.indexOf(start);
    const logged = records.slice(from, next && records.indexOf(next)).at(-1)!;
    const scalars = lastScalars[i];
    const isNewer = scalars !== undefined && Date.parse(scalars.time) > Date.parse(logged.time);
    if (logged.type === "end") return { start, last: logged, end: logged };
    return { start, last: isNewer ? scalars : logged, end: undefined };
  });
}

/** Returns the duration of a part, s. */
export function durationOf({ start, last }: RunPart): number {
  return (Date.parse(last.time) - Date.parse(start.time)) / 1000;
}

/** Returns the start records of a run, in order. */
export function startsOf(records: readonly RunRecord[]): RunStart[] {
  return records.filter((record) => record.type === "start");
}

/** Returns the step and time of the last scalars of each part of a run; undefined for a part without scalars. */
export function lastScalarsIn(
  records: readonly RunRecord[],
  rows: readonly ScalarSnapshot[],
): (StepTime | undefined)[] {
  const starts = records.filter(({ type }) => type === "start").map(({ time }) => Date.parse(time));
  return starts.map((from, i) => {
    const to = starts[i + 1] ?? Infinity;
    const last = rows.findLast(({ time }) => 1000 * time >= from && 1000 * time < to);
    return last && { step: last.step, time: new Date(1000 * last.time).toISOString() };
  });
}
