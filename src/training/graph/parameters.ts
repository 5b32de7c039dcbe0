/**
 * Choice of the tensors of a model that are trained.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { elementTypeOf } from "../../onnx/codec/element_type.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import type { ModelProto, TensorProto } from "../../onnx/codec/messages.ts";
import { notedParameters } from "../../onnx/graph/noted_parameters.ts";
import { fits as fitsGlob, parseGlob } from "../../onnx/taps/glob.ts";
import { isWeight } from "./weights.ts";

/** Names, or patterns of names with `*` and `?`. */
export type Patterns = string | readonly string[];

/** A choice of tensors to train. */
export interface ParameterChoice {
  /**
   * The tensors to train. By default they are the parameters that the file lists. If it lists no parameters, they are
   * the weights that {@linkcode isWeight} recognizes.
   */
  readonly parameters?: Patterns | undefined;
  /** Tensors among the parameters that stay frozen. */
  readonly freeze?: Patterns | undefined;
}

/** Returns whether a name matches one of the patterns. */
export function fits(name: string, patterns: Patterns): boolean {
  return [patterns].flat().some((pattern) => fitsGlob(parseGlob(pattern), name));
}

/**
 * Returns the tensors of a model to train. They must be float32, have at least one axis, be used in the graph, and
 * not be a running mean or variance. If `parameters` is given, its patterns choose among them. Otherwise the
 * parameters are those that the file lists, as `GraphBuilder.parameter` writes them; without a list, they are the
 * weights that {@linkcode isWeight} recognizes.
 *
 * @throws {RangeError} if a pattern matches no such tensor, or if no tensor is left to train
 */
export function chooseParameters(
  model: ModelProto,
  { parameters, freeze = [] }: ParameterChoice,
): readonly TensorProto[] {
  const graph = new Graph(model);
  const all = (model.graph?.initializer ?? []).filter((tensor) => isTrainable(graph, tensor));
  const names = all.map(({ name }) => name);
  checkPatterns(names, { parameters: parameters ?? [], freeze });
  const noted = notedParameters(model);
  const isMeant = (name: string) =>
    parameters !== undefined
      ? fits(name, parameters)
      : noted?.includes(name) ?? isWeight(graph, name);
  const chosen = all.filter(({ name }) => isMeant(name) && !fits(name, freeze));
  if (chosen.length > 0) return chosen;
  throw new RangeError(
    `Cannot train the model: it must have float32 tensors to train; got ${
      names.length > 0
        ? `none of ${names.join(", ")}. Name the tensors to train by parameters: [...]`
        : othersOf(model)
    }`,
  );
}

function checkPatterns(
  names: readonly string[],
  given: Readonly<Record<string, Patterns>>,
): void {
  for (const [member, patterns] of Object.entries(given)) {
    for (const pattern of [patterns].flat()) {
      if (pattern === "*" || names.some((name) => fits(name, pattern))) continue;
      throw new RangeError(
        `Cannot train the model: ${member} must name trainable tensors of it (${
          names.join(", ") || "there are none"
        }); got ${JSON.stringify(pattern)}${didYouMean(pattern, names)}`,
      );
    }
  }
}

/** Returns a description of the first four tensors of a model, for an error. */
function othersOf(model: ModelProto): string {
  const tensors = model.graph?.initializer ?? [];
  if (tensors.length === 0) return "none of any type";
  const listed = tensors.slice(0, 4).map(({ name, dataType, dims }) =>
    `${name} (${elementTypeOf(dataType) ?? `type ${dataType}`} [${dims.join(", ")}])`
  );
  const more = tensors.length - listed.length;
  return listed.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function isTrainable(graph: Graph, { name, dataType, dims }: TensorProto): boolean {
  if (elementTypeOf(dataType) !== "f32" || dims.length === 0) return false;
  const uses = graph.uses(name);
  const isRunning = uses.some(({ node, index }) =>
    node.opType === "BatchNormalization" && index >= 3
  );
  return uses.length > 0 && !isRunning;
}
