/**
 * Content of a report, independent of its format.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { plot } from "../../observe/mod.ts";
import { reportPlots } from "./report_plots.ts";
import type { RunData } from "../runs/read_run.ts";
import { durationOf, partsOf, startsOf } from "../runs/run_parts.ts";
import type { LoggedOutcome, RunEnd, RunRecord, RunStart } from "../runs/run_record.ts";

/** A picture of a report. */
export interface ReportPicture {
  readonly kind: "plot";
  /** File name without extension. */
  readonly name: string;
  /** Title, which is also in the picture. */
  readonly title: string;
  readonly svg: string;
}

/** A block of a report. A row has pictures beside one another. */
export type ReportBlock =
  | { readonly kind: "facts"; readonly rows: readonly (readonly [string, string])[] }
  | {
    readonly kind: "table";
    readonly head: readonly string[];
    readonly rows: readonly (readonly string[])[];
  }
  | ReportPicture
  | { readonly kind: "row"; readonly pictures: readonly ReportPicture[] }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "code"; readonly text: string };

/** A section of a report. */
export interface ReportSection {
  readonly title: string;
  readonly blocks: readonly ReportBlock[];
}

/** A report, independent of its format. */
export interface ReportContent {
  /** Name of the run. */
  readonly title: string;
  /** Outcome of the run. */
  readonly status: "completed" | "completed with warnings" | "stopped" | "failed" | "not ended";
  /** Sections that are not empty. */
  readonly sections: readonly ReportSection[];
}

/** Returns the content of the report of a run. */
export function reportContent(run: RunData): ReportContent {
  const starts = run.records.filter((record) => record.type === "start");
  const end = endOf(run.records);
  const sections: ReportSection[] = [
    { title: "Run", blocks: [facts(run, starts.at(-1), end)] },
    { title: "Warnings", blocks: warnings(run, end) },
    { title: "Plots", blocks: plots(run) },
    { title: "Parts", blocks: parts(run) },
    { title: "Hooks", blocks: hooks(run.records) },
    { title: "Hook changes", blocks: changes(run.records) },
    { title: "Timings", blocks: timings(run) },
    { title: "Configuration", blocks: configuration(run) },
  ];
  return {
    title: run.name,
    status: end === undefined
      ? "not ended"
      : isDoubtful(end.outcome)
      ? "completed with warnings"
      : end.outcome.status,
    sections: sections.filter(({ blocks }) => blocks.length > 0),
  };
}

/** Returns whether a run is completed, but the engine has warned of its results. */
function isDoubtful({ status, warnings = [] }: LoggedOutcome): boolean {
  return status === "completed" && warnings.length > 0;
}

/** Returns the record of the end of the run's last part; undefined if that part has not ended. */
function endOf(records: readonly RunRecord[]): RunEnd | undefined {
  const last = records.findLast(({ type }) => type !== "change");
  return last?.type === "end" ? last : undefined;
}

function facts(run: RunData, start: RunStart | undefined, end: RunEnd | undefined): ReportBlock {
  const last = partsOf(run).at(-1)?.last ?? run.records.at(-1);
  const device = end?.device ?? start?.device;
  const { hooke, deno, userAgent, platform } = start?.versions ?? {};
  const rows: [string, string | undefined | null][] = [
    [
      "outcome",
      end === undefined
        ? "not ended: the run is still going on, or its process was killed"
        : outcomeText(end.outcome),
    ],
    ["engine", start?.engine],
    ["steps", last === undefined ? undefined : String(last.step)],
    ["began", run.begun ?? run.records[0]?.time],
    ["last record", last?.time],
    ["took", totalDuration(run)],
    ["run", run.id ?? start?.id],
    ["commit", start?.commit],
    ["configuration", run.configHash ?? start?.configHash],
    ["Hooke", hooke],
    ["runtime", deno === undefined ? userAgent : `Deno ${deno}`],
    ["platform", platform],
    ["device", device?.device],
    ["model computed by", start?.runtime],
    ["constraints", start?.constraints?.join(", ")],
  ];
  return {
    kind: "facts",
    rows: rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== null),
  };
}

function outcomeText(outcome: LoggedOutcome): string {
  switch (outcome.status) {
    case "completed":
      return isDoubtful(outcome) ? "completed with warnings, see below" : "completed";
    case "stopped":
      return `stopped in step ${outcome.step}: ${outcome.reason}`;
    case "failed":
      return `failed: ${outcome.error.name}: ${outcome.error.message}`;
  }
}

