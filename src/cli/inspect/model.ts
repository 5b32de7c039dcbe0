/**
 * Descriptions of ONNX models.
 *
 * @module
 */

import { describeModel, showModel } from "../../onnx/describe/describe_model.ts";
import { webgpuFallbacks } from "../../onnx/describe/webgpu_operators.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import { points, showPoints, type TensorPoint } from "../../onnx/taps/points.ts";
import { findHost } from "../../platform/host.ts";
import { codeOf } from "../../base/file_refusal.ts";
import { UsageError } from "../frame/usage_error.ts";
import { derivativesOf } from "./derivatives.ts";
import type { Inspection } from "./inspection.ts";
import type { InspectSettings } from "./settings.ts";

/** Describes an ONNX model. */
export async function inspectModel(
  file: string,
  { points: pattern, modelOptions }: InspectSettings,
): Promise<Inspection> {
  const bytes = await bytesOf(file);
  const model = decodeModel(bytes, { name: file });
  const description = describeModel(model);
  const meaning = await meaningOf(file, modelOptions, showModel(description));
  const all = points(new Graph(model));
  const kinds = Map.groupBy(all, ({ kind }) => kind);
  const slopes = derivativesOf(await wholeOf(file, bytes), description);
  const listed = pattern === undefined ? [] : points(new Graph(model), pattern);
  return {
    lines: [
      ...meaning.lines,
      `hook points: ${
        [...kinds].map(([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`).join(
          ", ",
        )
      }${pattern === undefined ? `, such as ${examplesOf(all)}; --points PATTERN lists them` : ""}`,
      ...(listed.length === 0 ? [] : showPoints(listed).split("\n").map((line) => `  ${line}`)),
      "derivatives",
      ...slopes.map(({ of, by, reason }) => `  d ${of} / d ${by}: ${reason ?? "can be computed"}`),
      ...(slopes.length === 0 ? ["  none: no output and input are floating-point"] : []),
    ],
    data: {
      type: "model",
      opset: description.opset,
      producer: description.producer,
      inputs: description.inputs,
      outputs: description.outputs,
      operators: Object.fromEntries(description.ops),
      parameters: description.parameterCount,
      meaning: meaning.text,
      problem: meaning.problem,
      webgpuFallbacks: webgpuFallbacks(model),
      points: pattern === undefined
        ? Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]))
        : listed.map(({ name, kind, op, type, shape }) => ({ name, kind, op, type, shape })),
      derivatives: slopes,
    },
  };
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await findHost()!.readFile(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      throw new UsageError(`Cannot inspect ${file}: there is no such file`);
    }
    throw error;
  }
}

/** Includes weights of other files, as opening does. If they cannot be read, the problem of opening names them. */
async function wholeOf(file: string, bytes: Uint8Array): Promise<Uint8Array> {
  const { loadWhole } = await import("../../onnx/codec/load_whole.ts");
  return await loadWhole(file).then((whole) => whole.bytes, () => bytes);
}

/** Opens the model, which shows the meanings of its tensors. If that fails, describes the file alone. */
async function meaningOf(
  file: string,
  options: InspectSettings["modelOptions"],
  plain: string,
): Promise<
  { readonly lines: readonly string[]; readonly text?: string; readonly problem?: string }
> {
  const { OnnxModel } = await import("../../models/onnx/onnx_model.ts");
  try {
    const { withOptionsNamed } = await import("../run/missing_options.ts");
    const open = () => OnnxModel.open(file, { ...options, onWarning: () => {} });
    const model = await withOptionsNamed(file, options, open);
    const text = model.describe();
    await model.dispose();
    return { lines: text.split("\n"), text };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const lines = [
      file,
      ...plain.split("\n"),
      "not usable as a potential as it is:",
      ...problem.split("\n").map((line) => `  ${line}`),
    ];
    return { lines, problem };
  }
}

/** Returns the names of a few intermediate values. */
function examplesOf(all: readonly TensorPoint[]): string {
  const values = all.filter(({ kind }) => kind === "value");
  const step = Math.max(1, Math.floor(values.length / 3));
  return values.filter((_, i) => i % step === 0).slice(0, 3).map(({ name }) => name).join(", ") ||
    "none";
}
