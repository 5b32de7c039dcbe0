import type { Attributes } from "../../codec/attributes.ts";
import type { Graph } from "../../graph/graph.ts";

/** A value whose axes have labels. */
export interface Factor {
  readonly name: string;
  readonly labels: readonly string[];
  /** Length of each axis; `undefined` if it is unknown. */
  readonly lengths: readonly (number | undefined)[];
}

type Labels = readonly string[];

/** Product of the lengths of the axes of the value `of`, from the axis `start` up to but not including `end`. */
interface Slice {
  readonly of: string;
  readonly start: number;
  readonly end: number;
}

/**
 * One length of a new shape: a number (0 keeps the length at this position), or a product of lengths that is computed
 * at run time.
 */
type Part = number | Slice;

/** Adds the nodes for products and sums of values whose axes have labels. */
export class Factors {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Permutes the axes to the order of `labels`, which must contain the label of each axis. */
  permuted(factor: Factor, labels: Labels): Factor {
    const perm = labels.map((label) => factor.labels.indexOf(label));
    if (perm.every((from, to) => from === to)) return factor;
    const name = this.#graph.make("Transpose", [factor.name], { perm });
    return { name, labels, lengths: perm.map((from) => factor.lengths[from]) };
  }

  /** Adds a sum over all axes whose label is not in `kept`. */
  summed(factor: Factor, kept: Labels): Factor {
    const { name, labels, lengths } = factor;
    const isKept = labels.map((label) => kept.includes(label));
    const axes = isKept.flatMap((is, axis) => is ? [] : [axis]);
    if (axes.length === 0) return factor;
    return {
      name: this.#byAxes("ReduceSum", name, axes, { keepdims: 0 }),
      labels: labels.filter((_, axis) => isKept[axis]),
      lengths: lengths.filter((_, axis) => isKept[axis]),
    };
  }

  /** Adds nodes that multiply two values and sum over all axes whose label is not in `output`. */
  product(a: Factor, b: Factor, output: Labels): Factor {
    const left = this.summed(a, [...b.labels, ...output]);
    const right = this.summed(b, [...a.labels, ...output]);
    const made = output.filter((l) => left.labels.includes(l) || right.labels.includes(l));
    const summed = left.labels.filter((l) => right.labels.includes(l) && !output.includes(l));
    const [only = ""] = made.filter((l) => left.labels.includes(l) !== right.labels.includes(l));
    if (summed.length === 0) return this.#elementwise(left, right, made);
    if (only === "") {
      return this.summed(this.#elementwise(left, right, [...made, ...summed]), made);
    }
    const isVector = !left.labels.some((l) => made.includes(l));
    if (isVector && right.labels.join() === [...summed, ...made].join()) {
      return this.#matrices(left, right, made, summed);
    }
    return left.labels.includes(only)
      ? this.#matrices(left, right, made, summed)
      : this.#matrices(right, left, made, summed);
  }

  #elementwise(a: Factor, b: Factor, output: Labels): Factor {
    const [left, right] = [this.#aligned(a, output), this.#aligned(b, output)];
    const name = this.#graph.make("Mul", [left, right]);
    return { name, labels: output, lengths: output.map((label) => lengthOf(label, a, b)) };
  }

  /**
   * Adds nodes that permute the axes to the order of `labels` and insert axes of length 1 for labels that the factor
   * does not have. Returns the name of the result.
   */
  #aligned(factor: Factor, labels: Labels): string {
    const own = labels.filter((label) => factor.labels.includes(label));
    const missing = labels.flatMap((label, axis) => own.includes(label) ? [] : [axis]);
    // Leading axes need not be inserted, because broadcasting adds them.
    const needed = missing.filter((axis, i) => axis !== i);
    const { name } = this.permuted(factor, own);
    if (needed.length === 0) return name;
    return this.#byAxes("Unsqueeze", name, missing);
  }

