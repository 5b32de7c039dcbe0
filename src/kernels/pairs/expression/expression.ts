import type { Graph, Node } from "./graph.ts";

/**
 * A number in a pair energy: the distance, a parameter, or what is made of them. Methods compute nothing; they record
 * the energy, from which the force follows by differentiation.
 */
export class PairExpression {
  readonly #graph: Graph;
  readonly #node: Node;

  /** For {@linkcode tracePair}, which makes the distance and the parameters. */
  constructor(graph: Graph, node: Node) {
    this.#graph = graph;
    this.#node = node;
  }

  /** Returns the sum of this and another. */
  add(other: PairExpression | number): PairExpression {
    return this.#made(this.#graph.sum(this.#node, this.#nodeOf(other)));
  }

  /** Returns this minus another. */
  sub(other: PairExpression | number): PairExpression {
    return this.add(this.#made(this.#nodeOf(other)).neg());
  }

  /** Returns the product of this and another. */
  mul(other: PairExpression | number): PairExpression {
    return this.#made(this.#graph.multiply(this.#node, this.#nodeOf(other)));
  }

  /** Returns this divided by another. */
  div(other: PairExpression | number): PairExpression {
    return this.mul(this.#made(this.#nodeOf(other)).pow(-1));
  }

  /**
   * Returns this to the power of a number. What is raised to a power that is not whole must be positive.
   *
   * @throws {TypeError} if the exponent is not a finite number
   */
  pow(exponent: number): PairExpression {
    if (!Number.isFinite(exponent)) {
      throw new TypeError(
        `Cannot raise to a power as the exponent must be a finite number: current value is ${
          String(exponent)
        }`,
      );
    }
    return this.#made(this.#graph.product(1, [{ base: this.#node, exponent }]));
  }

  /** Returns this with the other sign. */
  neg(): PairExpression {
    return this.mul(-1);
  }

  /** Returns the square root of this, which must be positive. */
  sqrt(): PairExpression {
    return this.pow(0.5);
  }

  /** Returns e to the power of this. */
  exp(): PairExpression {
    return this.#made(this.#graph.exp(this.#node));
  }

  /** Returns the natural logarithm of this, which must be positive. */
  log(): PairExpression {
    return this.#made(this.#graph.log(this.#node));
  }

  /** Returns the node of an expression. For {@linkcode tracePair}. Throws a TypeError for anything else. */
  static nodeOf(value: unknown, graph: Graph): Node {
    if (value instanceof PairExpression && value.#graph === graph) return value.#node;
    throw new TypeError(
      "Cannot record a pair energy as it must be made of its own distance, its parameters and finite numbers: " +
        `current value is ${
          value instanceof PairExpression ? "an expression of another potential" : String(value)
        }`,
    );
  }

  #nodeOf(value: PairExpression | number): Node {
    if (typeof value === "number" && Number.isFinite(value)) return this.#graph.number(value);
    return PairExpression.nodeOf(value, this.#graph);
  }

  #made(node: Node): PairExpression {
    return new PairExpression(this.#graph, node);
  }
}
