import { type Factor, type Graph, type Node, partsOf } from "./graph.ts";
import type { BinaryOperation, PairOperation } from "./program.ts";

/**
 * A number that does not depend on the distance: `scale` times a node. It is computed once for each pair of types, in
 * float64.
 */
export interface Coefficient {
  readonly scale: number;
  readonly node: Node;
}

/** A value: the result of the operation at position `at`, or its negative if `isNegative` is true. */
interface Signed {
  readonly at: number;
  readonly isNegative: boolean;
}

/** Converts nodes to a list of operations. Equal operations are added once. */
export class Lowering {
  readonly operations: PairOperation[] = [];
  readonly coefficients: Coefficient[] = [];
  readonly #graph: Graph;
  readonly #positions = new Map<string, number>();
  readonly #values = new Map<Node, Signed>();
  readonly #dependent = new Map<Node, boolean>();
  /** True if the expression needs 1/r². 1/r is then computed as r/r², which saves a division. */
  readonly #hasInverseSquare: boolean;

  /** Creates an empty list of operations. `roots` are all nodes whose values will be requested. */
  constructor(graph: Graph, roots: readonly Node[]) {
    this.#graph = graph;
    this.#hasInverseSquare = hasPower(graph.square(), roots, (exponent) => exponent <= -1);
    this.#emit({ op: "square" });
  }

  /** Adds the operations that compute a node. Returns the position of the last one. */
  valueOf(node: Node): number {
    const { at, isNegative } = this.#signed(node);
    return isNegative ? this.#emit({ op: "negate", a: at }) : at;
  }

