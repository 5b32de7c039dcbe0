import { showNode } from "../codec/check_model.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { isInferred } from "../infer/rules.ts";

/** Graph and facts of a GradientWriter, which throws this error itself. */
interface InferenceState {
  readonly graph: Graph;
  readonly facts: GraphFacts;
}

/** Property of a value. */
type Part = "shape" | "type";

/** Returns the error of a value whose shape or type is required but unknown. */
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

/** Returns the first node whose result is unknown. */
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
