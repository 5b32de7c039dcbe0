/**
 * Guesses of meanings that a manifest does not state. The evidence is the name of a tensor, or a type and a shape
 * that fit only one meaning.
 *
 * @module
 */

import type { TensorInfo } from "../../../onnx/session/session_tensor.ts";
import type { OnnxInput } from "./manifest.ts";
import { type Form, INPUTS, type Meaning, OUTPUTS } from "./meanings.ts";
import { exactFormOf, fitsType, formOf, lengthName } from "./shapes.ts";

/** A tensor and its meaning. */
export interface Assignment<M extends string = string> {
  /** Meaning of the tensor. */
  readonly meaning: M;
  /** The tensor. */
  readonly tensor: TensorInfo;
  /** Evidence for the meaning, such as `"by its name"`. */
  readonly reason: string;
}

/** Adds the tensors whose meanings follow from their names to `known`. */
export function assignByName<M extends string>(
  known: Assignment<M>[],
  tensors: readonly TensorInfo[],
  meanings: Readonly<Record<M, Meaning>>,
): void {
  // A tensor without a shape fits every meaning that has its name, so tensors with a shape come first.
  for (const isStrict of [true, false]) {
    for (const tensor of tensors) {
      if (known.some((one) => one.tensor === tensor)) continue;
      const meaning = (Object.keys(meanings) as M[]).find((each) =>
        !known.some((one) => one.meaning === each) &&
        meanings[each].names.some((name) => plain(name) === plain(tensor.name)) &&
        fitsType(meanings[each], tensor) && hasForm(meanings[each], tensor, isStrict)
      );
      if (meaning !== undefined) known.push({ meaning, tensor, reason: "by its name" });
    }
  }
}

/** Returns a name in lower case without separators, so that different spellings are equal. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function hasForm(meaning: Meaning, tensor: TensorInfo, isStrict: boolean): boolean {
  const form = formOf(meaning, tensor);
  return form !== undefined && (!isStrict || form.length === tensor.shape.length);
}

/** Meanings that must be known before a type and a shape can identify another meaning. */
const BEFORE: Readonly<Partial<Record<OnnxInput, readonly OnnxInput[]>>> = {
  shifts: ["positions", "edges"],
  numbers: ["positions", "batchIndex"],
  batchIndex: ["positions", "numbers"],
};

/**
 * Adds the inputs whose types and shapes fit only one meaning to `known`. `outputs` are the outputs with known
 * meanings; their shapes show which dimension counts atoms or systems.
 */
export function assignByShape(
  known: Assignment<OnnxInput>[],
  tensors: readonly TensorInfo[],
  outputs: readonly Assignment[],
): void {
  for (let before = -1; before !== known.length;) {
    before = known.length;
    for (const meaning of ORDER) {
      const needs = BEFORE[meaning] ?? [];
      if (known.some((one) => one.meaning === meaning)) continue;
      if (!needs.every((need) => known.some((one) => one.meaning === need))) continue;
      const lengths = lengthsOf([...known, ...outputs]);
      const fitting = tensors.filter((tensor) =>
        !known.some((one) => one.tensor === tensor) &&
        fitsShape(INPUTS[meaning], tensor, lengths, needs.length > 0)
      );
      if (fitting.length !== 1) continue;
      known.push({ meaning, tensor: fitting[0]!, reason: "by its type and shape" });
    }
  }
}

const ORDER: readonly OnnxInput[] = (Object.keys(INPUTS) as OnnxInput[]).filter((meaning) =>
  INPUTS[meaning].isClearFromShape === true
);

/**
 * Returns whether the type, the shape and the names of dimensions of a tensor fit a meaning. If `isNamed` is true, at
 * least one dimension must have a known name.
 */
function fitsShape(
  meaning: Meaning,
  tensor: TensorInfo,
  lengths: ReadonlyMap<string, string>,
  isNamed: boolean,
): boolean {
  const form = exactFormOf(meaning, tensor);
  if (form === undefined || !fitsType(meaning, tensor)) return false;
  if (meaning.types === "number" && !fitsType({ ...meaning, types: "int" }, tensor)) return false;
  let isKnown = false;
  for (const [i, axis] of form.entries()) {
    const name = lengthName(tensor.shape[i]);
    const owner = name === undefined ? undefined : lengths.get(name);
    if (owner !== undefined && owner !== axis) return false;
    isKnown ||= owner !== undefined;
  }
  return isKnown || !isNamed;
}

/**
 * Returns the axis of each named dimension, such as `"N"` for the dimension that counts atoms. Contains only the
 * dimensions of tensors with known meanings.
 */
export function lengthsOf(known: readonly Assignment[]): Map<string, string> {
  const lengths = new Map<string, string>();
  for (const { meaning, tensor } of known) {
    const one = (INPUTS as Readonly<Record<string, Meaning>>)[meaning] ??
      (OUTPUTS as Readonly<Record<string, Meaning>>)[meaning];
    // Energies may have a row per atom or per system, so their shapes show nothing.
    const form: Form | undefined = one === undefined || meaning === "energy"
      ? undefined
      : formOf(one, tensor);
    for (const [i, axis] of (form ?? []).entries()) {
      const name = lengthName(tensor.shape[i]);
      if (name !== undefined && typeof axis === "string") lengths.set(name, axis);
    }
  }
  return lengths;
}

/** Returns the meanings that fit the type and shape of a tensor and that no other tensor has. */
export function possibleMeanings<M extends string>(
  tensor: TensorInfo,
  meanings: Readonly<Record<M, Meaning>>,
  assigned: readonly Assignment[],
): M[] {
  return (Object.keys(meanings) as M[]).filter((meaning) =>
    !assigned.some((one) => one.meaning === meaning) && fitsType(meanings[meaning], tensor) &&
    formOf(meanings[meaning], tensor) !== undefined
  );
}
