import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";
import { pathEnds, placeOf } from "./path.ts";
import type { RuleSearch } from "./rule_of.ts";
import { showNode } from "../codec/check_model.ts";

/** The graph, values and rules of a differentiation. */
export interface Differentiation extends RuleSearch {
  /** Writer of the gradient. */
  readonly write: GradientWriter;
  /** Names of the values that are differentiated. */
  readonly of: readonly string[];
  /** Names of the gradients, by the names of the values with respect to which they are taken. */
  readonly wrt: Readonly<Record<string, string>>;
}

/** Largest number of nodes that an error lists. */
const MOST = 3;

/**
 * Returns the error for the value `name`, which no gradient reaches.
 *
 * @param ends nodes that a gradient reaches, but that pass no gradient on to their inputs
 */
export function noPathError(
  { write, forward, action }: Differentiation,
  name: string,
  ends: readonly NodeProto[],
): RangeError {
  const stops = pathEnds(write.graph, write.facts, { forward, wrt: name, ends });
  const places = stops.slice(0, MOST).map((node) =>
    `${showNode(node)} (${placeOf(forward, node)})`
  );
  const why = stops.length === 0
    ? `no operator leads from ${JSON.stringify(name)} to it`
    : `the paths from ${JSON.stringify(name)} end at ${places.join(", ")}`;
  return new RangeError(
    `Cannot ${action}: it must depend on ${
      JSON.stringify(name)
    } through floats, but ${why} (or pass unused: "zeros")`,
  );
}
