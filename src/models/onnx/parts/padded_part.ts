/**
 * Evaluation of a model on the host with padded lists, compared with lists without padding.
 *
 * @module
 */

import { compareTensors } from "../../../onnx/session/compare_sessions.ts";
import type { Outputs } from "../../../onnx/session/session_tensor.ts";
import { PartFeeds } from "../feeds.ts";
import type { OnnxConstants } from "../fills.ts";
import { dataOf, type HostModel, HostPart, isFiniteOutput } from "./host_part.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import { type OnnxArrays, OnnxPart } from "../onnx_part.ts";

/** Largest accepted differences. They are not 0, because float32 sums over a longer list are rounded differently. */
const TOLERANCE = { relative: 1e-5, absolute: 1e-5 } as const;

/** Outputs with padded lists, compared with the outputs without padding. */
export interface PaddingComparison {
  /** The outputs with padded lists. */
  readonly padded: Outputs;
  /** Description of the first difference; `undefined` if the outputs agree. */
  readonly difference: string | undefined;
  /** False if the outputs without padding are not finite, so that the comparison shows nothing about padding. */
  readonly isFinite: boolean;
}

/**
 * A part of a batch whose lists are padded with edges from atom 0 to itself, 100 Å away. Some graphs do not ignore
 * such edges; an envelope function without a mask may even give values that are not finite.
 */
export class PaddedPart {
  /** The systems of the part, with the lengths of padded lists. */
  readonly part: OnnxPart;
  readonly #model: HostModel;
  readonly #exact: HostPart;
  readonly #feeds: PartFeeds;
  /** Lengths of the padded lists for which a comparison found no difference. */
  readonly #accepted = new Set<string>();

  /**
   * Prepares the inputs that do not change. Throws a RangeError if a constant of the manifest does not fit its shape.
   */
  constructor(
    model: HostModel,
    systems: readonly [from: number, to: number],
    constants: OnnxConstants,
  ) {
    this.#model = model;
    this.#exact = new HostPart(model, systems, constants);
    this.part = new OnnxPart(constants.nodeOffsets, ...systems, true);
    this.#feeds = new PartFeeds(model, this.part, constants);
  }

  /**
   * Runs the model, and returns its outputs. If the padded lists have a new length, the outputs are compared with
   * those without padding.
   *
   * @throws {ModelMismatchError} if padding changes the results
   */
  async run(arrays: OnnxArrays): Promise<Outputs> {
    if (arrays.lists !== undefined) this.part.locate(arrays.lists);
    const lengths = `${this.part.sizes.E} ${this.part.sizes.T}`;
    if (this.#accepted.has(lengths)) {
      return await this.#model.session.run(this.#feeds.fill(arrays), this.#exact.names);
    }
    const { padded, difference, isFinite } = await this.compare(arrays);
    if (isFinite && difference !== undefined) throw paddingMismatch(this.#model.name, difference);
    if (isFinite) this.#accepted.add(lengths);
    return padded;
  }

  /**
   * Runs the model with and without padding, and compares the outputs. `arrays` are read before the function awaits
   * anything.
   */
  async compare(arrays: OnnxArrays): Promise<PaddingComparison> {
    const { names } = this.#exact;
    const feeds = this.#feeds.fill(arrays);
    // Both runs are started before anything is awaited, because memory may move during an `await`, which makes views
    // invalid. The session runs one call after the other.
    const [exact, padded] = await Promise.all([
      this.#exact.run(arrays),
      this.#model.session.run(feeds, names),
    ]);
    return {
      padded,
      difference: differenceOf(padded, exact, names),
      isFinite: names.every((name) => isFiniteOutput(exact, name)),
    };
  }
}

/** Returns the error for a model whose results change with the padding that its manifest requests. */
export function paddingMismatch(model: string, difference: string): ModelMismatchError {
  return new ModelMismatchError(model, {
    expected: "padded edges (from atom 0 to itself, 100 Å away) must add nothing",
    found: `with them ${difference}`,
    wouldMap: {},
    remedy: "leave out padding: true, so that its lists are not padded",
  });
}

function differenceOf(
  padded: Outputs,
  exact: Outputs,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const found = dataOf(padded, name), wanted = dataOf(exact, name);
    const { ok, worst, at, limit } = compareTensors(found, wanted, TOLERANCE);
    if (ok) continue;
    if (at === -1) return `${name} has ${found.length} numbers instead of ${wanted.length}`;
    return `${name}[${at}] is ${found[at]} instead of ${wanted[at]}: the difference is ${
      worst.toPrecision(2)
    }, but at most ${limit.toPrecision(2)} is allowed`;
  }
}
