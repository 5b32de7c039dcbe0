/**
 * Reports of run folders, from their files alone.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { isObject } from "../../base/object.ts";
import { writeWhole } from "../../checkpoint/mod.ts";
import { reportText } from "../../config/report/report.ts";
import {
  configuration,
  type ReportBlock,
  type ReportContent,
  reportContent,
} from "../../config/report/report_content.ts";
import { parseIdentity, pathsIn, textIn } from "../../config/runs/run_files.ts";
import { barsSvg } from "../draw/bars.ts";
import { readLoggedRun } from "../plot/curves.ts";
import { screeningIn, stepsUntilConvergence } from "../plot/screening.ts";
import { outcomeIn } from "../screen/outcome.ts";
import type { ScreenResult } from "../screen/screen_result.ts";
import { withPictures } from "./pictured.ts";
import { dynamicsPictures, screeningPictures } from "./structure_pictures.ts";

/** Number of failures in a report. `status.csv` has all. */
const FAILURES = 100;

/** Results of a screening that are in memory, so that its files need not be read again. */
export interface KnownScreening {
  readonly results: readonly ScreenResult[];
  /** First and last structure of the results. */
  readonly ends: readonly System[];
}

/** Returns the content of the report of a run folder. */
export async function contentOf(folder: string, known?: KnownScreening): Promise<ReportContent> {
  const results = known?.results ?? await screeningIn(folder);
  if (results !== undefined) return await screeningContent(folder, results, known?.ends);
  const run = await readLoggedRun(folder);
  return withPictures(reportContent(run), await dynamicsPictures(folder, run));
}

/** Writes the report of a run folder to a file: HTML, or Markdown if its name ends with .md. */
export async function writeRunReport(
  folder: string,
  file: string = `${folder}/report.html`,
  known?: KnownScreening,
): Promise<ReportContent> {
  const content = await contentOf(folder, known);
  const format = /\.md$/i.test(file) ? "markdown" : "html";
  const text = reportText(content, { format });
  await writeWhole(file, new TextEncoder().encode(text), "report");
  return content;
}

/** Writes the report at the end of a run. A report that cannot be written is a warning, because the results are there. */
export async function writeFinalReport(
  folder: string,
  warn: (message: string) => void,
  known?: KnownScreening,
): Promise<void> {
  try {
    await writeRunReport(folder, undefined, known);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`Warning: the report was not written: ${reason}`);
  }
}

async function screeningContent(
  folder: string,
  results: readonly ScreenResult[],
  ends: readonly System[] | undefined,
): Promise<ReportContent> {
  const path = pathsIn(folder).config;
  const { config, id, begun, configHash } = parseIdentity(await textIn(path) ?? "", path);
  const settings = isObject(config) ? config : {};
  const outcome = await outcomeIn(folder);
  const count = (status: ScreenResult["status"]) =>
    results.filter((one) => one.status === status).length;
  const rows: [string, string][] = [
    [
      "outcome",
      outcome ?? "not ended: the screening is still going on, or its process was killed",
    ],
    ["structures", String(results.length)],
    ["files", String(new Set(results.map(({ file }) => file)).size)],
    ["converged", String(count("converged"))],
    ["not converged", String(count("not converged"))],
    ["failed", String(count("failed"))],
    ["potential", String(settings.model ?? "lj")],
    ["began", begun],
    ["run", id],
    ...(configHash === null ? [] : [["configuration", configHash] as [string, string]]),
  ];
  const steps = stepsUntilConvergence(results), title = "Steps until convergence";
  const plots: ReportBlock[] = steps.length === 0 ? [] : [{
    kind: "plot",
    name: "convergence",
    title,
    svg: barsSvg(steps, { title: `${title} (number of structures)`, label: "steps" }),
  }];
  const content: ReportContent = {
    title: folder.split("/").findLast((part) => part !== "") ?? folder,
    status: outcome === "completed" ? "completed" : outcome === undefined ? "not ended" : "stopped",
    sections: [
      { title: "Run", blocks: [{ kind: "facts", rows }] },
      { title: "Plots", blocks: plots },
      { title: "Failures", blocks: failures(results) },
      { title: "Configuration", blocks: configuration({ config }) },
    ],
  };
  return withPictures(content, await screeningPictures(`${folder}/${settings.results}`, ends));
}

/** Returns a list with a table of the structures that have failed; an empty list if all are well. */
function failures(results: readonly ScreenResult[]): ReportBlock[] {
  const failed = results.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [];
  const rows = failed.slice(0, FAILURES)
    .map(({ file, frame, reason }) => [file, frame === null ? "" : String(frame), reason]);
  const left = failed.length - rows.length;
  return [
    { kind: "table", head: ["file", "frame", "reason"], rows },
    ...(left > 0 ? [{ kind: "list", items: [`${left} more are in status.csv.`] } as const] : []),
  ];
}
