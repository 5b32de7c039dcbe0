/**
 * Validation of reference files.
 *
 * @module
 */

import { isObject } from "../../../base/object.ts";
import { show } from "../../../base/show.ts";
import { isSymbol } from "../../../batch/elements.ts";
import type { OnnxReference } from "./reference.ts";

/**
 * Checks a parsed reference file, and returns it. `by` is its name in errors, such as "the reference ani.ref.json".
 *
 * @throws {TypeError} if a member is missing or of the wrong type
 * @throws {RangeError} if a length or a value is invalid, or if the version is unknown
 */
export function checkReference(by: string, value: unknown): OnnxReference {
  const fail = (Wrong: typeof TypeError, member: string, wanted: string, found: unknown) => {
    throw new Wrong(`${member} of ${by} must be ${wanted}; got ${show(found)}`);
  };
  if (!isObject(value)) {
    throw new TypeError(`${by} must be an object; got ${show(value)}`);
  }
  const { format, version, model, structures, energy, forces, stress, tolerance, float32 } = value;
  if (format !== "hooke-reference") fail(TypeError, "format", '"hooke-reference"', format);
  if (version !== 1) fail(RangeError, "version", "1", version);
  if (typeof model !== "string" || !/^[0-9a-f]{64}$/.test(model)) {
    fail(TypeError, "model", "a SHA-256 of 64 hexadecimal digits", model);
  }
  if (!Array.isArray(structures)) fail(TypeError, "structures", "a list", structures);
  const all = structures as readonly unknown[];
  // Every model would pass a comparison with no structures.
  if (all.length === 0) {
    fail(RangeError, "structures", "a list of at least one structure", structures);
  }
  for (const [name, list] of Object.entries({ energy, forces, stress })) {
    if (!Array.isArray(list)) fail(TypeError, name, "a list", list);
    if ((list as unknown[]).length !== all.length) {
      fail(RangeError, name, `a list with one element for each of ${all.length} structures`, list);
    }
  }
  if (!isNumbers(energy, all.length)) fail(TypeError, "energy", "a list of numbers", energy);
  for (const [s, structure] of all.entries()) {
    const fault = structureFault(structure);
    if (fault !== undefined) {
      fail(TypeError, `structures[${s}]${fault.member}`, fault.wanted, fault.found);
    }
    const atoms = (structure as { symbols: unknown[] }).symbols.length;
    const ownForces = (forces as unknown[])[s], ownStress = (stress as unknown[])[s];
    if (!isNumbers(ownForces, 3 * atoms)) {
      fail(
        TypeError,
        `forces[${s}]`,
        `a flat list of ${3 * atoms} numbers (3 per symbol)`,
        ownForces,
      );
    }
    if (ownStress !== null && !isNumbers(ownStress, 9)) {
      fail(TypeError, `stress[${s}]`, "a flat list of 9 numbers or null", ownStress);
    }
  }
  const limits = isObject(tolerance) ? tolerance : {};
  for (const name of ["energy", "forces", "stress"]) {
    const limit = limits[name];
    if (typeof limit !== "number" || !(limit > 0)) {
      fail(TypeError, `tolerance.${name}`, "a number above 0", limit);
    }
  }
  if (float32 !== undefined && !areErrors(float32, all.length)) {
    fail(
      TypeError,
      "float32",
      `a list of ${all.length} objects with numbers of 0 or more`,
      float32,
    );
  }
  return value as unknown as OnnxReference;
}

/** A member of a structure with a wrong value, and the requirement that the value does not meet. */
interface StructureFault {
  /** The member, such as `".cell"`; empty for the structure itself. */
  readonly member: string;
  readonly wanted: string;
  readonly found: unknown;
}

/** Returns the first fault of a structure; `undefined` if it has no fault. */
function structureFault(value: unknown): StructureFault | undefined {
  if (!isObject(value)) return { member: "", wanted: "an object", found: value };
  const { symbols, positions, cell, pbc } = value;
  if (!Array.isArray(symbols)) {
    return { member: ".symbols", wanted: "a list of element symbols", found: symbols };
  }
  const wrong = symbols.findIndex((one) => typeof one !== "string" || !isSymbol(one));
  if (wrong !== -1) {
    return { member: `.symbols[${wrong}]`, wanted: "an element symbol", found: symbols[wrong] };
  }
  const length = 3 * symbols.length;
  if (!isNumbers(positions, length)) {
    const wanted = `a flat list of ${length} numbers (3 per symbol)`;
    return { member: ".positions", wanted, found: positions };
  }
  if (cell !== null && !isNumbers(cell, 9)) {
    return { member: ".cell", wanted: "a flat list of 9 numbers or null", found: cell };
  }
  const isPbc = Array.isArray(pbc) && pbc.length === 3 &&
    pbc.every((one) => typeof one === "boolean");
  if (!isPbc) return { member: ".pbc", wanted: "a list of three booleans", found: pbc };
  return cell === null && pbc.includes(true)
    ? { member: ".cell", wanted: "a flat list of 9 numbers, because pbc is periodic", found: cell }
    : undefined;
}

/** Returns whether a value is a list of `length` objects whose members are errors: numbers of 0 or more. */
function areErrors(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length &&
    value.every((errors) =>
      isObject(errors) &&
      Object.values(errors).every((error) => typeof error === "number" && error >= 0)
    );
}

function isNumbers(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every(Number.isFinite);
}
