/**
 * What tensors mean where nobody says it: told by their names, or by types and shapes that fit nothing else.
 *
 * @module
 */

import type { TensorInfo } from "../../onnx/session/session_tensor.ts";
import type { OnnxInput } from "./manifest.ts";
import { type Form, INPUTS, type Meaning, OUTPUTS } from "./meanings.ts";
import { exactFormOf, fitsType, formOf, lengthName } from "./shapes.ts";

/** A tensor with its meaning. */
export interface Told<M extends string = string> {
  /** What it means. */
  readonly meaning: M;
  /** The tensor. */
  readonly tensor: TensorInfo;
  /** How that is known. */
  readonly told: string;
}

/** Adds the tensors whose names say what they are. */
export function tellByName<M extends string>(
  known: Told<M>[],
  tensors: readonly TensorInfo[],
  meanings: Readonly<Record<M, Meaning>>,
): void {
  // A tensor without a shape could be all that its name says: those with one first.
  for (const isStrict of [true, false]) {
    for (const tensor of tensors) {
      if (known.some((one) => one.tensor === tensor)) continue;
      const meaning = (Object.keys(meanings) as M[]).find((each) =>
        !known.some((one) => one.meaning === each) &&
        meanings[each].names.some((name) => plain(name) === plain(tensor.name)) &&
        fitsType(meanings[each], tensor) && hasForm(meanings[each], tensor, isStrict)
      );
      if (meaning !== undefined) known.push({ meaning, tensor, told: "by its name" });
    }
  }
}

/** Without what spellings differ in. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function hasForm(meaning: Meaning, tensor: TensorInfo, isStrict: boolean): boolean {
  const form = formOf(meaning, tensor);
  return form !== undefined && (!isStrict || form.length === tensor.shape.length);
}

/** What has to be known before a type and a shape tell the rest. */
const BEFORE: Readonly<Partial<Record<OnnxInput, readonly OnnxInput[]>>> = {
  shifts: ["positions", "edges"],
  numbers: ["positions", "batchIndex"],
  batchIndex: ["positions", "numbers"],
};

/** Adds the inputs whose types and shapes leave no doubt. `outputs` are known, and name lengths. */
export function tellByShape(
  known: Told<OnnxInput>[],
  tensors: readonly TensorInfo[],
  outputs: readonly Told[],
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
        isTold(INPUTS[meaning], tensor, lengths, needs.length > 0)
      );
      if (fitting.length !== 1) continue;
      known.push({ meaning, tensor: fitting[0]!, told: "by its type and shape" });
    }
  }
}

const ORDER: readonly OnnxInput[] = (Object.keys(INPUTS) as OnnxInput[]).filter((meaning) =>
  INPUTS[meaning].isTold === true
);

/** Whether type, shape and the names of its lengths fit; `isNamed`: whether one must have a name that is known. */
function isTold(
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

/** Name of a length → what it counts, as far as tensors that are known tell. */
export function lengthsOf(known: readonly Told[]): Map<string, string> {
  const lengths = new Map<string, string>();
  for (const { meaning, tensor } of known) {
    const one = (INPUTS as Readonly<Record<string, Meaning>>)[meaning] ??
      (OUTPUTS as Readonly<Record<string, Meaning>>)[meaning];
    // Rows of energies may be atoms or systems.
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

/** What a tensor could mean, by its type and shape. */
export function couldMean<M extends string>(
  tensor: TensorInfo,
  meanings: Readonly<Record<M, Meaning>>,
  taken: readonly Told[],
): M[] {
  return (Object.keys(meanings) as M[]).filter((meaning) =>
    !taken.some((one) => one.meaning === meaning) && fitsType(meanings[meaning], tensor) &&
    formOf(meanings[meaning], tensor) !== undefined
  );
}
