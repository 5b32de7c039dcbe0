import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";
import { placeOf, stopsFrom } from "./path.ts";
import type { RuleSearch } from "./rule_of.ts";
import { showNode } from "../codec/check_model.ts";

/** What is differentiated, by what, and how. */
export interface WayBack extends RuleSearch {
  readonly write: GradientWriter;
  readonly of: readonly string[];
  /** Names a gradient is asked for by, and the names they come out under. */
  readonly wrt: Readonly<Record<string, string>>;
}

/** Most places that an error names. */
const MOST = 3;

/**
 * The error for a value that nothing came back to.
 *
 * @param ends nodes that something came back to, but went no further
 */
export function noWay(
  { write, forward, action }: WayBack,
  name: string,
  ends: readonly NodeProto[],
): RangeError {
  const stops = stopsFrom(write.graph, write.facts, { forward, wrt: name, ends });
  const places = stops.slice(0, MOST).map((node) =>
    `${showNode(node)} (${placeOf(forward, node)})`
  );
  const why = stops.length === 0
    ? `no operator leads from ${JSON.stringify(name)} to it`
    : `the ways from ${JSON.stringify(name)} end at ${places.join(", ")}`;
  return new RangeError(
    `Cannot ${action} as it must change with ${
      JSON.stringify(name)
    }, over floats (or give unused: "zeros"): ${why}`,
  );
}
