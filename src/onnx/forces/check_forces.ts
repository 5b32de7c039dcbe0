import { didYouMean } from "../../base/did_you_mean.ts";
import { isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { Facts } from "../infer/facts.ts";
import type { ValueInfoProto } from "../codec/messages.ts";

/** What forces are to be made of, and what the new outputs are to be called. */
export interface AskedForces {
  readonly name: string;
  readonly positions: string;
  readonly energy: string;
  readonly outputs: readonly string[];
}

/** Throws a RangeError where a model cannot be given forces: what must be, and what there is. */
export function checkForces(
  graph: Graph,
  { name, positions, energy, outputs }: AskedForces,
): void {
  const refuse = (requirement: string, value: string) => {
    throw new RangeError(
      `Cannot give ${name} forces as ${requirement}: current value is ${value}`,
    );
  };
  const there = (what: string, values: readonly ValueInfoProto[], wanted: string) => {
    const names = values.map((value) => value.name);
    if (names.includes(wanted)) return;
    const value = `${JSON.stringify(wanted)}${didYouMean(wanted, names)}`;
    refuse(`${what}, ${names.join(", ") || "of which it has none"}`, value);
  };
  there("its positions must be one of its inputs", graph.inputs, positions);
  there("its energy must be one of its outputs", graph.outputs, energy);
  for (const output of outputs) {
    // Of a value in between the name can be had: it gets another.
    if (!graph.has(output) || (graph.producer(output) && !graph.isOutput(output))) continue;
    const hint = graph.isOutput(output) ? ", an output that it has already" : "";
    refuse("names of its new outputs must be free", `${JSON.stringify(output)}${hint}`);
  }
  checkFloats(new Facts(graph), { positions, energy }, refuse);
}

/** Refuses positions and energies of a wrong type or shape. */
function checkFloats(
  facts: Facts,
  { positions, energy }: Pick<AskedForces, "positions" | "energy">,
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
