/**
 * Graphs of energy expressions, in which equal subexpressions are the same node.
 *
 * @module
 */

/** A constant number. */
interface NumberNode {
  readonly kind: "number";
  readonly id: number;
  readonly value: number;
}

/** The squared distance of the two atoms. */
interface SquareNode {
  readonly kind: "square";
  readonly id: number;
}

/** A parameter of the potential, by its index. */
interface ParameterNode {
  readonly kind: "parameter";
  readonly id: number;
  readonly index: number;
}

/** The exponential or the natural logarithm of a node. */
interface FunctionNode {
  readonly kind: "exp" | "log";
  readonly id: number;
  readonly of: Node;
}

/** The product of the number `scale` and powers of other nodes. */
interface ProductNode {
  readonly kind: "product";
  readonly id: number;
  readonly scale: number;
  readonly factors: readonly Factor[];
  readonly isPositive: boolean;
}

/** The sum of the number `constant` and other nodes. */
interface SumNode {
  readonly kind: "sum";
  readonly id: number;
  readonly constant: number;
  readonly terms: readonly Node[];
  readonly isPositive: boolean;
}

/** A node of an energy expression. */
export type Node =
  | NumberNode
  | SquareNode
  | ParameterNode
  | FunctionNode
  | ProductNode
  | SumNode;

/** A power of a node, as a factor of a product. */
export interface Factor {
  readonly base: Node;
  readonly exponent: number;
}

/** Returns the operands of a node. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "exp":
    case "log":
      return [node.of];
    case "product":
      return node.factors.map(({ base }) => base);
    case "sum":
      return node.terms;
    default:
      return [];
  }
}

/**
 * Returns whether a node is known to be positive. A node that is 0 at the boundary of its domain, such as the squared
 * distance, counts as positive.
 */
function isPositive(node: Node): boolean {
  switch (node.kind) {
    case "number":
      return node.value > 0;
    case "square":
    case "exp":
      return true;
    case "product":
    case "sum":
      return node.isPositive;
    default:
      return false;
  }
}

/**
 * Returns whether a power is known to be positive. A power with a fractional exponent is positive, because its base
 * must be positive.
 */
function isPositivePower({ base, exponent }: Factor): boolean {
  return isPositive(base) || !Number.isInteger(exponent);
}

/**
 * Creates the nodes of an expression. It flattens products and sums and merges like terms, so that equal
 * subexpressions become one node.
 */
export class Graph {
  readonly #nodes = new Map<string, Node>();

  /** Returns the node of a constant. */
  number(value: number): Node {
    return this.#same(`number ${value}`, (id) => ({ kind: "number", id, value }));
  }

  /** Returns the node of the squared distance. */
  square(): Node {
    return this.#same("square", (id) => ({ kind: "square", id }));
  }

  /** Returns the node of the parameter at index `index`. */
  parameter(index: number): Node {
    return this.#same(`parameter ${index}`, (id) => ({ kind: "parameter", id, index }));
  }

  /** Returns the node of e to the power of `of`. */
  exp(of: Node): Node {
    if (of.kind === "number") return this.number(Math.exp(of.value));
    return this.#same(`exp ${of.id}`, (id) => ({ kind: "exp", id, of }));
  }

  /** Returns the node of the natural logarithm of `of`. */
  log(of: Node): Node {
    if (of.kind === "number") return this.number(Math.log(of.value));
    return this.#same(`log ${of.id}`, (id) => ({ kind: "log", id, of }));
  }

  /** Returns the node of the product of some nodes. */
  multiply(...nodes: readonly Node[]): Node {
    return this.product(1, nodes.map((base) => ({ base, exponent: 1 })));
  }

