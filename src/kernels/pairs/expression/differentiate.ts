import { type Graph, type Node, partsOf } from "./graph.ts";

/**
 * Returns the derivative of an energy with respect to the squared distance. It uses reverse accumulation, so that
 * subexpressions common to the energy and the derivative are the same node.
 */
export function differentiate(graph: Graph, energy: Node): Node {
  const slopes = new Map<Node, Node[]>([[energy, [graph.number(1)]]]);
  for (const node of dependentNodes(energy).reverse()) {
    const slope = graph.sum(...slopes.get(node) ?? []);
    if (node.kind === "square") return slope;
    for (const [part, by] of partials(graph, node)) {
      const known = slopes.get(part) ?? [];
      slopes.set(part, [...known, graph.multiply(slope, by)]);
    }
  }
  return graph.number(0);
}

/** Returns the nodes that depend on the distance, each after its operands. The squared distance is the first. */
function dependentNodes(root: Node): Node[] {
  const dependent = new Map<Node, boolean>();
  const order: Node[] = [];
  const visit = (node: Node): boolean => {
    const known = dependent.get(node);
    if (known !== undefined) return known;
    // `map` visits every part, even if an earlier one depends on the distance.
    const depends = node.kind === "square" || partsOf(node).map(visit).includes(true);
    dependent.set(node, depends);
    if (depends) order.push(node);
    return depends;
  };
  visit(root);
  return order;
}

/** Returns the operands of a node, each with the partial derivative of the node with respect to it. */
function partials(graph: Graph, node: Node): (readonly [Node, Node])[] {
  switch (node.kind) {
    case "exp":
      return [[node.of, node]];
    case "log":
      return [[node.of, graph.product(1, [{ base: node.of, exponent: -1 }])]];
    case "sum":
      return node.terms.map((term) => [term, graph.number(1)]);
    case "product":
      return node.factors.map((factor, i) => {
        const { base, exponent } = factor;
        // The exponent is lowered here. Multiplying by base⁻¹ would give 0/0 for (x²)^³⁄₂ at x = 0,
        // where the slope is 0.
        const lowered = node.factors.with(i, { base, exponent: exponent - 1 });
        return [base, graph.product(node.scale * exponent, lowered)];
      });
    default:
      return [];
  }
}
