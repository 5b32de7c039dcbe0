/**
 * Validation of manifests, which are written by hand.
 *
 * @module
 */

import { isObject } from "../../../base/object.ts";
import { isSymbol } from "../../../batch/elements.ts";
import { show } from "../../../base/show.ts";
import { didYouMean } from "../../../base/did_you_mean.ts";
import { INPUTS, OUTPUTS } from "./meanings.ts";
import type { OnnxListInput, OnnxManifest } from "./manifest.ts";
import { ENERGY_UNITS, LENGTH_UNITS } from "./units.ts";

/** Throws a TypeError or RangeError if the value of a member is invalid. */
type Check = (value: unknown, member: Member) => void;

/** A member of a manifest that is being checked, as errors describe it. */
interface Member {
  /** Attempted action, such as `"open ani.onnx"`. */
  readonly action: string;
  /** Origin of the manifest, such as `"the manifest ani.json"`. */
  readonly by: string;
  /** Path of the member in the manifest; empty for the manifest itself. */
  readonly name: string;
}

const positive: Check = (value, member) => {
  if (typeof value !== "number") throw wrongKind(member, "a number", value);
  if (!(value > 0 && value < Infinity)) throw wrongValue(member, "above 0 and finite", value);
};

const finite: Check = (value, member) => {
  if (typeof value !== "number") throw wrongKind(member, "a number", value);
  if (!Number.isFinite(value)) throw wrongValue(member, "finite", value);
};

const text: Check = (value, member) => {
  if (typeof value !== "string") throw wrongKind(member, "the name of a tensor", value);
};

const words: Check = (value, member) => {
  if (typeof value !== "string") throw wrongKind(member, "a string", value);
};

const truth: Check = (value, member) => {
  if (typeof value !== "boolean") throw wrongKind(member, "true or false", value);
};

const whole: Check = (value, member) => {
  if (!Number.isInteger(value)) throw wrongKind(member, "a whole number", value);
};

const index: Check = (value, member) => {
  whole(value, member);
  // Runtimes count negative rows of a table from its end, which would select another element.
  if (!(Number(value) >= 0)) throw wrongValue(member, "0 or more", value);
};

const factor: Check = (value, member) => {
  finite(value, member);
  if (value === 0) throw wrongValue(member, "other than 0", value);
};

const count: Check = (value, member) => {
  whole(value, member);
  if (!(Number(value) > 0)) throw wrongValue(member, "1 or more", value);
};

const numbers: Check = (value, member) => {
  if (!Array.isArray(value)) return finite(value, member);
  for (const [i, one] of value.entries()) finite(one, inside(member, `${i}`));
};

function oneOf(values: readonly string[]): Check {
  return (value, member) => {
    if (typeof value !== "string") throw wrongKind(member, values.join(" or "), value);
    if (!values.includes(value)) throw wrongValue(member, values.join(" or "), value, values);
  };
}

function unit(units: Readonly<Record<string, number>>): Check {
  const named = oneOf(Object.keys(units));
  return (value, member) => (typeof value === "number" ? positive : named)(value, member);
}

/**
 * Returns a check that applies `each` to all members of an object. If `known` is given, a member with another name is
 * an error.
 */
function record(each: Check, known?: readonly string[]): Check {
  return (value, member) => {
    if (!isObject(value)) throw wrongKind(member, "an object", value);
    for (const [name, one] of Object.entries(value)) {
      if (known !== undefined && !known.includes(name)) throw unknown(member, name, known);
      if (one !== undefined) each(one, inside(member, name));
    }
  };
}

function elementsOf(each: Check): Check {
  const all = record(each);
  return (value, member) => {
    all(value, member);
    for (const symbol of Object.keys(value as object)) element(symbol, inside(member, symbol));
  };
}

const element: Check = (value, member) => {
  if (typeof value !== "string") throw wrongKind(member, "the symbol of an element", value);
  if (!isSymbol(value)) throw wrongValue(member, "the symbol of an element", value);
};

const elements: Check = (value, member) => {
  if (!Array.isArray(value) && !isObject(value)) {
    throw wrongKind(member, "a list of symbols, or an object with a number for each symbol", value);
  }
  if (!Array.isArray(value)) return elementsOf(index)(value, member);
  for (const [i, symbol] of value.entries()) {
    element(symbol, inside(member, `${i}`));
    // A repeated symbol would leave its first number unused.
    if (value.indexOf(symbol) === i) continue;
    throw wrongValue(inside(member, `${i}`), "a symbol that is not in the list yet", symbol);
  }
};

