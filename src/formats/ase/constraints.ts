/**
 * Conversion between constraints of ASE and the field `move_mask`, which has one or three flags per atom: 0 for
 * fixed, 1 for movable.
 *
 * @module
 */

import { MOVE_MASK, type NumericArray } from "../../batch/fields/fields.ts";
import { readJson } from "../../batch/extxyz/python_json.ts";
import { show } from "../../base/show.ts";
import type { System } from "../../batch/system.ts";

/** A constraint as plain data. */
export interface Constraint {
  readonly name: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/**
 * Returns the flags of the field `move_mask`, one or three per atom; `undefined` if the system has no such field with
 * flags of 0 and 1.
 */
export function moveMask(system: System): Uint8Array | undefined {
  const info = system.fields().find(({ name }) => name === MOVE_MASK);
  const isMask = info?.level === "node" && info.dtype === "u8" &&
    (info.width === 1 || info.width === 3);
  if (!isMask) return undefined;
  const values: NumericArray = system.get(MOVE_MASK);
  return values.every((x: number) => x <= 1) ? values as Uint8Array : undefined;
}

/** Returns the constraints that a mask represents. */
export function constraintsOf(mask: Uint8Array, atoms: number): Constraint[] {
  const width = mask.length / atoms;
  const byMask = new Map<string, number[]>();
  for (let atom = 0; atom < atoms; atom++) {
    const flags = mask.subarray(atom * width, atom * width + width).join("");
    byMask.set(flags, [...byMask.get(flags) ?? [], atom]);
  }
  return [...byMask].filter(([flags]) => flags.includes("0")).map(([flags, indices]) =>
    width === 1 ? { name: "FixAtoms", kwargs: { indices } } : {
      name: "FixCartesian",
      kwargs: { a: indices, mask: Array.from(flags, (flag) => flag === "0") },
    }
  );
}

/** A mask, and the constraints that a mask cannot express. */
export interface ReadConstraints {
  readonly mask: Uint8Array | undefined;
  readonly others: readonly Constraint[];
}

/** Reads a list of constraints. Throws a SyntaxError if it is not valid. */
export function readConstraints(text: string, atoms: number): ReadConstraints {
  const list = readJson(text);
  if (!Array.isArray(list)) throw bad(list);
  const all = list.map(checked);
  const fixed = all.filter(({ name }) => name === "FixAtoms" || name === "FixCartesian");
  const others = all.filter((one) => !fixed.includes(one));
  if (fixed.length === 0) return { mask: undefined, others };
  const width = fixed.some(({ name }) => name === "FixCartesian") ? 3 : 1;
  const mask = new Uint8Array(atoms * width).fill(1);
  for (const constraint of fixed) fix(mask, constraint, atoms);
  return { mask, others };
}

function fix(mask: Uint8Array, { name, kwargs }: Constraint, atoms: number): void {
  const width = mask.length / atoms;
  const given = name === "FixAtoms" ? kwargs["indices"] : kwargs["a"];
  const flags = kwargs["mask"] ?? [true, true, true];
  const isFlags = Array.isArray(flags) && flags.length === 3;
  for (const index of typeof given === "number" ? [given] : asList(given, kwargs)) {
    const isAtom = Number.isInteger(index) && (index as number) >= -atoms &&
      (index as number) < atoms;
    if (!isAtom || !isFlags) throw bad(kwargs);
    const atom = ((index as number) + atoms) % atoms; // a negative index counts from the end, as in Python
    for (let k = 0; k < width; k++) {
      if (name === "FixAtoms" || flags[k]) mask[atom * width + k] = 0;
    }
  }
}

function asList(value: unknown, kwargs: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw bad(kwargs);
}

/** Reads a constraint. Older versions of ASE keep its members beside the name. */
function checked(value: unknown): Constraint {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad(value);
  const { __name__, name = __name__, kwargs, ...rest } = value as Record<string, unknown>;
  const members = kwargs ?? rest;
  if (typeof name !== "string" || typeof members !== "object" || members === null) throw bad(value);
  return { name: name.slice(name.lastIndexOf(".") + 1), kwargs: members as Constraint["kwargs"] };
}

/** Returns whether a value of `info` is a list of constraints of ASE. */
export function isConstraints(value: unknown): value is readonly Constraint[] {
  return Array.isArray(value) &&
    value.every((one) =>
      typeof one === "object" && one !== null && typeof one.name === "string" &&
      typeof one.kwargs === "object" && one.kwargs !== null
    );
}

function bad(value: unknown): SyntaxError {
  return new SyntaxError(
    `Cannot read constraints: they must be a list of names with their atoms; got ${
      typeof value === "object" ? JSON.stringify(value)?.slice(0, 80) : show(value)
    }`,
  );
}
