/**
 * Descriptions of models, for people and for programs.
 *
 * @module
 */

import { bytesOf, elementTypeOf, isFloat } from "../codec/element_type.ts";
import { externalFiles } from "../codec/external_data.ts";
import type { GraphProto, ModelProto, TensorProto } from "../codec/messages.ts";
import { PARAMETERS_NOTE, parametersIn } from "../graph/noted_parameters.ts";
import { opsetOf } from "../codec/opset.ts";
import { elementCount, tensorType } from "../codec/tensor_proto.ts";
import { describeValue, type Length, type ValueDescription } from "../codec/value_info.ts";

/** Description of a model. */
export interface ModelDescription {
  /** Version of ai.onnx that the model imports. */
  readonly opset: number;
  /** Program that wrote the file, with its version if the file has one. */
  readonly producer: string;
  /** Metadata of the file, by key. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Inputs that must be fed, in the model's order. */
  readonly inputs: readonly ValueDescription[];
  /** Outputs, in the model's order. */
  readonly outputs: readonly ValueDescription[];
  /** Number of nodes by operator, the most frequent first. Nodes in subgraphs are not counted. */
  readonly ops: ReadonlyMap<string, number>;
  /** Total number of nodes. */
  readonly nodeCount: number;
  /** True if nodes have subgraphs (If, Loop, Scan). */
  readonly hasControlFlow: boolean;
  /** Number of trainable parameters: elements of the floating-point constants with at least one axis. */
  readonly parameterCount: number;
  /** Size of all constants in bytes, including parameters. */
  readonly constantBytes: number;
  /** Size of all intermediate values for the lengths in `sizes`, if no memory were reused. */
  readonly values: ValueMemory;
  /** Files beside the model that hold its constants. */
  readonly externalFiles: readonly string[];
}

/** Memory of intermediate values. */
export interface ValueMemory {
  /** Size in bytes of the values whose shape is known. */
  readonly bytes: number;
  /** Number of values whose shape is unknown. */
  readonly unknown: number;
}

/** Options of {@linkcode describeModel}. */
export interface DescribeOptions {
  /** Lengths of variable dimensions, by name: `{ N: 100, E: 4000, B: 1 }`. */
  readonly sizes?: Readonly<Record<string, number>>;
}

/**
 * Describes a model: operators, parameters, memory, inputs and outputs.
 *
 * @throws {SyntaxError} if the model has no graph
 *
 * @example
 * ```ts
 * import { decodeModel, describeModel, lennardJonesModel, showModel } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const description = describeModel(decodeModel(bytes));
 * assertEquals(description.ops.get("ScatterElements"), 3);
 * assertEquals(description.parameterCount, 0);
 * console.log(showModel(description));
 * ```
 */
export function describeModel(model: ModelProto, options: DescribeOptions = {}): ModelDescription {
  const { graph } = model;
  if (graph === undefined) {
    throw new SyntaxError(
      "Cannot describe an ONNX model: it has no graph",
    );
  }
  const initial = new Set(graph.initializer.map(({ name }) => name));
  return {
    opset: opsetOf(model),
    producer: [model.producerName, model.producerVersion].filter(Boolean).join(" "),
    metadata: Object.fromEntries(model.metadataProps.map(({ key, value }) => [key, value])),
    inputs: graph.input.filter(({ name }) => !initial.has(name)).map(describeValue),
    outputs: graph.output.map(describeValue),
    ops: countOps(graph.node.map(({ domain, opType }) => domain ? `${domain}.${opType}` : opType)),
    nodeCount: graph.node.length,
    hasControlFlow: graph.node.some((node) =>
      node.attribute.some(({ g, graphs }) => g || graphs.length > 0)
    ),
    ...sizesOfConstants(graph),
    values: memoryOf(graph, options.sizes ?? {}),
    externalFiles: externalFiles(model),
  };
}

/** Returns the number of parameters, and the size of all constants in bytes. */
function sizesOfConstants(graph: GraphProto) {
  const constants = [
    ...graph.initializer,
    ...graph.node.flatMap(({ opType, attribute }) =>
      opType === "Constant" ? attribute.flatMap(({ t }) => t ?? []) : []
    ),
  ];
  const sum = (numbers: readonly number[]) => numbers.reduce((total, x) => total + x, 0);
  return {
    parameterCount: sum(constants.filter(isParameter).map(elementCount)),
    constantBytes: sum(constants.map((each) => bytesOf(tensorType(each), elementCount(each)))),
  };
}

