/**
 * The command `hooke convert`.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import { writeStructures } from "../../formats/files.ts";
import type { FormatOptions } from "../../formats/format.ts";
import { formatOfPath } from "../../formats/registry.ts";
import { openSystems } from "../../sinks/systems_file.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { checkFormat } from "../run/formats.ts";
import { writeToSink } from "../run/replaced_file.ts";
import { checkOutput } from "../run/results.ts";
import { framesOf, splitRange } from "../run/structures.ts";
import type { ConvertSettings } from "./settings.ts";

/** Converts files. Only one structure is in memory at a time. */
export async function convert(settings: ConvertSettings, run: CommandRun): Promise<number> {
  const inputs = settings.files.slice(0, -1), output = settings.files.at(-1);
  if (output === undefined || inputs.length === 0) {
    throw new UsageError(
      "Cannot convert without two files: pass the file to read and the file to write",
    );
  }
  for (const path of inputs) checkFormat(splitRange(path).file, "read");
  checkOutput(output, settings.overwrite);
  const formats = await formatOptionsOf(settings, (message) => run.terminal.complain(message));
  const options = { ...formats, frameTime: settings.frameTime };
  let count = 0;
  async function* systems(): AsyncGenerator<System, void> {
    for (const path of inputs) {
      for await (const system of framesIn(path, options)) {
        run.signal.throwIfAborted();
        count++;
        yield system;
      }
    }
  }
  if (formatOfPath(output) !== undefined) await writeStructures(output, systems(), options);
  else {
    await writeToSink(output, async (sink) => {
      for await (const system of systems()) await sink.write(Batch.from([system]));
    });
  }
  run.completed();
  run.terminal.print(`Wrote ${count === 1 ? "1 structure" : `${count} structures`} to ${output}`);
  return ExitCode.DONE;
}

async function* framesIn(path: string, options: FormatOptions): AsyncGenerator<System, void> {
  const { file, range } = splitRange(path);
  const opened = await openSystems(file, options);
  try {
    const frames = framesOf(range, opened.length);
    if (frames.length === 0) {
      throw new UsageError(`Cannot read ${path}: the file has ${opened.length} frames`);
    }
    for (const frame of frames) yield await opened.get(frame);
  } finally {
    await opened.close();
  }
}
