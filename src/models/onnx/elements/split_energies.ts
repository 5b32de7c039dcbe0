/**
 * Separation of the energies of free atoms from the energy that a graph computes. Total energies of some potentials
 * are thousands of eV per atom, of which float32 keeps about 1e-4 eV. The energies that the graph adds for each
 * element are therefore added on the host instead, in float64.
 *
 * @module
 */

import { decodeModel } from "../../../onnx/codec/codec.ts";
import { textAttribute } from "../../../onnx/codec/attributes.ts";
import type { NodeProto } from "../../../onnx/codec/messages.ts";
import { opsetOf, OPSETS } from "../../../onnx/codec/opset.ts";
import { isExternal, tensorValues } from "../../../onnx/codec/tensor_proto.ts";
import { GraphFacts } from "../../../onnx/infer/facts.ts";
import { Graph } from "../../../onnx/graph/graph.ts";
import { atomicSymbol } from "../../../batch/elements.ts";
import type { OnnxInputBinding } from "../bindings.ts";
import { elementsOf } from "../elements.ts";
import { freeAtomEnergies } from "./free_atom_energies.ts";
import { hasOtherFiles, matchableOf } from "../forces.ts";
import { matchInputs } from "../manifest/match.ts";
import { energyOf } from "../manifest/match_outputs.ts";
import type { OnnxInput, OnnxManifest, OnnxOutputChoice } from "../manifest/manifest.ts";
import { unitsOf } from "../manifest/units.ts";
import { numberLimits } from "./number_limits.ts";
import type { LoadedOnnx } from "../options.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";

/** The node that adds the energies of free atoms, and the path from the energy output of the graph to that node. */
interface Found {
  /** The `Add` node. */
  readonly sum: NodeProto;
  /** Name of the input of `sum` that contains the energies of free atoms. It depends only on the elements. */
  readonly free: string;
  /** Name of the other input of `sum`, which contains the rest of the energy. */
  readonly rest: string;
  /** Nodes from the energy output back to `sum`, each with the index of the input that continues the path. */
  readonly path: readonly { readonly node: NodeProto; readonly at: number }[];
  /** Factor by which the nodes of the path multiply the sum. */
  readonly factor: number;
}

/** The inputs of a model by their meanings. */
type Named = ReadonlyMap<OnnxInput, OnnxInputBinding>;

/**
 * Separates the energies of free atoms from the energy of a graph. The graph gets an output with the rest of its
 * energy, and the manifest gets the energies of free atoms. Returns the model unchanged if its graph does not add
 * such energies.
 */
export function splitEnergies(loaded: LoadedOnnx, derived: string[]): LoadedOnnx {
  const opset = opsetOf(loaded.file);
  if (opset < OPSETS.first || opset > OPSETS.last || hasOtherFiles(loaded)) return loaded;
  const model = matchableOf(loaded, derived);
  const known = knownInputs(() => matchInputs(model));
  const energy = known && energyOf(model);
  if (known?.get("numbers") === undefined || energy === undefined) return loaded;
  const graph = new Graph(decodeModel(loaded.bytes, { name: loaded.name }));
  const found = findFree(graph, energy.name, known);
  const values = found && elementValues(loaded, graph, found, known);
  if (found === undefined || values === undefined) return loaded;
  const tensor = addRest(graph, energy.name, found);
  const bytes = graph.encode(), file = decodeModel(bytes, { name: loaded.name });
  const manifest = withFree(loaded, { tensor, values, factor: found.factor });
  return { ...loaded, bytes, file, manifest, by: (member) => originOf(loaded, found, member) };
}

/**
 * Returns a manifest that contains the energies of free atoms, and names the output with the rest of the energy as
 * its energy.
 */