  /** Adds a product of two stacks of matrices. The labels of rows are only in `a`, those of columns only in `b`. */
  #matrices(a: Factor, b: Factor, output: Labels, summed: Labels): Factor {
    const stack = output.filter((l) => a.labels.includes(l) && b.labels.includes(l));
    const rows = output.filter((l) => a.labels.includes(l) && !stack.includes(l));
    const columns = output.filter((l) => b.labels.includes(l) && !stack.includes(l));
    // Without a stack, MatMul accepts several row axes, and a vector on the left. A vector on the right is valid
    // too, but onnxruntime 1.30 is wrong if a Transpose makes the left operand: it ignores the Transpose.
    const rowAxes = stack.length === 0 && columns.length <= 1 ? rows.map((row) => [row]) : [rows];
    const each = stack.map((label) => [label]);
    const left = this.permuted(a, [...stack, ...rows, ...summed]);
    const right = this.permuted(b, [...stack, ...summed, ...columns]);
    const name = this.#graph.make("MatMul", [
      this.#joined(left, [...each, ...rowAxes, summed]),
      this.#joined(right, [...each, summed, columns]),
    ]);
    const labels = [...stack, ...rows, ...columns];
    const lengths = labels.map((label) => lengthOf(label, left, right));
    const split = this.#split(name, [...each, ...rowAxes, columns], [left, right]);
    return this.permuted({ name: split, labels, lengths }, output);
  }

  /**
   * Adds a node that joins each group of adjacent axes to one axis, and returns the name of the result. An empty
   * group becomes an axis of length 1.
   */
  #joined({ name, labels, lengths }: Factor, groups: readonly Labels[]): string {
    if (groups.every((group) => group.length === 1)) return name;
    const empty = groups.flatMap((group, axis) => group.length === 0 ? [axis] : []);
    if (groups.every((group) => group.length < 2)) return this.#byAxes("Unsqueeze", name, empty);
    const parts = groups.map((group, i): Part => {
      const start = group.length === 0 ? 0 : labels.indexOf(group[0]!);
      const end = start + group.length;
      const product = lengths.slice(start, end).reduce<number>((p, n) => p * (n ?? NaN), 1);
      if (!Number.isNaN(product)) return product;
      return group.length === 1 && start === i ? 0 : { of: name, start, end };
    });
    return this.#reshaped(name, parts);
  }

  /**
   * Adds a node that splits the axes of a product into the axes that `#joined` has joined, and returns the name of
   * the result.
   */
  #split(name: string, groups: readonly Labels[], from: readonly [Factor, Factor]): string {
    if (groups.every((group) => group.length === 1)) return name;
    const empty = groups.flatMap((group, axis) => group.length === 0 ? [axis] : []);
    if (groups.every((group) => group.length < 2)) return this.#byAxes("Squeeze", name, empty);
    const parts: Part[] = [];
    for (const [i, group] of groups.entries()) {
      for (const label of group) {
        // The axes of the stack come first. They may be broadcast, so their lengths are taken from the product.
        const isThere = group.length === 1 && parts.length === i;
        parts.push(isThere ? 0 : this.#lengthPart(label, from));
      }
    }
    return this.#reshaped(name, parts);
  }

  #lengthPart(label: string, from: readonly [Factor, Factor]): Part {
    const known = lengthOf(label, ...from);
    if (known !== undefined) return known;
    const { name, labels } = from.find((factor) => factor.labels.includes(label))!;
    const start = labels.indexOf(label);
    return { of: name, start, end: start + 1 };
  }

  #reshaped(name: string, parts: readonly Part[]): string {
    const graph = this.#graph;
    const unknown = parts.filter((part) => typeof part !== "number");
    // Avoid −1, which Reshape rejects beside a length that may be 0.
    const isRest = unknown.length === 1 && !parts.includes(0);
    const known = parts.map((part) => isRest && typeof part !== "number" ? -1 : part);
    if (known.every((part) => typeof part === "number")) {
      return graph.make("Reshape", [name, graph.constantOf("i64", known, [known.length])]);
    }
    const pieces = known.map((part, axis) => {
      if (typeof part === "number" && part !== 0) return graph.constantOf("i64", [part]);
      const { of, start, end } = part === 0
        ? { of: name, start: axis, end: axis + 1 }
        : part as Slice;
      const lengths = graph.make("Shape", [of], { start, end });
      return end - start === 1 ? lengths : graph.make("ReduceProd", [lengths], { keepdims: 1 });
    });
    const shape = graph.make("Concat", pieces, { axis: 0 });
    return graph.make("Reshape", [name, shape], { allowzero: 1 });
  }

  #byAxes(op: string, name: string, axes: readonly number[], attributes: Attributes = {}): string {
    return this.#graph.make(op, [name, this.#graph.constantOf("i64", axes)], attributes);
  }
}

/** Returns the length that a label has in a product, where lengths of 1 are broadcast; `undefined` if it is unknown. */
function lengthOf(label: string, ...factors: readonly Factor[]): number | undefined {
  const found = factors.flatMap(({ labels, lengths }) => {
    const axis = labels.indexOf(label);
    return axis === -1 ? [] : [lengths[axis]];
  });
  const longer = found.find((length) => length !== undefined && length > 1);
  return longer ?? (found.includes(undefined) ? undefined : found[0]);
}
