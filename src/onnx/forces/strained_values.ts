/**
 * Inputs of a model that change with a strain of its systems.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import { type Fact, GraphFacts } from "../infer/facts.ts";

/**
 * Names of the inputs that change with a strain, and of the inputs that contain the system of each atom and pair. An
 * omitted member means the input with the default name, if the model has it; `false` or `undefined` means that there
 * is no such input.
 */
export interface StrainedValues {
  /**
   * Name of the output to add.
   *
   * @default "virial"
   */
  readonly output?: string | undefined;
  /**
   * Name of the input with the system of each atom, [N]. Without it, the model has one system.
   *
   * @default "batch_idx"
   */
  readonly batch?: string | false | undefined;
  /**
   * Name of the input with the shifts that are added to the vectors of the pairs, [E, 3], in the unit of the
   * positions.
   *
   * @default "shifts"
   */
  readonly shifts?: string | false | undefined;
  /**
   * Name of the input with the system of each pair, [E]. Without it, a pair belongs to the system of its first atom.
   */
  readonly edgeBatch?: string | false | undefined;
  /**
   * Name of the input with the pairs, [2, E] or [E, 2], or with their first atoms, [E]. It is needed for shifts
   * without `edgeBatch`.
   *
   * @default "edge_index"
   */
  readonly edges?: string | false | undefined;
  /**
   * Name of the input with the cells, whose rows are lattice vectors: [B, 3, 3], [3 B, 3], or [3, 3] for one system.
   *
   * @default "cell"
   */
  readonly cell?: string | false | undefined;
  /**
   * Further lists of pairs, such as those of a second cutoff.
   *
   * @default []
   */
  readonly lists?: readonly PairList[] | undefined;
}

/** Names of the inputs of a list of pairs. */
export interface PairList {
  /**
   * Name of the input with the shifts that are added to the vectors of the pairs, [E, 3], in the unit of the
   * positions.
   */
  readonly shifts: string;
  /**
   * Name of the input with the system of each pair, [E]. Without it, a pair belongs to the system of its first atom
   * in `edges`.
   */
  readonly edgeBatch?: string | undefined;
  /** Name of the input with the pairs, [2, E] or [E, 2], or with their first atoms, [E]. */
  readonly edges?: string | undefined;
}

/** Members of {@linkcode StrainedValues} that name an input. */
type Member = Exclude<keyof StrainedValues, "output" | "lists">;

/** Names of the inputs, with defaults filled in. Inputs that the model does not have are missing. */
export type Strained = { readonly [member in Member]?: string } & {
  readonly output: string;
  readonly lists: readonly PairList[];
};

/** Returns all lists of pairs with shifts. The list in the members `shifts`, `edgeBatch` and `edges` comes first. */
export function pairListsOf({ shifts, edgeBatch, edges, lists }: Strained): PairList[] {
  return shifts === undefined ? [...lists] : [{ shifts, edgeBatch, edges }, ...lists];
}

/** Requirements for an input. */
interface Kind {
  /** Usual name of the input in exported potentials. */
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

/** Names of all members. */
export const STRAINED_MEMBERS: readonly string[] = ["output", "lists", ...MEMBERS];

/**
 * Returns the names of the inputs that change with a strain; `undefined` if virials are not requested. Throws a
 * RangeError if a value is not an input, or has a wrong type or shape, or if the systems of the shifts are unknown.
 */
export function strainedValues(
  graph: Graph,
  name: string,
  wanted: boolean | StrainedValues,
): Strained | undefined {
  if (wanted === false) return undefined;
  const named: StrainedValues = wanted === true ? {} : wanted;
  const inputs = graph.inputs.map((input) => input.name);
  const facts = new GraphFacts(graph);
  const check = (member: Member, value: string, hint = "") => {
    if (!inputs.includes(value)) {
      const found = `${JSON.stringify(value)}${didYouMean(value, inputs)}`;
      throw refused(
        name,
        `${member} must name an input of the graph (${inputs.join(", ")})`,
        found,
      );
    }
    checkKind(name, { member, value, hint }, facts.of(value));
  };
  const values: { [member in Member]?: string } = {};
  for (const member of MEMBERS) {
    const { usual = "" } = KINDS[member];
    const isNamed = Object.hasOwn(named, member);
    const value = isNamed ? named[member] : inputs.includes(usual) ? usual : undefined;
    if (value === undefined || value === false) continue;
    check(
      member,
      value,
      isNamed ? "" : `, which is used because of its name; ${member}: false omits it`,
    );
    values[member] = value;
  }
  const { lists = [] } = named;
  for (const list of lists) {
    for (const member of ["shifts", "edgeBatch", "edges"] as const) {
      const value = list[member];
      if (value !== undefined) check(member, value);
    }
  }
  const strained = { ...values, lists, output: named.output ?? "virial" };
  const isOpen = pairListsOf(strained).some(({ edgeBatch, edges }) =>
    (edgeBatch ?? edges) === undefined
  );
  if (values.batch !== undefined && isOpen) {
    throw refused(name, "edgeBatch or edges is required with shifts", "neither");
  }
  return strained;
}

function refused(name: string, requirement: string, value: string): RangeError {
  return new RangeError(
    `Cannot give ${name} virials: ${requirement}; got ${value}`,
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
    `${member} must be ${kind.isFloat ? "floats" : "integers"} ${forms}`,
    `${JSON.stringify(value)} of ${type ?? "unknown type"}${
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