  #signed(node: Node): Signed {
    const value = this.#values.get(node) ?? this.#lower(node);
    this.#values.set(node, value);
    return value;
  }

  #lower(node: Node): Signed {
    if (node.kind === "number") return this.#number(node.value);
    if (!this.#depends(node)) return this.#coefficient(node);
    switch (node.kind) {
      case "product":
        return this.#product(node.scale, node.factors);
      case "sum":
        return this.#sum(node.constant, node.terms);
      case "exp": {
        const argument = this.valueOf(inBase2(this.#graph, node.of));
        return { at: this.#emit({ op: "exp2", a: argument }), isNegative: false };
      }
      case "log": {
        const log2 = this.#emit({ op: "log2", a: this.valueOf(node.of) });
        return { at: this.#two("multiply", log2, this.#number(Math.LN2).at), isNegative: false };
      }
      default:
        return { at: 0, isNegative: false };
    }
  }

  #product(scale: number, factors: readonly Factor[]): Signed {
    const own = factors.filter(({ base }) => this.#depends(base));
    const before = this.#graph.product(scale, factors.filter(({ base }) => !this.#depends(base)));
    const [above, below]: [number[], number[]] = [[], []];
    const signs: boolean[] = [];
    for (const { base, exponent } of own) {
      if (base.kind === "square") {
        above.push(this.#distance(2 * exponent));
        continue;
      }
      const { at, isNegative } = this.#raised(base, Math.abs(exponent));
      (exponent > 0 ? above : below).push(at);
      signs.push(isNegative);
    }
    const first = this.#signed(before);
    signs.push(first.isNegative);
    const isOne = before.kind === "number" && Math.abs(before.value) === 1;
    // Factors that do not depend on the types are multiplied first, because other terms may share
    // the product.
    if (!isOne || above.length === 0) above.push(first.at);
    const multiplied = (all: readonly number[]) =>
      all.reduce((a, b) => this.#two("multiply", a, b));
    const top = multiplied(above);
    const at = below.length > 0 ? this.#two("divide", top, multiplied(below)) : top;
    return { at, isNegative: signs.filter((isNegative) => isNegative).length % 2 === 1 };
  }

  #sum(constant: number, terms: readonly Node[]): Signed {
    const others = terms.filter((term) => !this.#depends(term));
    const rest = this.#graph.sum(this.#graph.number(constant), ...others);
    const own = terms.filter((term) => this.#depends(term));
    if (rest.kind !== "number" || rest.value !== 0) own.push(rest);
    // A sum that begins with a positive term needs no negation.
    const [first, ...more] = own.map((term) => this.#signed(term))
      .sort((a, b) => Number(a.isNegative) - Number(b.isNegative));
    const { at: start, isNegative } = first!;
    const at = more.reduce(
      (sum, one) => this.#two(one.isNegative === isNegative ? "add" : "subtract", sum, one.at),
      start,
    );
    return { at, isNegative };
  }

  /**
   * Adds the operation that reads the coefficient of a node which does not depend on the distance, and adds the
   * coefficient if it is new. Returns the value. Multiples of one node share a coefficient.
   */
  #coefficient(node: Node): Signed {
    const [scale, base] = this.#graph.unscaled(node);
    const size = Math.abs(scale);
    let index = this.coefficients.findIndex((one) => one.node === base);
    if (index === -1) index = this.coefficients.push({ scale: size, node: base }) - 1;
    const at = this.#emit({ op: "coefficient", index });
    const ratio = size / this.coefficients[index]!.scale;
    return {
      at: ratio === 1 ? at : this.#two("multiply", at, this.#number(ratio).at),
      isNegative: scale < 0,
    };
  }

  #number(value: number): Signed {
    return { at: this.#emit({ op: "number", value: Math.abs(value) }), isNegative: value < 0 };
  }

  /** Adds the operations for a power of the distance r. Returns the position of the result. */
  #distance(exponent: number): number {
    const size = Math.abs(exponent);
    if (!Number.isInteger(size)) return this.#power(0, exponent / 2);
    const one = this.#number(1).at;
    const root = this.#emit({ op: "sqrt", a: 0 });
    if (exponent === -1 && !this.#hasInverseSquare) return this.#two("divide", one, root);
    const square = exponent > 0 ? 0 : this.#two("divide", one, 0);
    if (size % 2 === 0) return this.#power(square, size / 2);
    if (exponent === 1) return root;
    const rest = this.#power(square, exponent > 0 ? (size - 1) / 2 : (size + 1) / 2);
    return this.#two("multiply", root, rest);
  }

  /** Adds the operations for a node raised to a positive power. With an integer exponent, the node may be negative. */
  #raised(base: Node, exponent: number): Signed {
    if (!Number.isInteger(exponent)) {
      return { at: this.#power(this.valueOf(base), exponent), isNegative: false };
    }
    const { at, isNegative } = this.#signed(base);
    return { at: this.#power(at, exponent), isNegative: isNegative && exponent % 2 === 1 };
  }

  /**
   * Adds the operations for a power of the result at `at`: products for a positive integer exponent, a root for ½,
   * and a logarithm for all others. Returns the position of the result.
   */
  #power(at: number, exponent: number): number {
    if (exponent === 1) return at;
    if (exponent === 0.5) return this.#emit({ op: "sqrt", a: at });
    if (Number.isInteger(exponent) && exponent > 0) {
      if (exponent % 2 === 1) return this.#two("multiply", this.#power(at, exponent - 1), at);
      const half = this.#power(at, exponent / 2);
      return this.#two("multiply", half, half);
    }
    const by = this.#number(exponent);
    const product = this.#two("multiply", this.#emit({ op: "log2", a: at }), by.at);
    const argument = by.isNegative ? this.#emit({ op: "negate", a: product }) : product;
    return this.#emit({ op: "exp2", a: argument });
  }

  #depends(node: Node): boolean {
    const depends = this.#dependent.get(node) ??
      (node.kind === "square" || partsOf(node).some((part) => this.#depends(part)));
    this.#dependent.set(node, depends);
    return depends;
  }

  #two(op: BinaryOperation, a: number, b: number): number {
    return this.#emit({ op, a, b });
  }

  #emit(operation: PairOperation): number {
    const key = Object.values(operation).join(" ");
    let at = this.#positions.get(key);
    if (at === undefined) this.#positions.set(key, at = this.operations.push(operation) - 1);
    return at;
  }
}

/**
 * Returns x log₂ e for a node x, because eˣ is computed as a power of 2. The factor log₂ e becomes part of
 * coefficients, which are computed in float64.
 */
function inBase2(graph: Graph, node: Node): Node {
  const scaled = (one: Node) => graph.multiply(graph.number(Math.LOG2E), one);
  if (node.kind !== "sum") return scaled(node);
  return graph.sum(scaled(graph.number(node.constant)), ...node.terms.map(scaled));
}

/**
 * Returns whether the expressions of `roots` contain a power of `base` with an exponent for which `is` returns true.
 */
function hasPower(
  base: Node,
  roots: readonly Node[],
  is: (exponent: number) => boolean,
): boolean {
  const seen = new Set<Node>();
  const visit = (node: Node): boolean => {
    if (seen.has(node)) return false;
    seen.add(node);
    const isHere = node.kind === "product" &&
      node.factors.some((one) => one.base === base && is(one.exponent));
    return isHere || partsOf(node).some(visit);
  };
  return roots.some(visit);
}
