/**
 * The command `hooke export`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import type { OnnxManifest } from "../../models/onnx/manifest/manifest.ts";
import type { OnnxModelOptions } from "../../models/onnx/options.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { opsetOf } from "../../onnx/codec/opset.ts";
import { loadSource } from "../../onnx/session/session_source.ts";
import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { printDryRun } from "../run/dry_run.ts";
import { exists } from "../run/formats.ts";
import { findModelFile } from "../run/model_file.ts";
import { notice } from "../run/notices.ts";
import { moveAside } from "../run/replaced_file.ts";
import { readStructures } from "../run/structures.ts";
import { checkWritable } from "../run/writable.ts";
import { type Checked, checkWritten } from "./check.ts";
import { type DerivedModel, derivedModel } from "./derived.ts";
import { builtStructures } from "./probe.ts";
import type { ExportSettings } from "./settings.ts";

/** Adds forces and virials to a model, checks the result, and writes it. */
export async function exportModel(settings: ExportSettings, run: CommandRun): Promise<number> {
  const [spec, ...others] = settings.files;
  if (spec === undefined || others.length > 0) {
    throw new UsageError("Cannot export without one model: pass an .onnx file");
  }
  const { source, download } = await findModelFile(spec);
  const output = settings.output ?? outputFor(source);
  checkOutput(output, source, settings.overwrite);
  if (settings.dryRun) {
    const sentence = `Would add forces to ${source}, and write ${output}`;
    return printDryRun(run, "export", { ...settings, output }, sentence);
  }
  await checkWritable([output], run);
  const structure = settings.struct === undefined
    ? undefined
    : (await readStructures(settings.struct, {}, run.signal))[0]!.system;
  notice(run, settings, `Opening ${source}`);
  const original = (await loadSource(source, { ...download, name: source })).bytes;
  const warn = (message: string) => run.terminal.complain(message);
  const options: OnnxModelOptions = { ...settings.modelOptions, ...download, onWarning: warn };
  const derived = await derivedModel(source, original, {
    options,
    wantsVirial: !settings.forcesOnly,
  });
  await disposing(derived.model, async (model) => {
    run.signal.throwIfAborted();
    notice(run, settings, "Checking the forces");
    const { metadataProps } = decodeModel(derived.bytes);
    const manifest = JSON.parse(
      metadataProps.find(({ key }) => key === "hooke")?.value ?? "{}",
    ) as OnnxManifest;
    const systems = structure === undefined ? builtStructures(manifest) : [structure];
    const checked = await written(
      output,
      derived.bytes,
      (path) => checkWritten({ path, name: source }, model, systems),
    );
    run.completed();
    print(settings, run, { source, output, derived, checked });
  });
  return ExitCode.DONE;
}

function outputFor(source: string): string {
  const name = source.replace(/[?#].*$/, "").replace(/^.*[/\\]/, "");
  return `${name.replace(/\.onnx$/i, "")}.forces.onnx`;
}

function checkOutput(output: string, source: string, overwrite: boolean): void {
  const { resolve } = builtin("node:path");
  if (!/\.onnx$/i.test(output)) {
    throw new UsageError(`Cannot write ${output}: its name must end with .onnx`);
  }
  if (resolve(output) === resolve(source)) {
    throw new UsageError(
      `Cannot write ${output}: it is the model itself. Pass another file by --output`,
    );
  }
  if (!exists(output)) return;
  if (findHost()!.statSync(output).isDirectory) {
    throw new UsageError(`Cannot write ${output}: it is a folder`);
  }
  if (overwrite) return;
  throw new UsageError(
    `Cannot write ${output}: it exists. Pass --overwrite to replace it, or another file by --output`,
  );
}

/**
 * Writes bytes to a file beside `path`, calls `check` with the path of this file, and moves it to `path` if `check`
 * has not thrown.
 */
async function written<T>(
  path: string,
  bytes: Uint8Array,
  check: (path: string) => Promise<T>,
): Promise<T> {
  const { rename, rm, writeFile } = builtin("node:fs/promises");
  const part = `${path.replace(/\.onnx$/i, "")}.${crypto.randomUUID()}.part.onnx`;
  try {
    await writeFile(part, bytes);
    const result = await check(part);
    const old = await moveAside(path);
    await rename(part, path).catch(async (error) => {
      await old.putBack();
      throw error;
    });
    await old.remove();
    return result;
  } finally {
    await rm(part, { force: true });
  }
}

function print(
  { json }: ExportSettings,
  { terminal }: CommandRun,
  { source, output, derived, checked }: {
    readonly source: string;
    readonly output: string;
    readonly derived: DerivedModel;
    readonly checked: Checked;
  },
): void {
  const { added, bytes, nodes, withoutVirial, needsOneThread } = derived;
  const opset = opsetOf(decodeModel(bytes));
  if (json) {
    const facts = { model: source, output, bytes: bytes.length, nodes, opset, added };
    return terminal.print(
      JSON.stringify({ type: "exported", ...facts, withoutVirial, needsOneThread, checked }),
    );
  }
  for (const [i, { name, shape = [] }] of added.entries()) {
    const meaning = i === 0 ? "−dE/dpositions" : "−dE/dε; divided by −volume, stresses";
    terminal.print(`added ${name} [${shape.join(", ")}]: ${meaning}`);
  }
  if (withoutVirial !== undefined) terminal.print(`no virials: ${withoutVirial}`);
  if (needsOneThread !== undefined) {
    terminal.print(`run it on one thread (intra_op_num_threads=1): ${needsOneThread}`);
  }
  const { structure, runtime, isDouble, fmax, forces, virial, slope } = checked;
  const precision = isDouble ? "double" : "single";
  terminal.print(
    `checked on ${structure} (largest force ${fmax.toPrecision(3)} eV/Å), in ${runtime}: ` +
      `forces differ by ${forces.toExponential(1)} eV/Å${
        virial === undefined ? "" : ` and virials by ${virial.toExponential(1)} eV`
      } from ${precision} precision; slopes of the energy by ${slope.toExponential(1)} (relative)`,
  );
  const size = (bytes.length / 1e6).toPrecision(3);
  terminal.print(
    `Wrote ${output}: ${size} MB, ${nodes} nodes, opset ${opset}, all weights included`,
  );
}
