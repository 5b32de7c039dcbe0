import { isFloat } from "../codec/element_type.ts";
import { type EvaluatorOptions, openEvaluator } from "../evaluate/evaluator.ts";
import type { PlainFeeds } from "../evaluate/feeds.ts";
import type { Evaluator } from "../evaluate/evaluator.ts";
import type { PlainTensor } from "../evaluate/plain_tensor.ts";
import { planFor } from "../evaluate/plan.ts";
import { decodeModel } from "../codec/codec.ts";
import { Graph } from "../graph/graph.ts";
import { type ModelOutline, outlineModel } from "../describe/model_outline.ts";
import { toHostTensor } from "./session_outputs.ts";
import type { Session } from "./session_run.ts";
import type { RuntimeTensor } from "./session_runtime.ts";
import {
  type Feeds,
  type Fetches,
  type HostFeed,
  type HostTensor,
  type Outputs,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
  type TensorInfo,
} from "./session_tensor.ts";
import { tensorInfo } from "../codec/tensor_info.ts";
import type { ValueDescription } from "../codec/value_info.ts";

/** Options of {@linkcode evaluatorSession}. */
export interface EvaluatorSessionOptions extends EvaluatorOptions {
  /**
   * Name of the model in error messages.
   *
   * @default "a model"
   */
  readonly name?: string;
  /**
   * True to throw if an output has non-finite values.
   *
   * @default false
   */
  readonly checkFinite?: boolean;
}

/**
 * Opens a session that needs no runtime: plain TypeScript evaluates the model in double precision. An input of any
 * float type accepts a `Float64Array` or an array of its own type. Float outputs are `Float64Array`s. The evaluator
 * is slow and accurate: use it for reference values, or if onnxruntime is not available.
 *
 * @param bytes a self-contained model; see {@linkcode loadExternalData} for weights in other files
 * @throws {SyntaxError} if the bytes are not a model
 * @throws {RangeError} if the opset is not between 18 and 21
 * @throws {UnsupportedNodeError} if an operator is unknown, or the model has control flow
 * @throws {TypeError} if an input is not a tensor of numbers
 *
 * @example
 * ```ts
 * import { dataOf, evaluatorSession, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("thirds");
 * const x = builder.input("x", "f32", ["N"]);
 * builder.output("y", builder.div(x, 3), ["N"]);
 * await using session = evaluatorSession(builder.build());
 * const outputs = await session.run({ x: { data: Float64Array.of(1) } });
 * assertEquals([...dataOf(outputs, "y", "float64")], [1 / 3]);
 * ```
 */
export function evaluatorSession(
  bytes: Uint8Array,
  { name = "a model", checkFinite = false, ...options }: EvaluatorSessionOptions = {},
): Session {
  const model = decodeModel(bytes, { name });
  const evaluator = openEvaluator(model, options);
  if (options.anyOpset !== true) {
    // Report unsupported operators now instead of in the middle of a run.
    const graph = new Graph(model);
    planFor(
      graph,
      graph.nodes,
      evaluator.outputs.map((output) => output.name),
      options.operators ?? {},
    );
  }
  return new EvaluatorSession(evaluator, { name, checkFinite, outline: outlineModel(bytes, name) });
}

class EvaluatorSession implements Session {
  readonly name: string;
  readonly device = "evaluator";
  readonly note = "";
  readonly gpuDevice = undefined;
  readonly threads = 1;
  readonly isCaptured = false;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly outline: ModelOutline;
  readonly #evaluator: Evaluator;
  readonly #checkFinite: boolean;
  #isDisposed = false;

  constructor(evaluator: Evaluator, { name, checkFinite, outline }: {
    readonly name: string;
    readonly checkFinite: boolean;
    readonly outline: ModelOutline;
  }) {
    const toInfo = (value: ValueDescription): TensorInfo => {
      const info = tensorInfo(name, value);
      return value.type !== undefined && isFloat(value.type) ? { ...info, dtype: "float64" } : info;
    };
    this.name = name;
    this.inputs = evaluator.inputs.map(toInfo);
    this.outputs = evaluator.outputs.map(toInfo);
    this.outline = outline;
    this.#evaluator = evaluator;
    this.#checkFinite = checkFinite;
  }

  async run(feeds: Feeds, fetches?: Fetches): Promise<Outputs> {
    await undefined; // Reject the promise instead of throwing.
    if (this.#isDisposed) {
      throw new Error(`Cannot run ${this.name}: its session was disposed of`);
    }
    const wanted = fetches === undefined
      ? this.outputs.map(({ name }) => name)
      : Array.isArray(fetches)
      ? fetches as readonly string[]
      : Object.keys(fetches);
    const made = await this.#evaluator.runInTurns(this.#plain(feeds), wanted);
    return Object.fromEntries(
      wanted.map((name) => [name, this.#toHost(name, made[name]!, fetches)]),
    );
  }

  dispose(): Promise<void> {
    this.#isDisposed = true;
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Returns feeds as plain tensors. A Float64Array is accepted for inputs of any floating-point type. */
  #plain(feeds: Feeds): PlainFeeds {
    const types = new Map(this.#evaluator.inputs.map(({ name, type }) => [name, type]));
    return Object.fromEntries(
      Object.entries(feeds).map(([name, feed]): [string, HostFeed | PlainTensor] => {
        if ("buffer" in feed) throw this.#onGpu(name);
        const type = types.get(name);
        const { data, dims = [data?.length] } = feed;
        const isDoubles = type !== undefined && isFloat(type) && data instanceof Float64Array;
        return [name, isDoubles ? { type, dims, data } : feed];
      }),
    );
  }

  #toHost(name: string, tensor: PlainTensor, fetches: Fetches | undefined): HostTensor {
    const { dtype } = this.outputs.find((output) => output.name === name) ??
      tensorInfo(this.name, { name, type: isFloat(tensor.type) ? "f64" : tensor.type, shape: [] });
    const data = dtype === "float64" ? tensor.data : arrayOf(dtype, tensor.data);
    const rules = { name: this.name, checkFinite: this.#checkFinite };
    const result = { data, dims: tensor.dims } as unknown as RuntimeTensor;
    return toHostTensor(rules, { name, dtype, shape: [] }, result, fetches);
  }

  #onGpu(name: string): TypeError {
    return new TypeError(
      `Cannot run ${this.name}: for the evaluator ${name} must be in host memory; ` +
        "got a GPU buffer",
    );
  }
}

/** Returns values as an array of the type `dtype`, which is an integer type or bool. */
function arrayOf(dtype: TensorDtype, values: Float64Array): TensorArray {
  const array = new TENSOR_ARRAYS[dtype](values.length);
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    for (let i = 0; i < values.length; i++) array[i] = BigInt(values[i]!);
  } else array.set(values);
  return array;
}
