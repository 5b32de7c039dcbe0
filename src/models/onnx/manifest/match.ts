/**
 * Assignment of a meaning to each tensor of a model. Meanings that the manifest does not state are guessed.
 *
 * @module
 */

import type { TensorInfo } from "../../../onnx/session/session_tensor.ts";
import { ModelMismatchError, type WouldMap } from "../model_mismatch_error.ts";
import {
  bindingsOf,
  isSingleSystem,
  type OnnxBindings,
  type OnnxInputBinding,
} from "../bindings.ts";
import { assignByName, assignByShape, type Assignment, possibleMeanings } from "./guess.ts";
import type { OnnxInput } from "./manifest.ts";
import { INPUTS } from "./meanings.ts";
import { fitsType, formOf, showMeaning, showTensor } from "./shapes.ts";
import { matchOutputs } from "./match_outputs.ts";
import { type OnnxMatchable, tensorOf } from "./matchable.ts";

/**
 * Assigns a meaning to each tensor. Throws a ModelMismatchError if an input has no meaning, if a tensor does not fit
 * its stated meaning, or if positions or forces are missing.
 */
export function matchTensors(model: OnnxMatchable): OnnxBindings {
  const inputs = matchInputs(model);
  const bindings = bindingsOf(inputs, matchOutputs(model, inputs), model.manifest);
  checkInputs(model, bindings);
  return bindings;
}

/**
 * Assigns a meaning to each input. Throws a ModelMismatchError if an input has no meaning or does not fit its stated
 * meaning.
 */
export function matchInputs(model: OnnxMatchable): OnnxInputBinding[] {
  const { inputs, outputs, derived, manifest: { constants = {} } } = model;
  const listed = listedInputs(model);
  const assigned = [...derived, ...Object.keys(constants), ...listed.keys()];
  for (const name of assigned) {
    tensorOf(
      model,
      "inputs",
      name,
      name in constants ? "constants" : listed.has(name) ? "lists" : "derived",
    );
  }
  const left = inputs.filter(({ name }) => !assigned.includes(name));
  const known = statedInputs(model);
  assignByName(known, left, INPUTS);
  const named: Assignment[] = outputs.filter(({ name }) => /force|grad/i.test(name))
    .map((tensor) => ({ meaning: "forces", tensor, reason: "" }));
  assignByShape(known, left, named);
  checkNumbers(model, known);
  checkTriplets(model, known);
  const unknown = left.filter((tensor) => !known.some((one) => one.tensor === tensor));
  if (unknown.length > 0) throw unknownInputsError(model, unknown, known);
  return inputs.map((tensor) => {
    if (derived.includes(tensor.name)) {
      return { tensor, meaning: "derived", form: undefined, reason: "by a function" };
    }
    if (tensor.name in constants) {
      return {
        tensor,
        meaning: "constant",
        form: undefined,
        reason: `by ${model.by("constants")}`,
      };
    }
    const other = listed.get(tensor.name);
    if (other !== undefined) return other;
    const { meaning, reason } = known.find((one) => one.tensor === tensor)!;
    return { tensor, meaning, form: formOf(INPUTS[meaning], tensor), reason };
  });
}

/** Returns the bindings of the inputs of further lists, by name of the input. */
function listedInputs(model: OnnxMatchable): Map<string, OnnxInputBinding> {
  const listed = new Map<string, OnnxInputBinding>();
  for (const [list, { inputs }] of Object.entries(model.manifest.lists ?? {})) {
    for (const [meaning, name] of Object.entries(inputs) as [OnnxInput, string][]) {
      const tensor = tensorOf(model, "inputs", name, `lists.${list}.inputs.${meaning}`);
      assertFits(model, meaning, tensor);
      const other = listed.get(name);
      if (other !== undefined) {
        throw statedTwiceError(model, tensor, meaning, other.meaning as OnnxInput);
      }
      const reason = `by ${model.by("lists")}, of the list ${list}`;
      listed.set(name, { tensor, meaning, list, form: formOf(INPUTS[meaning], tensor), reason });
    }
  }
  return listed;
}

/** Names of tensors that may contain either atomic numbers or indices into the elements of a model. */
const VAGUE = /^(species|elements|(atom|node)?_?types?)$/i;

function checkNumbers(
  { name, manifest: { elements } }: OnnxMatchable,
  known: readonly Assignment<OnnxInput>[],
): void {
  const numbers = known.find(({ meaning }) => meaning === "numbers");
  if (elements !== undefined || numbers === undefined) return;
  const { tensor, reason } = numbers;
  if (!reason.startsWith("by its") || !VAGUE.test(tensor.name)) return;
  throw new ModelMismatchError(name, {
    expected: "the numbers of its elements must be known",
    found: `${showTensor(tensor)} may be atomic numbers, or indices into the elements it knows`,
    wouldMap: {},
    remedy: `pass { elements: ["H", "C", …] } for indices, in its order, counted from 0, or ` +
      `{ inputs: { numbers: ${JSON.stringify(tensor.name)} } } for atomic numbers`,
  });
}