function warnings({ records }: RunData, end: RunEnd | undefined): ReportBlock[] {
  const items = (records.at(-1)?.hooks ?? []).filter(({ errors }) => errors > 0)
    .map(({ name, errors }) => `Hook ${name} has failed ${errors} time${errors === 1 ? "" : "s"}.`);
  const skipped = (end?.device ?? startsOf(records).at(-1)?.device)?.skipped ?? [];
  items.push(...end?.outcome.warnings ?? []);
  items.push(...skipped.map(({ device, reason }) => `Device ${device} was skipped: ${reason}`));
  const open = startsOf(records).length - records.filter(({ type }) => type === "end").length;
  const killed = open - (end === undefined && records.length > 0 ? 1 : 0);
  if (killed > 0) items.push(`${killed} part${killed === 1 ? "" : "s"} of the run never ended.`);
  return items.length === 0 ? [] : [{ kind: "list", items }];
}

function plots({ history, config }: RunData): ReportBlock[] {
  const x = timeAxis(config);
  return reportPlots(history).map(({ name, title: plain, scalars, scale }) => {
    const title = withUnit(plain, config);
    const svg = plot({ history }, { title, scalars, scale, ...(x !== undefined && { x }) });
    return { kind: "plot", name, title, svg };
  });
}

/** Units of the metrics of `hooke train` and `hooke fine-tune`. Metrics of other trainings may have other units. */
const TUNING_UNITS: Readonly<Record<string, string>> = {
  energyMAE: "meV/atom",
  energyRMSE: "meV/atom",
  forcesMAE: "meV/Å",
  forcesRMSE: "meV/Å",
  stressMAE: "meV/Å³",
  stressRMSE: "meV/Å³",
};

function withUnit(title: string, config: unknown): string {
  const isTuning = isObject(config) && ["train", "fine-tune"].includes(String(config.command));
  const unit = isTuning ? TUNING_UNITS[title] : undefined;
  return unit === undefined ? title : `${title}, ${unit}`;
}

/** Returns the axis of time in ps for a run of `hooke md`, whose time step is in fs; undefined for other runs. */
function timeAxis(
  config: unknown,
): { readonly label: string; readonly perStep: number } | undefined {
  if (!isObject(config) || config.command !== "md" || !(Number(config.dt) > 0)) return undefined;
  return { label: "time, ps", perStep: Number(config.dt) / 1000 };
}

/**
 * Returns a list with a table of the parts of a resumed run; an empty list for a run of a single part, which the
 * facts describe.
 */
function parts(run: RunData): ReportBlock[] {
  const all = partsOf(run);
  if (all.length < 2) return [];
  const rows = all.map((part, i) => [
    String(i + 1),
    part.start.time,
    duration(durationOf(part)),
    String(part.start.step),
    String(part.last.step),
    part.end === undefined ? "never ended" : outcomeText(part.end.outcome),
  ]);
  return [{
    kind: "table",
    head: ["", "began", "took", "from step", "to step", "outcome"],
    rows,
  }];
}

function totalDuration(run: RunData): string | undefined {
  if (run.records.length === 0) return undefined;
  return duration(partsOf(run).reduce((sum, part) => sum + durationOf(part), 0));
}

/** Formats a duration as 7.25 s, 12 min 34 s or 1 h 2 min. */
function duration(seconds: number): string {
  if (seconds < 60) return `${+seconds.toFixed(2)} s`;
  const whole = Math.round(seconds), minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function hooks(records: readonly RunRecord[]): ReportBlock[] {
  const list = records.at(-1)?.hooks ?? [];
  if (list.length === 0) return [];
  const rows = list.map(({ name, enabled, stages, frequency, errors }) => [
    name,
    stages.join(", ") || "begin and end",
    stages.length > 0 ? String(frequency) : "",
    enabled ? "on" : "off",
    String(errors),
  ]);
  return [{ kind: "table", head: ["hook", "stages", "every", "state", "errors"], rows }];
}

function changes(records: readonly RunRecord[]): ReportBlock[] {
  const rows = records.filter((record) => record.type === "change")
    .map(({ time, step, change, hook }) => [String(step), time, change, hook]);
  return rows.length === 0 ? [] : [{ kind: "table", head: ["step", "time", "what", "hook"], rows }];
}

function timings({ profile = [] }: RunData): ReportBlock[] {
  if (profile.length === 0) return [];
  const all = profile.reduce((sum, { count, mean }) => sum + count * mean, 0);
  const rows = profile.toSorted((a, b) => b.count * b.mean - a.count * a.mean)
    .map(({ from, to, count, mean, std, min, max }) => [
      `${from} → ${to}`,
      String(count),
      ...[mean, std, min, max].map((ms) => ms.toFixed(4)),
      `${(100 * count * mean / all).toFixed(1)} %`,
    ]);
  const head = ["from stage to stage", "count", "mean/ms", "std/ms", "min/ms", "max/ms", "share"];
  return [{ kind: "table", head, rows }];
}

/** Returns a list with the configuration as a block; an empty list if there is no configuration. */
export function configuration({ config }: Pick<RunData, "config">): ReportBlock[] {
  if (config === undefined || config === null) return [];
  return [{ kind: "code", text: JSON.stringify(config, null, 2) }];
}
