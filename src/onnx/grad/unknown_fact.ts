import { showNode } from "../codec/check_model.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { isInferred } from "../infer/rules.ts";

/**
 * Members of a GradientWriter that `unknownFact` uses. The class itself is not imported, because it throws this
 * error.
 */
interface InferenceState {
  readonly graph: Graph;
  readonly facts: GraphFacts;
}

/** Property of a value that may be unknown. */
type Part = "shape" | "type";

/** Returns the error for a value whose shape or type is required but unknown. */
export function unknownFact({ graph, facts }: InferenceState, x: string, part: Part): RangeError {
  const quoted = JSON.stringify(x);
  const fault = part === "shape"
    ? `the rank of ${quoted} is unknown`
    : `the type of ${quoted} is unknown`;
  const node = graph.producer(firstUnknown(graph, facts, x, part));
  const why = node === undefined || isInferred(node)
    ? ""
    : `, because ${showNode(node)} has an unknown operator`;
  return new RangeError(
    `Cannot differentiate: ${fault}${why}. Infer shapes with onnx.shape_inference before the export, or ` +
      "declare it by Graph.describe",
  );
}

/**
 * Returns the name of the first value, on a path from x back through inputs, whose shape or type is unknown although
 * its inputs are known.
 */
function firstUnknown(
  graph: Graph,
  facts: GraphFacts,
  x: string,
  part: Part,
): string {
  const isUnknown = (name: string) => name !== "" && facts.of(name)[part] === undefined;
  for (let name = x;;) {
    const before = graph.producer(name)?.input.find(isUnknown);
    if (before === undefined) return name;
    name = before;
  }
}
