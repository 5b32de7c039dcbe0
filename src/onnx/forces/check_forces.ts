import { didYouMean } from "../../base/did_you_mean.ts";
import { isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { GraphFacts } from "../infer/facts.ts";
import type { ValueInfoProto } from "../codec/messages.ts";

/** Names of the values from which forces are computed, and of the outputs to add. */
export interface ForceRequest {
  readonly name: string;
  readonly positions: string;
  readonly energy: string;
  readonly outputs: readonly string[];
}

/**
 * Throws a RangeError if forces cannot be added to a model. The message contains the requirement and the value that
 * violates it.
 */
export function checkForces(
  graph: Graph,
  { name, positions, energy, outputs }: ForceRequest,
): void {
  const refuse = (requirement: string, value: string) => {
    throw new RangeError(
      `Cannot give ${name} forces: ${requirement}; got ${value}`,
    );
  };
  const there = (what: string, values: readonly ValueInfoProto[], wanted: string) => {
    const names = values.map((value) => value.name);
    if (names.includes(wanted)) return;
    const value = `${JSON.stringify(wanted)}${didYouMean(wanted, names)}`;
    refuse(`${what}, ${names.join(", ") || "but the model has no such values"}`, value);
  };
  there("its positions must be one of its inputs", graph.inputs, positions);
  there("its energy must be one of its outputs", graph.outputs, energy);
  for (const output of outputs) {
    // An intermediate value with this name is renamed, so only inputs and outputs matter.
    if (!graph.has(output) || (graph.producer(output) && !graph.isOutput(output))) continue;
    const hint = graph.isOutput(output) ? ", which is an output already" : "";
    refuse("names of its new outputs must be unused", `${JSON.stringify(output)}${hint}`);
  }
  checkFloats(new GraphFacts(graph), { positions, energy }, refuse);
}

/** Throws a RangeError if the positions or the energy have a wrong type or shape. */
function checkFloats(
  facts: GraphFacts,
  { positions, energy }: Pick<ForceRequest, "positions" | "energy">,
  refuse: (requirement: string, value: string) => void,
): void {
  for (const [what, value] of [["positions", positions], ["energy", energy]] as const) {
    const { type } = facts.of(value);
    if (type === undefined || isFloat(type)) continue;
    refuse(`its ${what} must be floats`, `${JSON.stringify(value)} of ${type}`);
  }
  const { shape = [] } = facts.of(energy);
  if (shape.length < 3 && shape.filter((length) => length !== 1).length < 2) return;
  refuse(
    "its energy must be one number, or one per system or per atom",
    `${JSON.stringify(energy)} of shape [${shape.join(", ")}]`,
  );
}
