import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";
import { placeOf, stopsFrom } from "./path.ts";
import type { RuleSearch } from "./rule_of.ts";
import { showNode } from "../codec/check_model.ts";

/** A differentiation: outputs, inputs and rules. */
export interface Differentiation extends RuleSearch {
  /** Writes the gradient. */
  readonly write: GradientWriter;
  /** Names of the values that are differentiated. */
  readonly of: readonly string[];
  /** Values to differentiate by → names of their gradients. */
  readonly wrt: Readonly<Record<string, string>>;
}

/** The number of places that an error names at most. */
const MOST = 3;

/**
 * Returns the error for a value that no gradient reaches.
 *
 * @param ends nodes that a gradient reaches, and at which it ends
 */
export function noPathError(
  { write, forward, action }: Differentiation,
  name: string,
  ends: readonly NodeProto[],
): RangeError {
  const stops = stopsFrom(write.graph, write.facts, { forward, wrt: name, ends });
  const places = stops.slice(0, MOST).map((node) =>
    `${showNode(node)} (${placeOf(forward, node)})`
  );
  const why = stops.length === 0
    ? `no operator leads from ${JSON.stringify(name)} to it`
    : `the paths from ${JSON.stringify(name)} end at ${places.join(", ")}`;
  return new RangeError(
    `Cannot ${action} as it must change with ${
      JSON.stringify(name)
    }, over floats (or give unused: "zeros"): ${why}`,
  );
}
