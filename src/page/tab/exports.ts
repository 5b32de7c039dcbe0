/**
 * Files of a run in a tab, made on demand.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import { pictured, withPictures } from "../../cli/report/pictured.ts";
import { resultsOf } from "../../cli/run/batch_of.ts";
import { configHash } from "../../base/config_hash.ts";
import { stepName } from "../../checkpoint/folder.ts";
import { parseRunLog } from "../../config/runs/parse_run_log.ts";
import type { RunData } from "../../config/runs/read_run.ts";
import { identityText } from "../../config/runs/run_files.ts";
import { reportContent } from "../../config/report/report_content.ts";
import { reportText } from "../../config/report/report.ts";
import { formatOfPath } from "../../formats/registry.ts";
import { writeZip } from "../../formats/npz/zip.ts";
import { extxyzFormat } from "../../sinks/extxyz/extxyz_format.ts";
import type { TabParts } from "./tab_engine.ts";
import type { TabLogs } from "./tab_hooks.ts";

/** Files that a run offers. Those with `needsTime` belong to dynamics only. */
export const EXPORTS: readonly { readonly path: string; readonly needsTime?: boolean }[] = [
  { path: "final.xyz" },
  { path: "final.cif" },
  { path: "trajectory.xyz" },
  { path: "trajectory.npz" },
  { path: "report.html" },
  { path: "log.csv", needsTime: true },
  { path: "checkpoint.hooke" },
  { path: "run.zip", needsTime: true },
];

/** Parts of a run from which files are made. */
export interface ExportedRun {
  readonly parts: TabParts;
  readonly logs: TabLogs;
  readonly frames: readonly System[];
  /** Time at which the run began, ISO 8601. */
  readonly begun: string;
  /** Returns the bytes of a checkpoint. */
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the batch as it is now. */
  final(): Promise<Batch>;
}

/** Makes a file. Throws a RangeError if the run has no such file, or nothing to write yet. */
export async function exportOf(path: string, run: ExportedRun): Promise<Uint8Array<ArrayBuffer>> {
  const { parts, logs, frames } = run;
  switch (path) {
    case "final.xyz":
    case "final.cif":
      return await structureBytes(path, finalSystems(await run.final(), parts.isMoving));
    case "trajectory.xyz":
    case "trajectory.npz":
      return await structureBytes(path, frames);
    case "log.csv":
      return utf8(`${logs.rows.join("\n")}\n`);
    case "report.html":
      return utf8(await reportOf(run));
    case "checkpoint.hooke":
      return await run.checkpoint();
    case "run.zip":
      return await folderOf(run);
  }
  throw new RangeError(`Cannot make ${path}: the run has no such file`);
}

/** Returns the systems of a batch with ids of a new batch, as the commands write them. */
function finalSystems(batch: Batch, isMoving: boolean): readonly System[] {
  return Batch.from(resultsOf(batch, isMoving)).systems();
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Returns structures in the format that the name of the file determines. */
export async function structureBytes(
  path: string,
  systems: readonly System[],
): Promise<Uint8Array<ArrayBuffer>> {
  if (systems.length === 0) {
    throw new RangeError(`Cannot make ${path}: there are no structures yet`);
  }
  const format = await formatOfPath(path)?.();
  if (format === undefined) {
    const { encode } = extxyzFormat({ momenta: true });
    const records = systems.map((system) => encode(system, 0));
    return joined(records.map((one) => typeof one === "string" ? utf8(one) : one));
  }
  const kept = format.frames === "one" ? systems.slice(0, 1) : systems;
  const writer = format.write!({});
  try {
    const bytes = joined(kept.map((system) => writer.frame(system)));
    return patched(bytes, writer.finish());
  } finally {
    writer.close?.();
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns bytes with patches, which may reach beyond their end. */
function patched(
  bytes: Uint8Array<ArrayBuffer>,
  patches: Iterable<{ readonly at: number; readonly bytes: Uint8Array }>,
): Uint8Array<ArrayBuffer> {
  let all = bytes;
  for (const { at, bytes: part } of patches) {
    if (at + part.length > all.length) {
      const longer = new Uint8Array(at + part.length);
      longer.set(all);
      all = longer;
    }
    all.set(part, at);
  }
  return all;
}

async function dataOf({ parts, logs, begun }: ExportedRun): Promise<RunData> {
  const { config, facts } = parts, records = parseRunLog(logs.records.join(""));
  return {
    name: facts.structures[0]!.label,
    id: records[0]?.id ?? crypto.randomUUID(),
    begun,
    configHash: await configHash(config),
    config,
    records,
    history: logs.reporter.history,
  };
}

async function reportOf(run: ExportedRun): Promise<string> {
  const { parts: { batch, dt, engine }, frames } = run;
  const end = batch.size === 0 ? undefined : (await run.final()).system(0);
  const time = dt === undefined ? "" : `, ${+(dt * engine.stepCount / 1000).toPrecision(6)} ps`;
  const shown = [
    ...frames.length === 0 ? [] : [{
      system: frames[0]!,
      title: dt === undefined ? "First structure" : "First structure, 0 ps",
    }],
    ...end === undefined ? [] : [{ system: end, title: `Last structure${time}` }],
  ];
  const pictures = await pictured(() => Promise.resolve(shown));
  return reportText(withPictures(reportContent(await dataOf(run)), pictures));
}

/** Returns a run folder as a zip archive, which `hooke resume` continues once it is unpacked. */
async function folderOf(run: ExportedRun): Promise<Uint8Array<ArrayBuffer>> {
  const { id, begun, configHash, config } = await dataOf(run);
  const { engine } = run.parts, checkpoint = await run.checkpoint();
  const identity = { id: id!, begun: begun!, configHash: configHash ?? null, config };
  return writeZip(
    new Map<string, Uint8Array>([
      ["run/config.json", utf8(identityText(identity))],
      ["run/runs.jsonl", utf8(run.logs.records.join(""))],
      [`run/checkpoints/${stepName(engine.stepCount)}`, checkpoint],
      ["run/trajectory.xyz", await structureBytes("trajectory.xyz", run.frames)],
      ["run/log.csv", utf8(`${run.logs.rows.join("\n")}\n`)],
    ]),
  );
}
