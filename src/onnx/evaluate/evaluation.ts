import { unsupported } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";
import { beyondLimit, within } from "./memory.ts";
import type { PlainTensor } from "./plain_tensor.ts";
import type { Plan, PlanStep } from "./plan.ts";
import { roundTo } from "./operators/rounding.ts";

/** Settings of an evaluation. */
export interface EvaluationRules {
  /** Nodes in the order of evaluation. */
  readonly plan: Plan;
  /** Version of ai.onnx that the model imports. */
  readonly opset: number;
  /** True to round the results of each node to their element types. */
  readonly rounds: boolean;
  /** Memory limit for the results of nodes, in bytes. */
  readonly maxBytes: number;
  /** Signal that aborts the evaluation. */
  readonly signal: AbortSignal | undefined;
  /** Returns a constant of the graph by its name. Throws a TypeError if it cannot be read. */
  constant(name: string): PlainTensor;
}

/** Evaluates a graph node by node. */
export class Evaluation {
  readonly #rules: EvaluationRules;
  readonly #values: Map<string, PlainTensor>;
  /**
   * Number of values that share each array. Operators such as Reshape return the array of their input, and an array
   * counts against the memory limit until its last value is dropped.
   */
  readonly #shares = new Map<Float64Array, number>();
  #bytes = 0;
  #next = 0;

  /**
   * Creates an evaluation that begins with the first node. `feeds` are the inputs by name; results are added to the
   * same map.
   */
  constructor(rules: EvaluationRules, feeds: Map<string, PlainTensor>) {
    this.#rules = rules;
    this.#values = feeds;
  }

  /** Evaluates the next node. Returns false if no node is left. Throws the reason of the signal if it was aborted. */
  step(): boolean {
    const { plan, opset, maxBytes, signal } = this.#rules;
    signal?.throwIfAborted();
    const step = plan.steps[this.#next];
    if (step === undefined) return false;
    this.#next++;
    const { node, evaluate } = step;
    const inputs = node.input.map((name) => this.value(name));
    // Operators allocate through `allocate`, which compares with the bytes that are left, so that a node beyond
    // the limit fails before it takes the memory.
    const outputs = within(
      node,
      maxBytes,
      maxBytes - this.#bytes,
      () => evaluate(inputs, node, { opset }),
    );
    this.#keep(step, outputs, inputs);
    return true;
  }

  /** Returns the value with a name; `undefined` if the name is "", which stands for an omitted input. */
  value(name: string): PlainTensor | undefined {
    return name === "" ? undefined : this.#values.get(name) ?? this.#rules.constant(name);
  }

  #keep(
    { node, done }: PlanStep,
    outputs: readonly PlainTensor[],
    inputs: readonly (PlainTensor | undefined)[],
  ): void {
    for (const [i, name] of node.output.entries()) {
      if (name === "") continue;
      const made = this.#made(node, outputs[i]);
      // Arrays of feeds, constants and earlier nodes, which Reshape or Identity pass on, were counted before.
      const isNew = !inputs.some((input) => input?.data === made.data);
      if (isNew || this.#shares.has(made.data)) this.#share(node, made.data);
      this.#values.set(name, made);
    }
    for (const name of done) this.#release(name);
  }

  #share(node: NodeProto, data: Float64Array): void {
    const shares = this.#shares.get(data) ?? 0;
    this.#shares.set(data, shares + 1);
    if (shares > 0) return;
    this.#bytes += data.byteLength;
    const { maxBytes } = this.#rules;
    if (this.#bytes > maxBytes) throw beyondLimit(node, maxBytes, data.byteLength);
  }

  #release(name: string): void {
    const data = this.#values.get(name)?.data;
    this.#values.delete(name);
    const shares = data && this.#shares.get(data);
    if (data === undefined || shares === undefined) return;
    if (shares > 1) return void this.#shares.set(data, shares - 1);
    this.#shares.delete(data);
    this.#bytes -= data.byteLength;
  }

  #made(node: NodeProto, output: PlainTensor | undefined): PlainTensor {
    if (output === undefined) {
      throw unsupported(
        "evaluate a graph",
        node,
        "it must not have more outputs than its operator",
      );
    }
    if (!this.#rules.rounds) return output;
    return { ...output, data: roundTo(output.type, output.data.slice()) };
  }
}
