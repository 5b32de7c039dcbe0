/**
 * Padded lists on the host, compared with exact lists.
 *
 * @module
 */

import { compareTensors } from "../../onnx/session/compare_sessions.ts";
import type { Outputs } from "../../onnx/session/session_tensor.ts";
import { PartFeeds } from "./feeds.ts";
import type { OnnxConstants } from "./fills.ts";
import { dataOf, type HostModel, HostPart, isFiniteOutput } from "./host_part.ts";
import { ModelMismatchError } from "./model_mismatch_error.ts";
import { type OnnxArrays, OnnxPart } from "./onnx_part.ts";

/** Largest accepted differences: float32 adds a longer list in another order. */
const TOLERANCE = { relative: 1e-5, absolute: 1e-5 } as const;

/** Effect of padding on a part of a batch. */
export interface PaddingComparison {
  /** The outputs with padded lists. */
  readonly padded: Outputs;
  /** Description of the first difference; `undefined` if there is no difference. */
  readonly difference: string | undefined;
  /** False if the outputs of exact lists are not finite: they show nothing about padding then. */
  readonly isFinite: boolean;
}

/**
 * A part of a batch whose lists are padded with edges from atom 0 to itself, 100 Å away. Only the graph
 * determines whether such edges contribute nothing: an envelope without a mask may even give values that are
 * not finite.
 */
export class PaddedPart {
  /** The part, with the lengths of padded lists. */
  readonly part: OnnxPart;
  readonly #model: HostModel;
  readonly #exact: HostPart;
  readonly #feeds: PartFeeds;
  /** Lengths of lists that were compared. */
  readonly #accepted = new Set<string>();

  /**
   * Prepares the inputs that do not change. Throws a RangeError if a constant of the manifest does not fit
   * its shape.
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
   * Runs the model. If lists have a new length, it is compared with a run without padding.
   *
   * @throws {ModelMismatchError} if padding changes results
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

  /** Runs the model with and without padding. `arrays` are read before anything is awaited. */
  async compare(arrays: OnnxArrays): Promise<PaddingComparison> {
    const { names } = this.#exact;
    const feeds = this.#feeds.fill(arrays);
    // Both runs are started before anything is awaited, because views of memory may move then. A session runs
    // one call after the other.
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

/** Returns the error if padding was requested and changes results. */
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
    return `${name}[${at}] is ${found[at]} instead of ${wanted[at]}, a difference of ${
      worst.toPrecision(2)
    } (at most ${limit.toPrecision(2)})`;
  }
}