  /**
   * Returns the node of `scale` times powers of nodes. Powers of powers are merged only if (xᵃ)ᵇ = xᵃᵇ for every x,
   * that is if b is an integer or x is positive. Otherwise (x²)^½ = |x| would become x.
   */
  product(scale: number, factors: readonly Factor[]): Node {
    const exponents = new Map<Node, number>();
    const keep = ({ base, exponent }: Factor): void => {
      exponents.set(base, (exponents.get(base) ?? 0) + exponent);
    };
    const add = ({ base, exponent }: Factor): void => {
      if (base.kind === "number") {
        scale *= base.value ** exponent;
      } else if (base.kind === "product") {
        const [apart, whole] = this.#takenApart(base, exponent);
        scale *= Math.abs(base.scale) ** exponent;
        for (const one of apart) add({ base: one.base, exponent: one.exponent * exponent });
        if (whole.kind === "number") scale *= whole.value ** exponent;
        else keep({ base: whole, exponent });
      } else {
        keep({ base, exponent });
      }
    };
    factors.forEach(add);
    const kept = [...exponents].filter(([, exponent]) => exponent !== 0)
      .map(([base, exponent]): Factor => ({ base, exponent }))
      .sort((a, b) => a.base.id - b.base.id);
    // Fractional powers of a product are not expanded. If they add up to an integer power, that power
    // is expanded here.
    const isFlat = ({ base, exponent }: Factor) =>
      base.kind !== "product" || !Number.isInteger(exponent);
    if (!kept.every(isFlat)) return this.product(scale, kept);
    const [first] = kept;
    if (first === undefined || scale === 0) return this.number(scale);
    if (scale === 1 && kept.length === 1 && first.exponent === 1) return first.base;
    const key = kept.map(({ base, exponent }) => `${base.id}^${exponent}`).join(" ");
    const positive = scale > 0 && kept.every(isPositivePower);
    return this.#same(
      `product ${scale} ${key}`,
      (id) => ({ kind: "product", id, scale, factors: kept, isPositive: positive }),
    );
  }

  /** Returns the node of the sum of some nodes. */
  sum(...nodes: readonly Node[]): Node {
    let constant = 0;
    const scales = new Map<Node, number>();
    const add = (node: Node): void => {
      if (node.kind === "number") {
        constant += node.value;
      } else if (node.kind === "sum") {
        constant += node.constant;
        node.terms.forEach(add);
      } else {
        const [scale, base] = this.unscaled(node);
        scales.set(base, (scales.get(base) ?? 0) + scale);
      }
    };
    nodes.forEach(add);
    const terms = [...scales].filter(([, scale]) => scale !== 0)
      .map(([base, scale]) => this.product(scale, [{ base, exponent: 1 }]));
    const [first] = terms;
    if (first === undefined) return this.number(constant);
    if (terms.length === 1 && constant === 0) return first;
    const key = terms.map(({ id }) => id).join(" ");
    const positive = constant >= 0 && terms.every(isPositive);
    const make = (id: number): Node => ({ kind: "sum", id, constant, terms, isPositive: positive });
    return this.#same(`sum ${constant} ${key}`, make);
  }

  /** Splits a node into a constant factor and a node whose scale is 1. */
  unscaled(node: Node): readonly [number, Node] {
    return node.kind === "product" ? [node.scale, this.product(1, node.factors)] : [1, node];
  }

  /**
   * Splits a product into factors that may each be raised to the exponent, and the product of all others. The scale
   * of the latter is 1 or −1.
   */
  #takenApart(
    { scale, factors }: ProductNode,
    exponent: number,
  ): readonly [readonly Factor[], Node] {
    const mayPart = Number.isInteger(exponent) ? () => true : isPositivePower;
    const rest = factors.filter((factor) => !mayPart(factor));
    return [factors.filter(mayPart), this.product(Math.sign(scale), rest)];
  }

  #same(key: string, make: (id: number) => Node): Node {
    let node = this.#nodes.get(key);
    if (node === undefined) this.#nodes.set(key, node = make(this.#nodes.size));
    return node;
  }
}
