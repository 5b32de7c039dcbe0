/**
 * Energies that a graph adds for each atom of an element.
 *
 * @module
 */

import type { Graph } from "../../../onnx/graph/graph.ts";
import { openEvaluator } from "../../../onnx/evaluate/evaluator.ts";
import type { PlainFeeds } from "../../../onnx/evaluate/feeds.ts";
import { describeValue } from "../../../onnx/codec/value_info.ts";
import type { OnnxInputBinding } from "../bindings.ts";
import type { OnnxInput } from "../manifest/manifest.ts";

/** Atoms of all elements, and the inputs of a graph. */
export interface FreeAtoms {
  /** Inputs by their meanings. */
  readonly known: ReadonlyMap<OnnxInput, OnnxInputBinding>;
  /** The model's numbers of the elements. */
  readonly numbers: readonly number[];
}

/**
 * Computes a value of a graph for single atoms, in double precision. Returns `undefined` if the value is
 * neither one number per atom, nor per system the sum of one number per atom.
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
    // Pairs of atoms, each with the next: a value per atom does not change, and a value per system is a sum.
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
    return undefined; // an operator or an input is not known, so the energy is not split
  }
}

/** Returns the inputs for atoms of the given systems. Positions are zero: only their number matters. */
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