/** Names of tensors that are known to contain unordered triplets, because `hooke-export` writes them. */
const UNORDERED = /^trip_?(cent(er|re)|edge)s?$/i;

function checkTriplets(
  { name, manifest: { triplets } }: OnnxMatchable,
  known: readonly Assignment<OnnxInput>[],
): void {
  const vague = known.find(({ meaning, tensor }) =>
    (meaning === "tripletEdges" || meaning === "tripletCenters" || meaning === "bondGraph") &&
    !UNORDERED.test(tensor.name)
  );
  if (triplets !== undefined || vague === undefined) return;
  throw new ModelMismatchError(name, {
    expected: "the order of its triplets must be known",
    found: `${showTensor(vague.tensor)} may have each pair of edges once, or in both orders`,
    wouldMap: {},
    remedy: 'pass { triplets: "unordered" } for once, or { triplets: "ordered" } for both orders',
  });
}

function statedInputs(model: OnnxMatchable): Assignment<OnnxInput>[] {
  const stated = Object.entries(model.manifest.inputs ?? {}) as [OnnxInput, string | undefined][];
  return stated.flatMap(([meaning, name]) => {
    if (name === undefined) return [];
    const tensor = tensorOf(model, "inputs", name, `inputs.${meaning}`);
    assertFits(model, meaning, tensor);
    const other = stated.find(([each, same]) => each !== meaning && same === name);
    if (other !== undefined) throw statedTwiceError(model, tensor, meaning, other[0]);
    return [{ meaning, tensor, reason: `by ${model.by("inputs")}` }];
  });
}

function statedTwiceError(
  model: OnnxMatchable,
  tensor: TensorInfo,
  ...meanings: readonly OnnxInput[]
): ModelMismatchError {
  return new ModelMismatchError(model.name, {
    expected: "each of its inputs must have one meaning",
    found: `${showTensor(tensor)} is stated to be ${meanings.join(" and ")}`,
    wouldMap: { [tensor.name]: possibleMeanings(tensor, INPUTS, []) },
  });
}

function assertFits(model: OnnxMatchable, meaning: OnnxInput, tensor: TensorInfo): void {
  if (fitsType(INPUTS[meaning], tensor) && formOf(INPUTS[meaning], tensor) !== undefined) return;
  const fitting = model.inputs.filter((one) => possibleMeanings(one, INPUTS, []).includes(meaning));
  throw new ModelMismatchError(model.name, {
    expected: `${meaning} must be ${showMeaning(INPUTS[meaning])}`,
    found: `the stated tensor is ${showTensor(tensor)}`,
    wouldMap: Object.fromEntries(fitting.map(({ name }) => [name, [meaning]])),
  });
}

function unknownInputsError(
  { name, inputs }: OnnxMatchable,
  unknown: readonly TensorInfo[],
  known: readonly Assignment<OnnxInput>[],
): ModelMismatchError {
  const wouldMap: WouldMap = Object.fromEntries(
    unknown.map((tensor) => [tensor.name, possibleMeanings(tensor, INPUTS, known)]),
  );
  const first = unknown[0]!.name;
  const [meaning = "positions"] = wouldMap[first]!;
  const hasNoMeaning = unknown.every((tensor) => wouldMap[tensor.name]!.length === 0);
  return new ModelMismatchError(name, {
    expected: "each of its inputs must have a meaning",
    found: `the meaning of ${
      unknown.map(showTensor).join(", ")
    } is not known (${known.length} of ${inputs.length} inputs are)`,
    wouldMap,
    remedy: hasNoMeaning
      ? `pass { constants: { ${JSON.stringify(first)}: 0 } } or { derived: { ${
        JSON.stringify(first)
      }: (lists) => … } }`
      : `pass { inputs: { ${meaning}: ${
        JSON.stringify(first)
      } } } in the options or a manifest beside the file`,
  });
}

export function checkInputs(model: OnnxMatchable, { inputs, batch }: OnnxBindings): void {
  const hasPositions = inputs.some(({ meaning }) =>
    meaning === "positions" || meaning === "derived"
  );
  if (!hasPositions) {
    throw new ModelMismatchError(model.name, {
      expected: "positions must be among its inputs",
      found: `its inputs are ${model.inputs.map(showTensor).join(", ") || "empty"}`,
      wouldMap: Object.fromEntries(
        model.inputs.filter((one) => possibleMeanings(one, INPUTS, []).includes("positions"))
          .map(({ name }) => [name, ["positions"]]),
      ),
    });
  }
  const single = inputs.find((one) => isSingleSystem([one]));
  if (batch === "single" || single === undefined) return;
  throw new ModelMismatchError(model.name, {
    expected: 'its inputs must have an axis for many systems if batch is "joined"',
    found: `${showTensor(single.tensor)} is for one system`,
    wouldMap: {},
    remedy: 'pass { batch: "single" }',
  });
}
