import type { Node } from "./graph.ts";

/** Returns the value of a node in float64, for a squared distance and the parameters of a pair. */
export function evaluate(node: Node, square: number, parameters: ArrayLike<number>): number {
  const values = new Map<Node, number>();
  const valueOf = (node: Node): number => {
    const value = values.get(node) ?? compute(node);
    values.set(node, value);
    return value;
  };
  const compute = (node: Node): number => {
    switch (node.kind) {
      case "number":
        return node.value;
      case "square":
        return square;
      case "parameter":
        return parameters[node.index]!;
      case "exp":
        return Math.exp(valueOf(node.of));
      case "log":
        return Math.log(valueOf(node.of));
      case "sum":
        return node.terms.reduce((sum, term) => sum + valueOf(term), node.constant);
      case "product":
        return node.factors.reduce(
          (product, { base, exponent }) => product * valueOf(base) ** exponent,
          node.scale,
        );
    }
  };
  return valueOf(node);
}