function withFree({ name, manifest }: LoadedOnnx, { tensor, values, factor }: {
  readonly tensor: string;
  readonly values: ReadonlyMap<string, number>;
  readonly factor: number;
}): OnnxManifest {
  const { outputs, atomEnergies: others } = manifest, choice = outputs?.energy;
  const given: Omit<OnnxOutputChoice, "tensor"> = typeof choice === "object" ? choice : {};
  const unit = factor * unitsOf(manifest).energy * (given.scale ?? 1);
  const own = [...values].map(([symbol, value]) => [symbol, value * unit] as const)
    .filter(([symbol]) => others === undefined || symbol in others);
  if (others !== undefined && areSame(own, others)) throw addedTwice(name, own[0]![0]);
  return {
    ...manifest,
    outputs: { ...outputs, energy: { ...given, tensor } },
    atomEnergies: Object.fromEntries(
      own.map(([symbol, eV]) => [symbol, eV + (others?.[symbol] ?? 0)]),
    ),
  };
}

/**
 * Largest relative difference at which two energies count as equal. Two tables of the same energies may differ in the
 * number of digits or in the constants of unit conversion.
 */
const SAME = 1e-3;

/**
 * Returns whether the energies of free atoms in a manifest (`others`) are the ones that the graph already adds
 * (`own`).
 */
function areSame(
  own: readonly (readonly [symbol: string, eV: number])[],
  others: Readonly<Record<string, number>>,
): boolean {
  return own.some(([, eV]) => eV !== 0) &&
    own.every(([symbol, eV]) => Math.abs(others[symbol]! - eV) <= SAME * Math.abs(eV));
}

function addedTwice(name: string, symbol: string): ModelMismatchError {
  return new ModelMismatchError(name, {
    expected: "atomEnergies must be energies that the graph does not add itself",
    found:
      `its last sum adds the same energies, such as that of ${symbol}, so they would count twice`,
    wouldMap: {},
    remedy: "leave out atomEnergies",
  });
}

function originOf(loaded: LoadedOnnx, { free }: Found, member: keyof OnnxManifest): string {
  const origin = loaded.by(member);
  if (member === "outputs") return origin === "" ? "the graph" : origin;
  if (member !== "atomEnergies") return origin;
  return `${
    origin === "" ? "" : `${origin}, and `
  }the graph, whose last sum adds them from ${free}`;
}

/**
 * Returns the inputs by their meanings; `undefined` if matching fails. The mismatch is reported when the model is
 * opened.
 */
function knownInputs(match: () => readonly OnnxInputBinding[]): Named | undefined {
  try {
    return new Map(match().map((input) => [input.meaning as OnnxInput, input]));
  } catch (error) {
    if (error instanceof ModelMismatchError) return undefined;
    throw error;
  }
}

/** Operators that only rearrange the elements of their first input. */
const ARRANGING = /^(Identity|Squeeze|Unsqueeze|Reshape|Flatten)$/;

/**
 * Finds the node by which a graph adds energies of free atoms. Walks back from the energy output through operators
 * that are linear in one of their inputs. Returns `undefined` if there is no such node.
 */
function findFree(graph: Graph, energy: string, known: Named): Found | undefined {
  const facts = new GraphFacts(graph);
  const of = (meaning: OnnxInput) => known.get(meaning)?.tensor.name;
  const dependsOn = dependences(graph, [of("numbers"), of("batchIndex"), of("systems")]);
  const walk = (value: string, factor: number, path: Found["path"]): Found | undefined => {
    const node = graph.producer(value);
    const isShared = path.length > 0 && (graph.uses(value).length !== 1 || graph.isOutput(value));
    if (node === undefined || node.domain !== "" || isShared) return undefined;
    const { opType, input: [a = "", b = "", c = ""] } = node;
    const on = (at: number, by = 1) => walk(node.input[at]!, factor * by, [...path, { node, at }]);
    if (ARRANGING.test(opType)) return on(0);
    if (opType === "Mul") {
      const [left, right] = [numberOf(graph, a), numberOf(graph, b)];
      return right !== undefined ? on(0, right) : left !== undefined ? on(1, left) : undefined;
    }
    if (/^Scatter(ND|Elements)$/.test(opType) && textAttribute(node, "reduction", "") === "add") {
      return c !== "" && isArranged(graph, b, of("batchIndex")) ? on(2) : undefined;
    }
    if (opType !== "Add") return undefined;
    for (const [free, rest] of [[a, b], [b, a]] as const) {
      const shapes = [rest, value].map((name) => JSON.stringify(facts.of(name).shape));
      const isFree = dependsOn(free) === "elements" && dependsOn(rest) === "more";
      if (isFree && shapes[0] !== undefined && shapes[0] === shapes[1]) {
        return { sum: node, free, rest, path, factor };
      }
    }
    return on(0) ?? on(1);
  };
  return walk(energy, 1, []);
}

