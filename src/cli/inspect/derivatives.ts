/**
 * Derivatives of the outputs of a model by its inputs.
 *
 * @module
 */

import { decodeModel } from "../../onnx/codec/codec.ts";
import { isFloat } from "../../onnx/codec/element_type.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import type { ValueDescription } from "../../onnx/codec/value_info.ts";
import { FORCE_PASSES } from "../../onnx/forces/with_forces.ts";
import { gradient } from "../../onnx/grad/gradient.ts";
import { Graph } from "../../onnx/graph/graph.ts";
import { UnsupportedNodeError } from "../../onnx/graph/unsupported_node_error.ts";
import { runPasses } from "../../onnx/passes/passes.ts";

/** A derivative, and the reason if it cannot be computed. */
export interface Derivative {
  readonly of: string;
  readonly by: string;
  readonly reason?: string;
}

/** Tries to differentiate each floating-point output by each floating-point input. */
export function derivativesOf(
  bytes: Uint8Array,
  { inputs, outputs }: {
    readonly inputs: readonly ValueDescription[];
    readonly outputs: readonly ValueDescription[];
  },
): readonly Derivative[] {
  const real = ({ type }: ValueDescription) => type !== undefined && isFloat(type);
  const model = simplified(bytes);
  return outputs.filter(real).flatMap(({ name: of }) =>
    inputs.filter(real).map(({ name: by }) => ({ of, by, ...reasonOf(model(), of, by) }))
  );
}

/**
 * Returns a function that decodes the model after the passes that also run before forces are added, because some
 * operators can be differentiated only after a pass has replaced them.
 */
function simplified(bytes: Uint8Array): () => ModelProto {
  const graph = new Graph(decodeModel(bytes));
  try {
    runPasses(graph, FORCE_PASSES);
  } catch {
    return () => decodeModel(bytes); // the gradient reports what is wrong with the model
  }
  const simple = graph.encode();
  return () => decodeModel(simple);
}

function reasonOf(model: ModelProto, of: string, by: string): { readonly reason?: string } {
  try {
    // The output is its own cotangent: any value of its shape shows whether its nodes can be differentiated.
    gradient(new Graph(model), { of, wrt: [by], cotangent: of });
    return {};
  } catch (error) {
    return { reason: `no: ${explained(error)}` };
  }
}

function explained(error: unknown): string {
  if (error instanceof UnsupportedNodeError && error.requirement.includes("must have a rule")) {
    const { op, node, place } = error;
    return `the ${op} ${JSON.stringify(node)} has no gradient rule${
      place === undefined ? "" : ` (${place})`
    }`;
  }
  const text = error instanceof Error ? error.message : String(error);
  // The line names the derivative already, and options of gradient() are not options of the command.
  return text.replace(/^Cannot differentiate .*? by .*?: /, "").replace(
    / \(or pass unused.*\)$/,
    "",
  );
}
