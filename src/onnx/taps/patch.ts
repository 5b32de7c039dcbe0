/**
 * What all patches share: something else takes a tensor's place, always or by a switch.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { insideNode } from "../graph/graph_errors.ts";
import type { Use } from "../graph/graph_links.ts";
import { Facts } from "../infer/facts.ts";
import { writtenShape } from "../infer/written_shape.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";
import { isTapName, patchName } from "./own_names.ts";
import { findPoints } from "./points.ts";

/** How to patch a tensor. */
export interface PatchOptions {
  /**
   * Whether the patch has a switch: an input, one boolean, by the name of the patch with `.on` behind it. Switched off
   * the tensor is what it was, to the bit; what else is fed for the patch does not matter then, but must have its
   * shape.
   *
   * @default false
   */
  readonly gate?: boolean;
}

/** How to patch a tensor with something that is fed. */
export interface FedPatchOptions extends PatchOptions {
  /**
   * The name of the new input.
   *
   * @default `patch:` and the tensor's name, and what it does
   */
  readonly input?: string;
}

/** What a patch added to a graph. */
export interface Patch {
  /** The tensor that was patched. */
  readonly tensor: string;
  /** What is computed from now on where the tensor was used. */
  readonly patched: string;
  /** What the tensor is without the patch. */
  readonly original: string;
  /** The new input that is fed; `undefined` for a patch that needs none. */
  readonly input: string | undefined;
  /** The new input that switches the patch on; `undefined` for a patch that always holds. */
  readonly gate: string | undefined;
}

/** A tensor to be patched, and what is known of it. */
export interface Target {
  /** The name by which it was asked for. */
  readonly tensor: string;
  /** The value that is used in its place now: the result of earlier patches of an input or a constant. */
  readonly value: string;
  readonly type: ElementType;
  readonly shape: Shape | undefined;
}

/** What stands in a tensor's place: a node, given what the tensor is without it. */
export interface Stand {
  /** What errors and names say of it: "zero". */
  readonly verb: string;
  /** The input that it needs besides. */
  readonly input?: { readonly name: string | undefined; readonly shape: Shape | undefined };
  /** Without `input` that is "". Must not throw. */
  readonly write: (original: string, input: string) => {
    readonly op: string;
    readonly inputs: readonly string[];
  };
}

/**
 * Finds a tensor that something can take the place of.
 *
 * @throws {RangeError} where there is none, or nothing uses it
 * @throws {TypeError} where it is no tensor, or nobody knows the type of its elements, or it is none of those wanted
 * @throws {UnsupportedNodeError} where it is inside of a node's graph, or used there
 */
export function findTarget(
  graph: Graph,
  action: string,
  name: string,
  accepts: (type: ElementType) => boolean,
): Target {
  const [point] = findPoints(graph, action, [name]);
  if (point?.name !== name) throw noPattern(action, name);
  const again = patchName(name, "patched");
  const value = graph.producer(name) === undefined && graph.has(again) ? again : name;
  const { type, shape } = new Facts(graph).of(value);
  if (type === undefined || !accepts(type)) throw wrongType(action, name, type);
  const uses = usesToPatch(graph, value);
  const inside = uses.find(({ index }) => index < 0);
  if (inside !== undefined) throw insideNode(`${action} (${name})`, inside.node);
  if (uses.length > 0 || graph.isOutput(value) && graph.producer(value) !== undefined) {
    return { tensor: name, value, type, shape: shape && writtenShape(shape) };
  }
  throw new RangeError(
    `Cannot ${action} as something must use ${JSON.stringify(name)}: current uses are none`,
  );
}

function noPattern(action: string, name: string): RangeError {
  return new RangeError(
    `Cannot ${action} as a patch must name one tensor: current value is the pattern ${
      JSON.stringify(name)
    }`,
  );
}

function wrongType(action: string, name: string, type: ElementType | undefined): TypeError {
  const current = type ?? "unknown, which Graph.describe can say";
  return new TypeError(
    `Cannot ${action} as the elements of ${
      JSON.stringify(name)
    } must have a type for that: current type is ${current}`,
  );
}

/** Puts something in a tensor's place. Throws a RangeError where the name of its input is taken. */
export function patch(
  graph: Graph,
  { tensor, value, type, shape }: Target,
  { verb, input, write }: Stand,
  { gate = false }: PatchOptions,
): Patch {
  const fed = input && inputName(graph, tensor, verb, input.name);
  if (input && fed !== undefined) graph.addInput(valueInfo(fed, type, input.shape));
  const own = patchName(tensor, verb === "replace" ? "" : verb);
  const switched = gate ? graph.freshName(`${fed ?? own}.on`) : undefined;
  if (switched !== undefined) graph.addInput(valueInfo(switched, "bool", []));
  const [original, patched] = takePlace(graph, tensor, value);
  const { op, inputs } = write(original, fed ?? "");
  if (switched === undefined) graph.add(op, inputs, { outputs: [patched] });
  else {
    const always = op === "Identity"
      ? inputs[0] ?? ""
      : graph.make(op, inputs, {}, graph.freshName(`${own}.always`));
    graph.add("Where", [switched, always, original], { outputs: [patched] });
  }
  for (const name of [original, patched]) {
    if (graph.info(name) === undefined && graph.constant(name) === undefined) {
      graph.describe(valueInfo(name, type, shape));
    }
  }
  return { tensor, patched, original, input: fed, gate: switched };
}

function inputName(graph: Graph, tensor: string, verb: string, wanted: string | undefined): string {
  const hint = wanted ?? patchName(tensor, verb === "replace" ? "" : verb);
  const name = graph.freshName(hint);
  if (wanted === undefined || name === wanted) return name;
  throw new RangeError(
    `Cannot ${verb} ${JSON.stringify(tensor)} as the name of the new input must be free: ` +
      `current value is ${JSON.stringify(wanted)}`,
  );
}

/**
 * Lets the place of a value be taken by another that is yet to be made; answers with the names of both. What a node
 * makes gets a new name, so that its old one means the patched value to outputs and to all that comes later; inputs
 * and constants, whose names others know, keep theirs.
 */
function takePlace(graph: Graph, tensor: string, value: string): [string, string] {
  if (graph.producer(value) === undefined) {
    const patched = graph.freshName(patchName(tensor, "patched"));
    for (const { node, index } of usesToPatch(graph, value)) graph.setInput(node, index, patched);
    return [value, patched];
  }
  const original = graph.freshName(patchName(tensor, "original"));
  graph.rename(value, original, { keepsOutput: true });
  graph.replaceUses(original, value);
  return [original, value];
}

/** Who uses a value; not what observes an input or a constant, whose name goes on meaning what it is without patches. */
function usesToPatch(graph: Graph, value: string): readonly Use[] {
  const uses = graph.uses(value);
  if (graph.producer(value) !== undefined) return uses;
  return uses.filter(({ node }) => !node.output.every(isTapName));
}
