/**
 * The command `hooke inspect`.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatNames, isStructureName } from "../run/formats.ts";
import { kindOf } from "../run/path_kind.ts";
import { splitRange } from "../run/structures.ts";
import type { Inspection } from "./inspection.ts";
import type { InspectSettings } from "./settings.ts";

/** Describes files and folders. */
export async function inspect(
  settings: InspectSettings,
  run: CommandRun,
): Promise<number> {
  const { files, json } = settings, { terminal, signal, completed } = run;
  if (files.length === 0) {
    throw new UsageError(
      "Cannot inspect nothing: pass a model, a file of structures, or a run folder",
    );
  }
  for (const [i, file] of files.entries()) {
    signal.throwIfAborted();
    const { lines, data } = await inspection(file, settings, run);
    if (json) {
      terminal.print(JSON.stringify({ file, ...data }));
      continue;
    }
    if (i > 0) terminal.print("");
    for (const line of lines) terminal.print(line);
  }
  completed();
  return ExitCode.DONE;
}

async function inspection(
  file: string,
  settings: InspectSettings,
  run: CommandRun,
): Promise<Inspection> {
  if (isRunFolder(file)) return (await import("./run.ts")).inspectRun(file);
  if (/\.onnx$/i.test(file)) {
    return await (await import("./model.ts")).inspectModel(file, settings);
  }
  if (/\.hooke$/i.test(file)) {
    return await (await import("./checkpoint.ts")).inspectCheckpoint(file);
  }
  checkName(file);
  return await (await import("./structures.ts")).inspectStructures(file, run);
}

/** Throws a UsageError if a path is neither a run folder nor named as a file that can be described. */
function checkName(path: string): void {
  const { file } = splitRange(path);
  if (isStructureName(file)) return;
  const known = `.onnx (models), .hooke (checkpoints), or one of ${formatNames("read")}`;
  if (kindOf(file) === "folder" && kindOf(`${file}/campaign.json`) === "file") {
    throw new UsageError(
      `Cannot inspect ${path}: it is a campaign. hooke status and hooke results show it`,
    );
  }
  throw new UsageError(
    kindOf(file) === "folder"
      ? `Cannot inspect ${path}: it is not a run folder, because it has no config.json. ` +
        `Pass a run folder, or a file whose name ends with ${known}`
      : kindOf(file) === "file"
      ? `Cannot inspect ${path}: its name must end with ${known}; a run folder has a config.json`
      : `Cannot inspect ${path}: there is no such file or folder`,
  );
}

function isRunFolder(path: string): boolean {
  try {
    return !findHost()!.statSync(`${path}/config.json`).isDirectory;
  } catch {
    return false; // any other file, whose reader reports what is wrong
  }
}