/**
 * Returns a function that classifies a value of the graph by the inputs on which it depends: `"nothing"` (no inputs),
 * `"systems"` (only inputs with the systems of atoms), `"elements"` (also the element numbers), or `"more"` (other
 * inputs, such as positions).
 */
function dependences(
  graph: Graph,
  [numbers, ...systems]: readonly (string | undefined)[],
): (value: string) => "nothing" | "systems" | "elements" | "more" {
  const ORDER = ["nothing", "systems", "elements", "more"] as const;
  const known = new Map<string, number>();
  for (const { name } of graph.inputs) {
    known.set(name, name === numbers ? 2 : systems.includes(name) ? 1 : 3);
  }
  for (const node of graph.nodes) {
    const isShape = node.opType === "Shape" || node.opType === "Size";
    const most = isShape ? 1 : Math.max(0, ...node.input.map((name) => known.get(name) ?? 0));
    for (const name of node.output) known.set(name, most);
  }
  return (value) => ORDER[known.get(value) ?? 0]!;
}

/** Returns whether a value contains the elements of an input unchanged, perhaps with another shape or type. */
function isArranged(graph: Graph, value: string, input: string | undefined): boolean {
  for (let name = value;;) {
    if (name === input) return true;
    const node = graph.producer(name);
    if (node === undefined || !/^(Identity|Cast|Squeeze|Unsqueeze|Reshape)$/.test(node.opType)) {
      return false;
    }
    name = node.input[0]!;
  }
}

/** Returns the value of a constant with a single element; `undefined` for other values. */
function numberOf(graph: Graph, name: string): number | undefined {
  const tensor = graph.constant(name);
  if (tensor === undefined || isExternal(tensor)) return undefined;
  const values = tensorValues(tensor);
  return values.length === 1 ? Number(values[0]) : undefined;
}

/**
 * Returns the energy that the graph adds for an atom of each element that the model supports, by symbol, in the
 * model's unit; `undefined` if it cannot be computed.
 */
function elementValues(
  { file, manifest }: LoadedOnnx,
  graph: Graph,
  { free }: Found,
  known: Named,
): ReadonlyMap<string, number> | undefined {
  const numbers = known.get("numbers")!;
  const own = elementsOf(manifest).numbers ??
    new Map(Array.from({ length: 119 }, (_, number) => [number, number]));
  const limits = numberLimits(file, numbers.tensor.name);
  const elements = [...own].filter(([, number]) =>
    limits.every(({ range: [least, greatest] }) => number >= least && number <= greatest)
  );
  const values = freeAtomEnergies(graph, free, { known, numbers: elements.map(([, one]) => one) });
  return values && new Map(elements.map(([number], i) => [atomicSymbol(number), values[i]!]));
}

/**
 * Adds an output to a graph: its energy without the energies of free atoms. The original energy output stays. Returns
 * the name of the new output.
 */
function addRest(graph: Graph, energy: string, { rest, path }: Found): string {
  let value = rest;
  for (const { node, at } of path.toReversed()) {
    const inputs = node.input.map((name, i) => i === at ? value : name);
    const copy = graph.add(node.opType, inputs);
    copy.attribute = structuredClone(node.attribute); // passes may change the attributes of one node in place
    value = copy.output[0]!;
  }
  const name = graph.freshName(`${energy}_without_free_atoms`);
  graph.make("Identity", [value], {}, name);
  graph.addOutput({ ...structuredClone(graph.info(energy)!), name });
  return name;
}
