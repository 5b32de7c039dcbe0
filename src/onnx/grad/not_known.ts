import { showNode } from "../codec/check_model.ts";
import type { Graph } from "../graph/graph.ts";
import type { Facts } from "../infer/facts.ts";
import { isInferred } from "../infer/rules.ts";

/** What is asked: of a GradientWriter, which throws this itself. */
interface Asked {
  readonly graph: Graph;
  readonly facts: Facts;
}

/** What is wanted of a value. */
type Part = "shape" | "type";

/** The error for a value of which the shape or the type must be known, and is not. */
export function notKnown({ graph, facts }: Asked, x: string, part: Part): RangeError {
  const quoted = JSON.stringify(x);
  const requirement = part === "shape"
    ? `it must be known how many axes ${quoted} has (infer its shape before, as`
    : `the type of ${quoted} must be known (infer it before, as`;
  const node = graph.producer(firstUnknown(graph, facts, x, part));
  const why = node === undefined || isInferred(node)
    ? ""
    : `, as it is made by ${showNode(node)}, an operator that nobody knows here`;
  return new RangeError(
    `Cannot differentiate as ${requirement} with onnx.shape_inference, or describe it with Graph.describe): ` +
      `nothing says so${why}`,
  );
}

/** Where what is not known begins. */
function firstUnknown(
  graph: Graph,
  facts: Facts,
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
