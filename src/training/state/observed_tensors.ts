/**
 * Tensors within the model that hooks observe. They are computed only if a hook that reads them is due.
 *
 * They are computed in a separate session. The session that trains does not change, so training stays bitwise
 * identical.
 *
 * @module
 */

import type { Graph } from "../../onnx/graph/graph.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import { expose } from "../../onnx/taps/expose.ts";
import { statistics, type TensorStatistics } from "../../onnx/taps/statistics.ts";
import type { Activation, ActivationStatistics, TrainingBatch } from "../context.ts";
import { partsOf } from "./field_source.ts";
import { type Runner, tensorsOf } from "../graph/runner.ts";

/** The outputs that were added to the graph to compute a field: tensors, or their statistics. */
type Found =
  | { readonly kind: "activations"; readonly outputs: Readonly<Record<string, string>> }
  | { readonly kind: "statistics"; readonly outputs: readonly TensorStatistics[] };

/** Returns whether a field observes tensors within the model. */
export function isObserved(field: string): boolean {
  return /^(activations|statistics):/.test(field);
}

/** The tensors of the model that hooks observe in a batch. */
export class ObservedTensors {
  readonly #found = new Map<string, ReadonlyMap<string, Found>>();
  #seen: ReadonlyMap<string, unknown> = new Map();

  /** Discards the tensors of the last batch. */
  forget(): void {
    if (this.#seen.size > 0) this.#seen = new Map();
  }

  /** Discards the outputs that fields refer to, because the graphs were rebuilt. */
  reset(): void {
    this.#found.clear();
  }

  /** Returns the value of a field in this batch. Throws a TypeError if it was not observed. */
  get(field: string): unknown {
    const seen = this.#seen.get(field);
    if (seen !== undefined) return seen;
    throw new TypeError(
      `Cannot read ${field}: it exists only from AFTER_FORWARD to the end of a batch`,
    );
  }

  /**
   * Computes the values of all fields in one run. Throws a RangeError for a pattern that matches no tensor of the
   * model.
   */
  async observe(
    runner: Pick<Runner, "tapped">,
    batch: TrainingBatch,
    fields: readonly string[],
    more: Readonly<Record<string, HostFeed>>,
    parameters: string = "parameters",
  ): Promise<void> {
    const key = [...fields].sort().join("\n");
    const found = new Map<string, Found>(this.#found.get(key));
    const edit = (graph: Graph) => {
      for (const field of fields) found.set(field, tap(graph, field));
    };
    const outputs = await runner.tapped(key, batch, edit, more, parameters);
    this.#found.set(key, found);
    const tensors = tensorsOf(outputs);
    this.#seen = new Map(fields.map((field) => [field, seenOf(found.get(field)!, tensors)]));
  }
}

function tap(graph: Graph, field: string): Found {
  const [kind, pattern = "*"] = partsOf(field);
  return kind === "activations"
    ? { kind, outputs: expose(graph, pattern) }
    : { kind: "statistics", outputs: statistics(graph, pattern) };
}

function seenOf(found: Found, tensors: ReadonlyMap<string, Activation>): unknown {
  if (found.kind === "activations") {
    return new Map(
      Object.entries(found.outputs).map(([name, output]) => [name, tensors.get(output)]),
    );
  }
  return new Map(found.outputs.map(({ tensor, output, columns }) => {
    const { data } = tensors.get(output!)!;
    const numbers = columns.map((column, i) => [column, data[i]!]);
    return [tensor, Object.fromEntries(numbers) as ActivationStatistics];
  }));
}