function countOps(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

/** Returns whether a constant counts as a parameter. Scalars do not, because they are parts of formulas. */
function isParameter(tensor: TensorProto): boolean {
  const type = elementTypeOf(tensor.dataType);
  return type !== undefined && isFloat(type) && tensor.dims.length > 0;
}

function memoryOf(graph: GraphProto, sizes: Readonly<Record<string, number>>): ValueMemory {
  const described = new Map(
    [...graph.valueInfo, ...graph.output].map((info) => [info.name, describeValue(info)]),
  );
  let bytes = 0, unknown = 0;
  for (const name of graph.node.flatMap(({ output }) => output)) {
    if (name === "") continue;
    const { type, shape } = described.get(name) ?? {};
    const count = shape?.reduce<number>((product, length) => product * sizeOf(length, sizes), 1) ??
      NaN;
    if (type === undefined || Number.isNaN(count)) unknown++;
    else bytes += bytesOf(type, count);
  }
  return { bytes, unknown };
}

/** Returns a length for the given sizes of dimensions; NaN if it is unknown. Exporters write products as `4*N`. */
function sizeOf(length: Length, sizes: Readonly<Record<string, number>>): number {
  if (typeof length === "number") return length;
  return (length ?? "?").split("*").reduce(
    (product, factor) => product * (/^\d+$/.test(factor) ? Number(factor) : sizes[factor] ?? NaN),
    1,
  );
}

/**
 * Formats a description as lines of text.
 *
 * @example
 * ```ts
 * import { decodeModel, describeModel, GraphBuilder, showModel } from "@hooke/hooke/onnx";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const g = new GraphBuilder("square");
 * const x = g.input("x", "f32", ["N"]);
 * g.output("y", g.op("Mul", [x, x], "f32"), ["N"]);
 * assertStringIncludes(showModel(describeModel(decodeModel(g.build()))), "x: f32 [N]");
 * ```
 */
export function showModel(description: ModelDescription): string {
  const { inputs, outputs, ops, values, metadata } = description;
  const show = ({ name, type, shape }: ValueDescription) =>
    `  ${name}: ${type ?? "?"}${
      shape === undefined ? "" : ` [${shape.map((length) => length ?? "?").join(", ")}]`
    }`;
  const external = description.externalFiles.length;
  return [
    `opset ${description.opset}${description.producer && `, by ${description.producer}`}`,
    ...Object.entries(metadata).map(([key, value]) => `${key}: ${showNote(key, value)}`),
    "inputs",
    ...inputs.map(show),
    "outputs",
    ...outputs.map(show),
    `${description.nodeCount} nodes: ${[...ops].map(([op, n]) => `${op} ${n}`).join(", ")}`,
    `${description.parameterCount} parameters; constants take ${
      showBytes(description.constantBytes)
    }` +
    (external > 0 ? `, some of them in ${description.externalFiles.join(", ")}` : ""),
    ...memoryLines(values),
  ].join("\n");
}

/** Returns a line about the sizes of intermediate values, if a size is known: most depend on the numbers of atoms. */
function memoryLines({ bytes, unknown }: ModelDescription["values"]): string[] {
  if (bytes === 0) return [];
  const rest = unknown > 0 ? `; the sizes of ${unknown} others depend on the inputs` : "";
  return [`intermediate values of fixed size take ${showBytes(bytes)}${rest}`];
}

/** Shortens a metadata entry: a list of parameters to their number, and any other text to its beginning. */
function showNote(key: string, value: string): string {
  const parameters = key === PARAMETERS_NOTE ? parametersIn(value) : undefined;
  if (parameters !== undefined) {
    return `${parameters.length} parameter${parameters.length === 1 ? " is" : "s are"} noted`;
  }
  return value.length <= LONGEST_NOTE
    ? value
    : `${value.slice(0, LONGEST_NOTE)}… (${value.length} characters)`;
}

/** Number of characters of a metadata entry that are shown. */
const LONGEST_NOTE = 100;

function showBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toPrecision(3)} kB` : `${(bytes / 1e6).toPrecision(3)} MB`;
}
