import type { Graph, Node } from "./graph.ts";

/**
 * A number in a pair energy: the distance, a parameter, or an expression of them. Its methods record operations
 * without computing them. The force is derived from the record.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { pairPotential } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * // `r` and `k` are expressions: E = k/r.
 * const coulomb = pairPotential({ name: "k over r", parameters: { k: "any" }, energy: (r, { k }) => k.div(r) });
 * const batch = Batch.from([{ symbols: ["H", "H"], positions: [0, 0, 0, 2, 0, 0] }]);
 * await using md = new NVE({ model: coulomb({ k: 3, cutoff: 5 }), dt: 1 });
 * await md.run(batch, 0);
 * assertAlmostEquals(batch.get("energy")[0]!, 3 / 2 - 3 / 5, 1e-6); // shifted to 0 at the cutoff
 * ```
 */
export class PairExpression {
  readonly #graph: Graph;
  readonly #node: Node;

  /** Creates an expression of a node. Only {@linkcode tracePair} calls this, for the distance and the parameters. */
  constructor(graph: Graph, node: Node) {
    this.#graph = graph;
    this.#node = node;
  }

  /** Returns the sum of this number and another one. */
  add(other: PairExpression | number): PairExpression {
    return this.#made(this.#graph.sum(this.#node, this.#nodeOf(other)));
  }

  /** Returns this number minus another one. */
  sub(other: PairExpression | number): PairExpression {
    return this.add(this.#made(this.#nodeOf(other)).neg());
  }

  /** Returns the product of this number and another one. */
  mul(other: PairExpression | number): PairExpression {
    return this.#made(this.#graph.multiply(this.#node, this.#nodeOf(other)));
  }

  /** Returns this number divided by another one. */
  div(other: PairExpression | number): PairExpression {
    return this.mul(this.#made(this.#nodeOf(other)).pow(-1));
  }

  /**
   * Returns this number raised to a power. If the exponent is not an integer, this number must be positive.
   *
   * @throws {TypeError} if the exponent is not a finite number
   */
  pow(exponent: number): PairExpression {
    if (!Number.isFinite(exponent)) {
      throw new TypeError(
        `Cannot raise to a power: the exponent must be a finite number; got ${String(exponent)}`,
      );
    }
    return this.#made(this.#graph.product(1, [{ base: this.#node, exponent }]));
  }

  /** Returns the negative of this number. */
  neg(): PairExpression {
    return this.mul(-1);
  }

  /** Returns the square root of this number, which must be positive. */
  sqrt(): PairExpression {
    return this.pow(0.5);
  }

  /** Returns e to the power of this number. */
  exp(): PairExpression {
    return this.#made(this.#graph.exp(this.#node));
  }

  /** Returns the natural logarithm of this number, which must be positive. */
  log(): PairExpression {
    return this.#made(this.#graph.log(this.#node));
  }

  /**
   * Returns the node of an expression or number. Only {@linkcode tracePair} calls this.
   *
   * @throws {TypeError} if the value is not an expression of this graph or a finite number
   */
  static nodeOf(value: unknown, graph: Graph): Node {
    if (value instanceof PairExpression && value.#graph === graph) return value.#node;
    throw new TypeError(
      "Cannot record a pair energy: it must be made of its distance, its own parameters and finite numbers; " +
        `got ${
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
