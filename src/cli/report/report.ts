/**
 * The command `hooke report`.
 *
 * @module
 */

import { pathsIn } from "../../config/runs/run_files.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { exists } from "../run/formats.ts";
import { kindOf } from "../run/path_kind.ts";
import { checkWritable } from "../run/writable.ts";
import { warningsOf } from "./pictured.ts";
import { writeRunReport } from "./run_report.ts";
import type { ReportSettings } from "./settings.ts";

/** Writes the reports of runs. */
export async function writeReports(settings: ReportSettings, run: CommandRun): Promise<number> {
  const { runs, output, json, quiet } = settings;
  const folders = runs.map((path) => path.replace(/(.)[/\\]+$/, "$1"));
  checkSettings(folders, settings);
  const files = folders.map((folder) => output ?? `${folder}/report.html`);
  await checkWritable(files, run);
  for (const [i, folder] of folders.entries()) {
    run.signal.throwIfAborted();
    const file = files[i]!, content = await writeRunReport(folder, file);
    const { status } = content, warnings = warningsOf(content);
    if (json) {
      run.terminal.print(JSON.stringify({ type: "report", run: folder, file, status, warnings }));
    } else if (!quiet) {
      for (const warning of warnings) run.terminal.complain(`Warning: ${warning}`);
      run.terminal.print(`Wrote ${file}: ${status}`);
    }
  }
  run.completed();
  return ExitCode.DONE;
}

function checkSettings(
  folders: readonly string[],
  { output, overwrite }: ReportSettings,
): void {
  if (folders.length === 0) {
    throw new UsageError("Cannot report nothing: pass a run folder, such as argon-md");
  }
  for (const folder of folders) {
    const kind = kindOf(folder);
    if (kind === undefined) {
      throw new UsageError(`Cannot report ${folder}: there is no such folder`);
    }
    if (kind === "file" || !exists(pathsIn(folder).config)) {
      throw new UsageError(
        `Cannot report ${folder}: it is not a run folder, because it has no config.json`,
      );
    }
  }
  if (output === undefined) return;
  if (folders.length > 1) {
    throw new UsageError(
      `Cannot write ${folders.length} reports to ${output}: pass one run folder`,
    );
  }
  if (!/\.(html?|md)$/i.test(output)) {
    throw new UsageError(`Cannot write ${output}: the name of a report must end with .html or .md`);
  }
  if (!overwrite && exists(output)) {
    throw new UsageError(
      `Cannot write ${output}: it exists. Pass --overwrite to replace it, or another file by --output`,
    );
  }
}
