/**
 * What a graph adds to the energy for an atom of each element.
 *
 * @module
 */

import type { Graph } from "../../../onnx/graph/graph.ts";
import { openEvaluator } from "../../../onnx/evaluate/evaluator.ts";
import type { PlainFeeds } from "../../../onnx/evaluate/feeds.ts";
import { describeValue } from "../../../onnx/codec/value_info.ts";
import type { OnnxInputBinding } from "../bindings.ts";
import type { OnnxInput } from "../manifest/manifest.ts";

/** Atoms of all elements, and what a graph is fed. */
export interface FreeAtoms {
  /** Inputs by their meanings. */
  readonly known: ReadonlyMap<OnnxInput, OnnxInputBinding>;
  /** The model's own numbers of the elements. */
  readonly numbers: readonly number[];
}

/**
 * Computes a value of a graph for atoms by themselves, in double precision; `undefined` if it is not a number per atom,
 * or per system the sum of one for each of its atoms.
 */
export function freeAtomEnergies(
  graph: Graph,
  value: string,
  { known, numbers }: FreeAtoms,
): readonly number[] | undefined {
  const count = numbers.length;
  if (count === 0) return undefined;
  try {
    const evaluator = openEvaluator(graph.encode());
    const evaluate = (atoms: readonly number[], systems: readonly number[]) =>
      evaluator.run(feedsOf(graph, known, atoms, systems), [value])[value]!.data;
    const places = numbers.map((_, i) => i);
    const single = Array.from(evaluate(numbers, places));
    // Each with the next in one system: all that is per atom stays, all that is per system is a sum.
    const pairs = places.flatMap((i) => [numbers[i]!, numbers[(i + 1) % count]!]);
    const both = evaluate(pairs, places.flatMap((i) => [i, i]));
    const isPerAtom = both.length === 2 * count;
    const isRight = single.length === count && (isPerAtom || both.length === count) &&
      places.every((i) => {
        const [one, next] = [single[i]!, single[(i + 1) % count]!];
        return isPerAtom
          ? both[2 * i] === one && both[2 * i + 1] === next
          : Math.abs(both[i]! - one - next) <= 1e-9 * (Math.abs(one) + Math.abs(next));
      });
    return isRight && single.every(Number.isFinite) ? single : undefined;
  } catch {
    return undefined; // of an operator or an input that is not known, the energy stays whole
  }
}

/** Returns feeds for atoms, and the systems that they are of; positions are there for how many there are. */
function feedsOf(
  graph: Graph,
  known: FreeAtoms["known"],
  atoms: readonly number[],
  systems: readonly number[],
): PlainFeeds {
  const count = systems.at(-1)! + 1;
  const made: { readonly [k in OnnxInput]?: readonly number[] } = {
    numbers: atoms,
    batchIndex: systems,
    systems: Array<number>(count).fill(0),
    positions: Array<number>(3 * atoms.length).fill(0),
  };
  const sizes: Readonly<Record<string, number>> = { N: atoms.length, B: count };
  const feeds: Record<string, PlainFeeds[string]> = {};
  for (const [meaning, { tensor, form }] of known) {
    const values = made[meaning];
    const info = graph.inputs.find(({ name }) => name === tensor.name);
    if (values === undefined || form === undefined || info === undefined) continue;
    const dims = form.map((axis) => typeof axis === "number" ? axis : sizes[axis]!);
    feeds[tensor.name] = {
      type: describeValue(info).type!,
      dims,
      data: Float64Array.from(values),
    };
  }
  return feeds;
}
