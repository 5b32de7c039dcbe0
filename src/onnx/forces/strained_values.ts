/**
 * What goes with the atoms when a system is strained: which inputs of a model these are.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { type Fact, Facts } from "../infer/facts.ts";

/**
 * What goes with the atoms when a system is strained, and whose it is: names of inputs. What is not named is the input
 * that it says by default, where there is one of that name; `false` or `undefined` leaves it out.
 */
export interface StrainedValues {
  /**
   * What the new output is called.
   *
   * @default "virial"
   */
  readonly output?: string | undefined;
  /**
   * The system of each atom, [N]; left out, there is one system.
   *
   * @default "batch_idx"
   */
  readonly batch?: string | false | undefined;
  /**
   * What is added to the vectors of the pairs, [E, 3], in the unit of the positions.
   *
   * @default "shifts"
   */
  readonly shifts?: string | false | undefined;
  /** The system of each pair, [E]; left out, it is that of the pair's first atom. */
  readonly edgeBatch?: string | false | undefined;
  /**
   * The pairs, [2, E] or [E, 2], or their first atoms, [E]: for shifts where there is no `edgeBatch`.
   *
   * @default "edge_index"
   */
  readonly edges?: string | false | undefined;
  /**
   * The cells, their vectors as rows: [B, 3, 3], [3 B, 3], or [3, 3] where there is one system.
   *
   * @default "cell"
   */
  readonly cell?: string | false | undefined;
}

/** The members that are inputs. */
type Member = Exclude<keyof StrainedValues, "output">;

/** The same, with what is there by default and without what is left out. */
export type Strained = { readonly [member in Member]?: string } & { readonly output: string };

/** What an input must be. */
interface Kind {
  /** What exporters of potentials call it. */
  readonly usual?: string;
  readonly isFloat: boolean;
  readonly forms: readonly (readonly (number | string)[])[];
}

const KINDS: Readonly<Record<Member, Kind>> = {
  batch: { usual: "batch_idx", isFloat: false, forms: [["N"]] },
  shifts: { usual: "shifts", isFloat: true, forms: [["E", 3]] },
  edgeBatch: { isFloat: false, forms: [["E"]] },
  edges: { usual: "edge_index", isFloat: false, forms: [[2, "E"], ["E", 2], ["E"]] },
  cell: { usual: "cell", isFloat: true, forms: [["B", 3, 3], ["3 B", 3]] },
};

const MEMBERS = Object.keys(KINDS) as readonly Member[];

/** What can be said of what is strained. */
export const STRAINED_MEMBERS: readonly string[] = ["output", ...MEMBERS];

/**
 * What is strained of a graph; `undefined` where no virials are wanted. Throws a RangeError for a value that is no
 * input, or one of another type or shape, and for shifts of pairs whose systems nobody knows.
 */
export function strainedValues(
  graph: Graph,
  name: string,
  wanted: boolean | StrainedValues,
): Strained | undefined {
  if (wanted === false) return undefined;
  const named: StrainedValues = wanted === true ? {} : wanted;
  const inputs = graph.inputs.map((input) => input.name);
  const facts = new Facts(graph);
  const values: { [member in Member]?: string } = {};
  for (const member of MEMBERS) {
    const { usual = "" } = KINDS[member];
    const isNamed = Object.hasOwn(named, member);
    const value = isNamed ? named[member] : inputs.includes(usual) ? usual : undefined;
    if (value === undefined || value === false) continue;
    if (!inputs.includes(value)) {
      const found = `${JSON.stringify(value)}${didYouMean(value, inputs)}`;
      throw refused(
        name,
        `what is strained must be among its inputs, ${inputs.join(", ")}`,
        `${found} (${member})`,
      );
    }
    const hint = isNamed ? "" : `, which it is by its name; ${member}: false leaves it out`;
    checkKind(name, { member, value, hint }, facts.of(value));
    values[member] = value;
  }
  const { batch, shifts, edgeBatch, edges } = values;
  if (batch !== undefined && shifts !== undefined && (edgeBatch ?? edges) === undefined) {
    throw refused(name, "shifts must have their systems from edgeBatch or edges", "neither");
  }
  return { ...values, output: named.output ?? "virial" };
}

function refused(name: string, requirement: string, value: string): RangeError {
  return new RangeError(
    `Cannot give ${name} virials as ${requirement}: current value is ${value}`,
  );
}

function checkKind(
  name: string,
  { member, value, hint }: {
    readonly member: Member;
    readonly value: string;
    readonly hint: string;
  },
  { type, shape }: Fact,
): void {
  const kind = KINDS[member];
  const isOfType = type === undefined ||
    (type !== "bool" && type !== "string" && isFloat(type) === kind.isFloat);
  const isOfForm = shape === undefined || kind.forms.some((form) =>
    form.length === shape.length &&
    form.every((length, i) => [length, shape[i]].some(isFree) || length === shape[i])
  );
  if (isOfType && isOfForm) return;
  const forms = kind.forms.map((form) => `[${form.join(", ")}]`).join(" or ");
  const lengths = shape?.map((length) => isUnnamed(length) ? "?" : length).join(", ");
  throw refused(
    name,
    `${member} must be ${kind.isFloat ? "floats" : "whole numbers"} ${forms}`,
    `${JSON.stringify(value)} of ${type ?? "no known type"}${
      lengths === undefined ? "" : ` [${lengths}]`
    }${hint}`,
  );
}

function isFree(length: number | string | undefined): boolean {
  return typeof length !== "number";
}

function isUnnamed(length: number | string): boolean {
  return typeof length === "string" && length.includes("?");
}
