/**
 * Sessions on the host, in which onnxruntime or the evaluator runs a model.
 *
 * @module
 */

import { evaluatorSession } from "../../onnx/session/evaluator_session.ts";
import { openSession } from "../../onnx/session/open_session.ts";
import type { Session } from "../../onnx/session/session_run.ts";
import { UnsupportedNodeError } from "../../onnx/graph/unsupported_node_error.ts";
import type { OnnxBindings } from "./bindings.ts";
import { hasOtherFiles, withWeights } from "./forces.ts";
import type { LoadedOnnx, OnnxModelOptions } from "./options.ts";
import type { OnnxOpened } from "./open_on_host.ts";

/**
 * Opens a session for a model. `isWhole` is true if the bytes of the model already include the weights from other
 * files. Throws the errors of `OnnxModel.open`.
 */
export async function openOnnx(
  loaded: LoadedOnnx,
  options: OnnxModelOptions,
  isWhole: boolean,
): Promise<Session> {
  const { name, bytes, url } = loaded;
  const { threads, threadMemory, timeout, externalData, runtime, wasmFile, signal, download } =
    options;
  const hasFiles = hasOtherFiles(loaded);
  if (runtime === "evaluator") {
    const whole = hasFiles ? await withWeights(loaded, options) : loaded;
    try {
      return evaluatorSession(whole.bytes, { name });
    } catch (error) {
      throw evaluatorError(name, error);
    }
  }
  // If weights are in other files beside the model, the session loads all files from its address.
  return await openSession(hasFiles && url !== undefined ? url : bytes, {
    name,
    ...(threads === undefined ? {} : { threads }),
    ...(threadMemory === undefined ? {} : { threadMemory }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(externalData === undefined || isWhole ? {} : { externalData }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(wasmFile === undefined ? {} : { wasmFile }),
    ...(signal === undefined ? {} : { signal }),
    ...(download === undefined ? {} : { download }),
  });
}

/** Returns an error of the evaluator with the name of the model and a remedy. Returns other errors unchanged. */
function evaluatorError(name: string, error: unknown): unknown {
  const action = `open ${name} by the evaluator`;
  if (error instanceof UnsupportedNodeError) {
    const { node, op } = error;
    const requirement = `${
      requirementOf(error)
    } (onnxruntime may run it: leave out the option runtime)`;
    return new UnsupportedNodeError({ action, node, op, requirement, cause: error });
  }
  if (!(error instanceof RangeError)) return error;
  const message = error.message.replace(/^Cannot .*?: /, `Cannot ${action}: `);
  return new RangeError(message, { cause: error });
}

/**
 * Returns the requirement of an error without the advice to pass the option `operators`, which only the evaluator
 * has.
 */
function requirementOf({ requirement }: UnsupportedNodeError): string {
  return requirement.replace(/ \(pass operators: .*\)$/, "");
}

/**
 * Opens a model in the evaluator, in double precision, for the backend `reference`. Returns the reason as text if the
 * evaluator cannot run the model.
 */
export function openEvaluated(opened: OnnxOpened, { bytes, problem }: {
  readonly bytes: Uint8Array;
  readonly problem: string | undefined;
}): OnnxOpened | string {
  if (opened.session.device === "evaluator") return opened;
  if (problem !== undefined) return problem;
  try {
    const session = evaluatorSession(bytes, { name: opened.name });
    return { ...opened, session, bindings: withDoubleInputs(opened.bindings, session) };
  } catch (error) {
    // The evaluator does not know the opset or an operator.
    if (error instanceof UnsupportedNodeError) {
      return `${requirementOf(error)}; it has the ${error.op} ${JSON.stringify(error.node)}`;
    }
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}

function withDoubleInputs(bindings: OnnxBindings, { inputs }: Session): OnnxBindings {
  const infos = new Map(inputs.map((info) => [info.name, info]));
  return {
    ...bindings,
    inputs: bindings.inputs.map((input) => ({
      ...input,
      tensor: { ...input.tensor, dtype: infos.get(input.tensor.name)?.dtype ?? input.tensor.dtype },
    })),
  };
}
