import { didYouMean } from "../../../base/did_you_mean.ts";
import { isFloat } from "../../codec/element_type.ts";
import type { Graph } from "../../graph/graph.ts";
import type { GradientWriter } from "../gradient_writer.ts";

/** Names in the options of `gradient`. */
interface GradientNames {
  readonly of: readonly string[];
  readonly wrt: Readonly<Record<string, string>>;
  readonly cotangent: string | undefined;
}

/**
 * Throws a RangeError if a value does not exist or is not a float, if the name of a gradient is empty or in use, or
 * if the shape of `of` or `cotangent` is invalid.
 */
export function checkGradient(write: GradientWriter, { of, wrt, cotangent }: GradientNames): void {
  const { graph } = write;
  if (of.length === 0 || Object.keys(wrt).length === 0) {
    throw refused("`of` and `wrt` must each name at least one value", "an empty list");
  }
  for (const name of [...of, ...Object.keys(wrt), ...cotangent === undefined ? [] : [cotangent]]) {
    assertThere(graph, name);
    const { type } = write.facts.of(name);
    if (type === undefined || isFloat(type)) continue;
    throw refused("values must be floats", `${JSON.stringify(name)} of ${type}`);
  }
  for (const output of Object.values(wrt)) {
    if (output !== "" && !graph.has(output)) continue;
    throw refused("names of gradients must be unused and not empty", JSON.stringify(output));
  }
  if (new Set(Object.values(wrt)).size < Object.keys(wrt).length) {
    throw refused("names of gradients must be different", Object.values(wrt).join(", "));
  }
  if (cotangent === undefined) { for (const name of of) assertOnePerSystem(write, name); }
  else assertCotangent(write, of, cotangent);
}

function assertThere(graph: Graph, name: string): void {
  if (graph.has(name)) return;
  throw refused(
    "values must exist in the graph",
    `${JSON.stringify(name)}${didYouMean(name, namesIn(graph))}`,
  );
}

function* namesIn(graph: Graph): Iterable<string> {
  for (const { name } of graph.inputs) yield name;
  for (const { name } of graph.model.graph!.initializer) yield name;
  for (const { output } of graph.nodes) yield* output;
}

function assertOnePerSystem(write: GradientWriter, name: string): void {
  const { shape } = write.facts.of(name);
  if (shape === undefined || shape.slice(1).every((length) => length === 1)) return;
  const { name: node } = write.graph.producer(name) ?? { name };
  throw refused(
    "`of` must be one number, or one per system (sum it with ReduceSum, or pass a cotangent)",
    `${JSON.stringify(name)}, made by ${JSON.stringify(node)}, of shape [${shape.join(", ")}]`,
  );
}

function assertCotangent(write: GradientWriter, of: readonly string[], cotangent: string): void {
  if (of.length > 1) throw refused("with a cotangent, `of` must be one value", of.join(", "));
  const { type, shape } = write.facts.of(of[0]!);
  const { type: ownType, shape: own } = write.facts.of(cotangent);
  if (type !== undefined && ownType !== undefined && type !== ownType) {
    throw refused(
      "a cotangent must have the type of `of`",
      `${ownType} for ${type}`,
    );
  }
  if (shape === undefined || own === undefined || mayBeEqual(shape, own)) return;
  throw refused(
    "a cotangent must have the shape of `of`",
    `[${own.join(", ")}] for [${shape.join(", ")}]`,
  );
}

/**
 * Returns whether two shapes may be equal. Variable lengths may equal any length, because their values are known only
 * at run time.
 */
function mayBeEqual(a: Lengths, b: Lengths): boolean {
  const differs = (x: number | string, y: number | string | undefined) =>
    typeof x === "number" && typeof y === "number" && x !== y;
  return a.length === b.length && !a.some((length, axis) => differs(length, b[axis]));
}

type Lengths = readonly (number | string)[];

function refused(requirement: string, value: string): RangeError {
  return new RangeError(
    `Cannot differentiate a graph: ${requirement}; got ${value}`,
  );
}
