/**
 * Description of a model as text.
 *
 * @module
 */

import { atomicSymbol } from "../../batch/elements.ts";
import { describeModel, showModel } from "../../onnx/describe/describe_model.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import { opsetOf, OPSETS } from "../../onnx/codec/opset.ts";
import { webgpuFallbacks } from "../../onnx/describe/webgpu_operators.ts";
import type { OnnxInputBinding, OnnxOutputBinding } from "./bindings.ts";
import { showTensor } from "./manifest/shapes.ts";
import type { OnnxElements } from "./elements.ts";
import type { LoadedOnnx } from "./options.ts";
import type { OnnxOpened } from "./open_on_host.ts";
import { unitsOf } from "./manifest/units.ts";
import type { Session } from "../../onnx/session/session_run.ts";

/**
 * Describes a model as text: the content of its file, the meanings of its tensors with their evidence, the runtime,
 * and the nodes that WebGPU can run.
 */
export function describeOnnx(loaded: LoadedOnnx, opened: OnnxOpened): string {
  const { inputs, outputs } = opened.bindings;
  const unused = opened.session.outputs.filter(({ name }) =>
    !outputs.some(({ tensor }) => tensor.name === name)
  );
  const { license, source } = loaded.manifest;
  return [
    opened.name,
    ...(license === undefined ? [] : [`license: ${license}`]),
    ...(source === undefined ? [] : [`source: ${source}`]),
    showModel(describeModel(loaded.file)),
    "meanings of inputs",
    ...inputs.map((input) => `  ${showInput(input)}`),
    "meanings of outputs",
    ...outputs.map((output) => `  ${showOutput(output)}`),
    ...unused.map((tensor) => `  ${showTensor(tensor)}, not used`),
    ...showManifest(loaded, opened),
    ...(opened.session.device === "evaluator"
      ? ["the evaluator runs it on the host in double precision, on every backend"]
      : [`on the CPU: ${runtimeText(opened.session)}`, ...showWebgpu(loaded.file)]),
  ].join("\n");
}

/** Descriptions of the runtimes on the processor, by the device of a session. */
const RUNTIMES: Readonly<Record<string, string>> = {
  evaluator: "the evaluator (TypeScript)",
  native: "onnxruntime-node (native code)",
  wasm: "onnxruntime-web (WebAssembly)",
};

/** Describes the runtime of a session on the CPU: its name, the number of threads, and the reason for the choice. */
export function runtimeText({ device, threads, note }: Session): string {
  const count = `${threads} thread${threads === 1 ? "" : "s"}`;
  return `${RUNTIMES[device] ?? device}, ${count}${note === "" ? "" : `; ${note}`}`;
}

function showInput({ tensor, meaning, reason }: OnnxInputBinding): string {
  if (meaning === "constant") return `${showTensor(tensor)} is constant, ${reason}`;
  if (meaning === "derived") return `${showTensor(tensor)} is derived ${reason}`;
  return `${showTensor(tensor)} → ${meaning}, ${reason}`;
}

function showOutput({ tensor, meaning, field, level, scale, reason }: OnnxOutputBinding): string {
  const what = meaning === "field" ? `the field ${field}` : meaning;
  const rows = level === undefined ? "" : ` per ${level === "node" ? "atom" : "system"}`;
  const times = scale === 1 ? "" : `, times ${scale}`;
  return `${showTensor(tensor)} → ${what}${rows}${times}, ${reason}`;
}

/** Describes the members of the manifest with their origins. */
function showManifest(
  { manifest, by }: LoadedOnnx,
  { bindings, elements, ...opened }: OnnxOpened,
): string[] {
  const from = (member: Parameters<typeof by>[0]) => {
    const origin = by(member);
    return origin === "" ? "" : `, from ${origin}`;
  };
  const units = unitsOf(manifest);
  const energies = manifest.atomEnergies === undefined
    ? []
    : [`adds energies of free atoms${from("atomEnergies")}`];
  return [
    ...(bindings.hasEdges ? [`cutoff ${opened.cutoff} Å${from("cutoff")}`] : []),
    ...(bindings.hasTriplets ? [`reach ${opened.reach} Å${from("reach")}`] : []),
    ...(bindings.hasTriplets
      ? [
        `each pair of edges of an atom is a triplet ${
          bindings.rules.isOrdered ? "in both orders" : "once"
        }${from("triplets")}`,
      ]
      : []),
    ...Object.entries(manifest.lists ?? {}).map(([name, { cutoff, nearest }]) =>
      `list ${name}: cutoff ${cutoff} Å${nearest === undefined ? "" : `, the ${nearest} nearest`}${
        from("lists")
      }`
    ),
    ...(manifest.nearest === undefined
      ? []
      : [`atoms have edges to their ${manifest.nearest} nearest neighbors${from("nearest")}`]),
    ...(bindings.hasEdges
      ? [
        `each pair is listed ${opened.isHalf ? "once" : "both ways"}${
          from("neighbors")
        }; lists are ` +
        showPadding(bindings.padding),
      ]
      : []),
    bindings.batch === "joined" ? "all systems at once" : "one system at a time",
    `energies in ${units.energy} eV${from("energyUnit")}, lengths in ${units.length} Å${
      from("lengthUnit")
    }`,
    ...(bindings.inputs.some(({ meaning }) => meaning === "numbers")
      ? [`${showElements(elements)}${from("elements")}`]
      : []),
    ...energies,
  ];
}

function showPadding(padding: boolean | undefined): string {
  if (padding === false) return "not padded";
  return padding
    ? "padded, if that changes nothing"
    : "padded on WebGPU only, if that changes nothing";
}

function showElements({ numbers }: OnnxElements): string {
  if (numbers === undefined) return "elements by their atomic numbers";
  const shown = [...numbers].map(([number, own]) => `${atomicSymbol(number)} ${own}`);
  return `elements ${shown.join(", ")}`;
}

function showWebgpu(file: ModelProto): string[] {
  const fallbacks = webgpuFallbacks(file);
  const nodes = file.graph!.node.length;
  const falling = fallbacks.reduce((sum, { count }) => sum + count, 0);
  const opset = opsetOf(file);
  const isUnsupported = opset < OPSETS.first || opset > OPSETS.last;
  return [
    `on WebGPU: ${nodes - falling} of ${nodes} nodes by their operators, ${falling} on the CPU`,
    ...fallbacks.map(({ operator, count, reason }) => `  ${operator} ${count}: ${reason}`),
    ...(isUnsupported
      ? [
        `  opset ${opset} cannot be rewritten for WebGPU; opsets ${OPSETS.first} to ${OPSETS.last} can`,
      ]
      : []),
  ];
}
