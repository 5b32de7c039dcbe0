/**
 * Common code of all patches: a tensor is replaced by another value, always or while a switch is on.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { insideNode } from "../graph/graph_errors.ts";
import type { Use } from "../graph/graph_links.ts";
import { GraphFacts } from "../infer/facts.ts";
import { declaredShape } from "../infer/declared_shape.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";
import { isTapName, patchName } from "./added_names.ts";
import { findPoints } from "./points.ts";

/** Options of patches. */
export interface PatchOptions {
  /**
   * True to add a switch: a boolean input. Its name is that of the patch's input, or `patch:`, the tensor's name and
   * the operation, with `.on` appended. While the switch is off, the tensor is bitwise identical to the unpatched
   * one; other inputs of the patch must still be fed with the right shape, but are ignored.
   *
   * @default false
   */
  readonly gate?: boolean;
}

/** Options of patches with an input. */
export interface FedPatchOptions extends PatchOptions {
  /**
   * Name of the new input.
   *
   * @default `patch:`, the tensor's name and the operation
   */
  readonly input?: string;
}

/** Names that a patch has added to a graph. */
export interface Patch {
  /** Name of the patched tensor. */
  readonly tensor: string;
  /** Name of the value that is used instead of the tensor. */
  readonly patched: string;
  /** Name of the value of the tensor without the patch. */
  readonly original: string;
  /** Name of the input that the patch has added; `undefined` if it needs no input. */
  readonly input: string | undefined;
  /** Name of the boolean input that switches the patch on; `undefined` if it has no switch. */
  readonly gate: string | undefined;
}

/** A tensor to patch, with its type and shape. */
export interface Target {
  /** Name of the tensor, as the caller has passed it. */
  readonly tensor: string;
  /**
   * Name of the value that nodes currently use for the tensor. It differs from `tensor` if an input or a constant was
   * patched before.
   */
  readonly value: string;
  readonly type: ElementType;
  readonly shape: Shape | undefined;
}

/** A node that replaces a tensor. */
export interface Replacement {
  /** Name of the operation, such as "zero", for error messages and names of values. */
  readonly verb: string;
  /** Input of the graph that the patch adds; `undefined` if it needs no input. */
  readonly input?: { readonly name: string | undefined; readonly shape: Shape | undefined };
  /**
   * Returns the operator and the inputs of the node, given the names of the original tensor and of the added input
   * ("" if there is none). It must not throw.
   */
  readonly write: (original: string, input: string) => {
    readonly op: string;
    readonly inputs: readonly string[];
  };
}

/**
 * Finds a tensor that can be patched.
 *
 * @throws {RangeError} if it does not exist, or is not used
 * @throws {TypeError} if it is not a tensor, its element type is unknown, or its type is unsuitable
 * @throws {UnsupportedNodeError} if it is in a node's subgraph, or used there
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
  const { type, shape } = new GraphFacts(graph).of(value);
  if (type === undefined || !accepts(type)) throw wrongType(action, name, type);
  const uses = usesToPatch(graph, value);
  const inside = uses.find(({ index }) => index < 0);
  if (inside !== undefined) throw insideNode(`${action} (${name})`, inside.node);
  if (uses.length > 0 || graph.isOutput(value) && graph.producer(value) !== undefined) {
    return { tensor: name, value, type, shape: shape && declaredShape(shape) };
  }
  throw new RangeError(
    `Cannot ${action}: no node and no output uses ${
      JSON.stringify(name)
    }, so a patch has no effect`,
  );
}

function noPattern(action: string, name: string): RangeError {
  return new RangeError(
    `Cannot ${action}: a patch must name one tensor; got the pattern ${JSON.stringify(name)}`,
  );
}

function wrongType(action: string, name: string, type: ElementType | undefined): TypeError {
  const tensor = JSON.stringify(name);
  return new TypeError(
    type === undefined
      ? `Cannot ${action}: the type of ${tensor} must be known. Declare it by Graph.describe`
      : `Cannot ${action}: ${tensor} must be a tensor of numbers; got ${type}`,
  );
}

/** Replaces a tensor by a new value. Throws a RangeError if the requested name of the new input is in use. */
export function patch(
  graph: Graph,
  { tensor, value, type, shape }: Target,
  { verb, input, write }: Replacement,
  { gate = false }: PatchOptions,
): Patch {
  const fed = input && inputName(graph, tensor, verb, input.name);
  if (input && fed !== undefined) graph.addInput(valueInfo(fed, type, input.shape));
  const own = patchName(tensor, verb === "replace" ? "" : verb);
  const switched = gate ? graph.freshName(`${fed ?? own}.on`) : undefined;
  if (switched !== undefined) graph.addInput(valueInfo(switched, "bool", []));
  const [original, patched] = redirectUses(graph, tensor, value);
  const { op, inputs } = write(original, fed ?? "");
  if (switched === undefined) graph.add(op, inputs, { outputs: [patched] });
  else {
    // Where selects between two computed values, so a switch costs the patch even while it is off, but needs no
    // control flow, which capture does not support.
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
    `Cannot ${verb} ${JSON.stringify(tensor)}: the name of the new input must be unused; ` +
      `got ${JSON.stringify(wanted)}`,
  );
}

/**
 * Prepares the replacement of a value, and returns the names of the original and of the new value. If a node computes
 * the value, the original is renamed, so that outputs and later edits find the new value under the old name. Inputs
 * and constants keep their names, because callers and other tools refer to them.
 */
function redirectUses(graph: Graph, tensor: string, value: string): [string, string] {
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

/**
 * Returns the uses of a value that a patch must change. Taps of inputs and constants keep the unpatched value,
 * because the name of an input or a constant still means that value.
 */
function usesToPatch(graph: Graph, value: string): readonly Use[] {
  const uses = graph.uses(value);
  if (graph.producer(value) !== undefined) return uses;
  return uses.filter(({ node }) => !node.output.every(isTapName));
}
