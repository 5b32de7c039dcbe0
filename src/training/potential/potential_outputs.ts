/**
 * Outputs of a potential in the units and shapes that losses compare: energies in eV per system, forces in eV/Å per
 * atom, stresses in eV/Å³ per system.
 *
 * @module
 */

import { Graph } from "../../onnx/graph/graph.ts";
import { GraphBuilder, type Value } from "../../onnx/graph/graph_builder.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import { GraphFacts } from "../../onnx/infer/facts.ts";
import type { OnnxOutputBinding } from "../../models/onnx/bindings.ts";
import type { OnnxOutput } from "../../models/onnx/manifest/manifest.ts";
import { perVolume } from "./volumes.ts";

/** Names of the added outputs, and of the inputs that they need. */
export interface OutputNames {
  /** Name of the output with energies, [B], eV. */
  readonly energy: string;
  /** Name of the output with forces, [N, 3], eV/Å. */
  readonly forces: string;
  /** Name of the output with stresses, [B, 3, 3], eV/Å³. */
  readonly stress: string;
  /** Name of the input with the system of each atom, [N], which batches feed. */
  readonly systemOfAtom: string;
  /** Name of the input with zeros, [B], which batches feed. */
  readonly zeros: string;
  /** Name of the input with the cells, [B, 3, 3], Å, which batches feed. */
  readonly cell: string;
}

/** Quantities that are added as outputs. */
export interface WantedOutputs {
  readonly energy: boolean;
  readonly forces: boolean;
  readonly stress: boolean;
}

/**
 * Adds the results of a model, converted to eV and Å, as outputs.
 *
 * @param isSingle true if the model takes one system at a time
 * @throws {RangeError} if the model has no output of a wanted quantity
 */
export function withPotentialOutputs(
  model: ModelProto,
  outputs: readonly OnnxOutputBinding[],
  names: OutputNames,
  { name, isSingle, wanted }: {
    readonly name: string;
    readonly isSingle: boolean;
    readonly wanted: WantedOutputs;
  },
): ModelProto {
  const graph = new Graph(model), builder = new GraphBuilder(graph), facts = new GraphFacts(graph);
  const find = (...meanings: readonly OnnxOutput[]) => {
    const found = outputs.find(({ meaning }) => meanings.includes(meaning as OnnxOutput));
    if (found !== undefined) return found;
    throw new RangeError(
      `Cannot train ${name} on ${
        meanings[0] === "energy" ? "energies" : meanings[0]
      }: no output is recognized as these. Its outputs are ` +
        `${
          graph.outputs.map((output) => output.name).join(", ")
        }, so pass { outputs: … } to openPotential()`,
    );
  };
  const rows = (output: OnnxOutputBinding, width: readonly number[]) => {
    const { name } = output.tensor, value = { name, type: facts.of(name).type ?? "f32" } as Value;
    const floats = value.type === "f32"
      ? value as Value<"f32">
      : builder.op("Cast", [value], "f32", { to: 1 });
    return scaled(
      builder,
      builder.reshape(floats, builder.constant("i64", [-1, ...width])),
      output.scale,
    );
  };
  const write = (to: string, value: Value<"f32">, shape: readonly (number | string)[]) =>
    void builder.output(to, value, shape);
  if (wanted.energy) {
    const output = find("energy");
    write(names.energy, energies(builder, output, rows(output, []), names, isSingle), ["B"]);
  }
  if (wanted.forces) {
    write(names.forces, rows(find("forces", "gradient"), [3]), ["N", 3]);
  }
  if (wanted.stress) {
    const output = find("stress", "virial");
    write(
      names.stress,
      stresses(builder, output, rows(output, [output.width]), names),
      ["B", 3, 3],
    );
  }
  graph.sort();
  return graph.model;
}

function scaled(builder: GraphBuilder, value: Value<"f32">, scale: number): Value<"f32"> {
  return scale === 1 ? value : builder.mul(value, scale);
}

/** Adds nodes that compute the energy of each system, [B], from an output with one row per system or per atom. */
function energies(
  builder: GraphBuilder,
  { level }: OnnxOutputBinding,
  rows: Value<"f32">,
  names: OutputNames,
  isSingle: boolean,
): Value<"f32"> {
  if (isSingle) return builder.reduceSum(rows, [0], true);
  if (level === "system") return rows;
  const systemOfAtom = builder.input(names.systemOfAtom, "i64", ["N"]);
  const zeros = builder.input(names.zeros, "f32", ["B"]);
  if (level === "node") return builder.scatterAdd(zeros, systemOfAtom, rows);
  // If there are as many rows as systems, they are energies of systems, as in `OnnxModel`; otherwise of atoms.
  const sizeOf = (value: Value) =>
    builder.reshape(builder.op("Size", [value], "i64"), builder.constant("i64", [1]));
  const systems = sizeOf(zeros), count = sizeOf(rows);
  const one = builder.constant("i64", 1), none = builder.constant("i64", 0);
  const end = builder.reshape(systems, builder.constant("i64", [], [0]));
  const each = builder.op("Range", [none, end, one], "i64");
  const both = builder.op("Concat", [each, systemOfAtom], "i64", { axis: 0 });
  const areSystems = builder.op("Equal", [systems, count], "bool");
  const from = builder.op(
    "Where",
    [areSystems, builder.constant("i64", [0]), systems],
    "i64",
  );
  const to = builder.op("Add", [from, count], "i64");
  const axis = builder.constant("i64", [0]);
  return builder.scatterAdd(zeros, builder.op("Slice", [both, from, to, axis], "i64"), rows);
}

/** Index of each component xx, xy, xz, yx and so on in the list xx, yy, zz, yz, xz, xy. */
const VOIGT = [0, 5, 4, 5, 1, 3, 4, 3, 2];

function stresses(
  builder: GraphBuilder,
  { meaning, width }: OnnxOutputBinding,
  rows: Value<"f32">,
  names: OutputNames,
): Value<"f32"> {
  const nine = width === 6 ? builder.gather(rows, builder.constant("i64", VOIGT), 1) : rows;
  const matrices = builder.reshape(nine, builder.constant("i64", [-1, 3, 3]));
  if (meaning === "stress") return matrices;
  return perVolume(builder, matrices, builder.input(names.cell, "f32", ["B", 3, 3]));
}
