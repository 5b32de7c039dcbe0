/**
 * Inputs of a model for a part of the batch, computed at each step.
 *
 * @module
 */

import type { Feeds, HostFeed } from "../../onnx/session/session_tensor.ts";
import { countOf } from "../../onnx/session/session_tensor.ts";
import type { OnnxBindings, OnnxInputBinding } from "./bindings.ts";
import { DerivedArrays, derivedFeed, type OnnxDerive } from "./derived_inputs.ts";
import { FeedArray } from "./feed_array.ts";
import { CONSTANTS, type Filling, MOVING, type OnnxConstants } from "./fills.ts";
import { type OtherList, partLists } from "./lists/part_lists.ts";
import type { OnnxInput } from "./manifest/manifest.ts";
import { type OnnxArrays, type OnnxLists, OnnxPart } from "./onnx_part.ts";

/** Properties of a model that determine its inputs for every batch. */
export interface FeedRules {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Bindings of the model's tensors. */
  readonly bindings: OnnxBindings;
  /** Values of constant inputs, by name. */
  readonly constants: Readonly<Record<string, number | readonly number[]>>;
  /** Functions that compute derived inputs, by the name of the input. */
  readonly derived: Readonly<Record<string, OnnxDerive>>;
  /** Number of the model's length units in one Å. */
  readonly perAngstrom: number;
}

/** The inputs of a model for one part of a batch. Their memory is reused at each step. */
export class PartFeeds {
  readonly #fed: FeedRules;
  readonly #part: OnnxPart;
  readonly #constants: OnnxConstants;
  readonly #feeds: Record<string, HostFeed> = {};
  readonly #moving: { readonly input: OnnxInputBinding; readonly array: FeedArray }[] = [];
  readonly #derived = new DerivedArrays();
  readonly #isDerived: boolean;
  /** The part with its ranges in each further list of the model, in the order of `rules.others`. */
  readonly #others: readonly OnnxPart[];

  /** Prepares the inputs that do not change. Throws a RangeError if a constant does not fit its shape. */
  constructor(fed: FeedRules, part: OnnxPart, constants: OnnxConstants) {
    this.#fed = fed;
    this.#part = part;
    this.#constants = constants;
    this.#others = fed.bindings.rules.others.map(() =>
      new OnnxPart(constants.nodeOffsets, ...part.systems)
    );
    this.#isDerived = Object.keys(fed.derived).length > 0;
    for (const input of fed.bindings.inputs) {
      const { tensor: { name, dtype }, meaning, form } = input;
      const array = new FeedArray(dtype);
      const fill = CONSTANTS[meaning as OnnxInput];
      if (meaning === "constant") this.#feeds[name] = constantFeed(fed, input, array);
      else if (fill === undefined) this.#moving.push({ input, array });
      else {
        const dims = part.dims(form!);
        fill(array.resize(countOf(dims)), part, constants);
        this.#feeds[name] = array.feed(dims);
      }
    }
  }

  /** Returns the inputs for the values in `seen`. They are valid until the next call. */
  fill(seen: OnnxArrays): Feeds {
    const { perAngstrom, name: model, derived, bindings: { rules } } = this.#fed;
    const part = this.#part;
    const lists = seen.lists && partLists(seen.lists, part, seen.positions, rules);
    const arrays = lists === seen.lists ? seen : { ...seen, lists };
    const from = this.#isDerived
      ? this.#derived.derive({ arrays, part, perAngstrom }, this.#constants)
      : undefined;
    for (const { input: { tensor, meaning, form, list }, array } of this.#moving) {
      if (list !== undefined) continue;
      if (form === undefined) {
        const made = derived[tensor.name]!(from!);
        this.#feeds[tensor.name] = derivedFeed(model, tensor, array, made);
        continue;
      }
      const filling: Filling = { arrays, part, perAngstrom, form };
      const dims = part.dims(form);
      MOVING[meaning as OnnxInput]!(array.resize(countOf(dims)), filling);
      this.#feeds[tensor.name] = array.feed(dims);
    }
    for (const [i, other] of rules.others.entries()) this.#fillOther(seen, other, this.#others[i]!);
    return this.#feeds;
  }

  /** Returns whether any list of the model is empty for the values in `seen`. Does not call custom functions. */
  hasEmptyList(seen: OnnxArrays): boolean {
    const { hasEdges, hasTriplets, rules } = this.#fed.bindings, { sizes } = this.#part;
    if (!hasEdges) return false;
    const isEmpty = () => sizes.E === 0 || (hasTriplets && sizes.T === 0);
    this.#part.locate(seen.lists!);
    if (isEmpty() || rules.others.length === 0) return isEmpty();
    partLists(seen.lists!, this.#part, seen.positions, rules);
    return isEmpty() || rules.others.some((other, i) => {
      this.#otherLists(seen, other, this.#others[i]!);
      return this.#others[i]!.sizes.E === 0;
    });
  }

  #otherLists(seen: OnnxArrays, { cutoff, nearest }: OtherList, part: OnnxPart): OnnxLists {
    const rules = { isOrdered: false, hasBonds: false, hasMatrix: false, cutoff, nearest };
    return partLists(seen.lists!, part, seen.positions, rules);
  }

  #fillOther(seen: OnnxArrays, other: OtherList, part: OnnxPart): void {
    const { perAngstrom } = this.#fed;
    const arrays = { ...seen, lists: this.#otherLists(seen, other, part) };
    for (const { input: { tensor, meaning, form, list }, array } of this.#moving) {
      if (list !== other.name) continue;
      const dims = part.dims(form!);
      const filling = { arrays, part, perAngstrom, form: form! };
      MOVING[meaning as OnnxInput]!(array.resize(countOf(dims)), filling);
      this.#feeds[tensor.name] = array.feed(dims);
    }
  }
}

/**
 * Writes the values of a constant input to `array`, and returns it as a tensor. Throws a RangeError if the values in
 * the manifest do not fit the shape of the input.
 */
export function constantFeed(
  { name: model, constants }: FeedRules,
  { tensor: { name, shape } }: OnnxInputBinding,
  array: FeedArray,
): HostFeed {
  const value = constants[name]!;
  const dims = shape.map((length) =>
    typeof length === "number" && length >= 0 ? length : undefined
  );
  const free = dims.filter((length) => length === undefined).length;
  const fixed = dims.reduce((product: number, length = 1) => product * length, 1);
  const list = typeof value === "number" ? Array<number>(fixed).fill(value) : value;
  if (free > 1 || list.length % fixed !== 0 || (free === 0 && list.length !== fixed)) {
    throw new RangeError(
      `Cannot use ${model}: the constant ${name} must fit its shape [${
        shape.join(", ")
      }]; got ${list.length} numbers`,
    );
  }
  array.resize(list.length).copy(0, list, 0, list.length);
  return array.feed(dims.map((length) => length ?? list.length / fixed));
}
