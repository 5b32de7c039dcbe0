/**
 * Computation of the energies that a graph adds for single atoms of each element.
 *
 * @module
 */

import type { Graph } from "../../../onnx/graph/graph.ts";
import { openEvaluator } from "../../../onnx/evaluate/evaluator.ts";
import type { PlainFeeds } from "../../../onnx/evaluate/feeds.ts";
import { describeValue } from "../../../onnx/codec/value_info.ts";
import type { OnnxInputBinding } from "../bindings.ts";
import type { OnnxInput } from "../manifest/manifest.ts";

/** The inputs of a graph, and the numbers of the elements for which it is evaluated. */
export interface FreeAtoms {
  /** Inputs of the graph by their meanings. */
  readonly known: ReadonlyMap<OnnxInput, OnnxInputBinding>;
  /** The numbers that the model uses for its elements. */
  readonly numbers: readonly number[];
}

/**
 * Evaluates a value of a graph for a single atom of each element, in double precision. Returns one number per
 * element, in the order of `numbers`. Returns `undefined` unless the value is one number per atom, or one number per
 * system that is the sum over its atoms.
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
    // Each atom is paired with the next one. Values per atom must not change; values per system must be sums.
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
    return undefined; // the evaluator lacks an operator or an input, so the energies stay in the graph
  }
}

/**
 * Returns the inputs of the graph for atoms with the given element numbers and systems. Positions are zero, because
 * the energies of free atoms do not depend on them.
 */
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