const CHOICE: Readonly<Record<string, Check>> = {
  tensor: text,
  level: oneOf(["node", "system"]),
  width: count,
  scale: factor,
};

const output: Check = (value, member) => {
  if (typeof value === "string") return;
  if (!isObject(value)) {
    throw wrongKind(member, "the name of a tensor, or an object with that name as `tensor`", value);
  }
  checkMembers(value, CHOICE, member);
  text(value["tensor"], inside(member, "tensor"));
};

/** Meanings that the inputs of further lists may have. */
const LIST_INPUTS: Readonly<Record<OnnxListInput, true>> = {
  edges: true,
  edgeSources: true,
  edgeTargets: true,
  shifts: true,
  cellShifts: true,
  edgeBatchIndex: true,
  edgeCount: true,
};

const LIST: Readonly<Record<string, Check>> = {
  cutoff: positive,
  nearest: count,
  inputs: record(text, Object.keys(LIST_INPUTS)),
};

const list: Check = (value, member) => {
  if (!isObject(value)) throw wrongKind(member, "an object", value);
  checkMembers(value, LIST, member);
  for (const name of ["cutoff", "inputs"]) LIST[name]!(value[name], inside(member, name));
};

const MEMBERS: Readonly<Record<keyof OnnxManifest, Check>> = {
  cutoff: positive,
  reach: positive,
  triplets: oneOf(["unordered", "ordered"]),
  nearest: count,
  lists: record(list),
  inputs: record(text, Object.keys(INPUTS)),
  constants: record(numbers),
  outputs: (value, member) => {
    record(output)(value, member);
    for (const name of Object.keys(value as object)) {
      const misspelled = name in OUTPUTS ? "" : didYouMean(name, Object.keys(OUTPUTS));
      // Any other name is a field of the batch. A name close to a known meaning is probably a misspelling of it.
      if (misspelled !== "" && name.length > 3) throw unknown(member, name, Object.keys(OUTPUTS));
    }
  },
  neighbors: oneOf(["full", "half"]),
  elements,
  energyUnit: unit(ENERGY_UNITS),
  lengthUnit: unit(LENGTH_UNITS),
  atomEnergies: elementsOf(finite),
  batch: oneOf(["joined", "single"]),
  padding: truth,
  differentiate(value, member) {
    if (typeof value === "boolean" || value === "always") return;
    throw wrongKind(member, 'true, false or "always"', value);
  },
  invariant: truth,
  stress: truth,
  license: words,
  source: words,
};

/** Names of the members that a manifest may have. */
export const MANIFEST_MEMBERS: readonly string[] = Object.keys(MEMBERS);

/**
 * Throws a TypeError if a member of a manifest is unknown or of the wrong type, and a RangeError if its value is
 * invalid. The message names the member. `by` is the origin of the manifest; members with the names in `besides` are
 * ignored.
 */
export function checkManifest(
  action: string,
  by: string,
  value: unknown,
  besides: readonly string[] = [],
): asserts value is OnnxManifest {
  const member = { action, by, name: "" };
  if (!isObject(value)) throw wrongKind(member, "an object", value);
  checkMembers(value, MEMBERS, member, besides);
}

function checkMembers(
  value: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  member: Member,
  besides: readonly string[] = [],
): void {
  for (const [name, one] of Object.entries(value)) {
    if (besides.includes(name)) continue;
    if (!Object.hasOwn(checks, name)) {
      throw unknown(member, name, [...Object.keys(checks), ...besides]);
    }
    if (one !== undefined) checks[name]!(one, inside(member, name));
  }
}

function inside(member: Member, name: string): Member {
  return { ...member, name: member.name === "" ? name : `${member.name}.${name}` };
}

function called({ by, name }: Member): string {
  if (name === "") return by;
  return by === "its options" ? `the option ${name}` : `${name} of ${by}`;
}

function wrongKind(member: Member, kind: string, value: unknown): TypeError {
  return new TypeError(
    `Cannot ${member.action}: ${called(member)} must be ${kind}; got ${show(value)}`,
  );
}

function wrongValue(
  member: Member,
  requirement: string,
  value: unknown,
  known: readonly string[] = [],
): RangeError {
  return new RangeError(
    `Cannot ${member.action}: ${called(member)} must be ${requirement}; got ` +
      `${show(value)}${didYouMean(String(value), known)}`,
  );
}

function unknown(member: Member, name: string, known: readonly string[]): TypeError {
  return new TypeError(
    `Cannot ${member.action}: ${called(member)} must have only the members ${known.join(", ")}; ` +
      `got ${show(name)}${didYouMean(name, known)}`,
  );
}
