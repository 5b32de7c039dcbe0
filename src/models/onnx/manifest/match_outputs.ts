/**
 * Assignment of meanings to the outputs of a model.
 *
 * @module
 */

import type { TensorInfo } from "../../../onnx/session/session_tensor.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import {
  levelOf,
  type OnnxInputBinding,
  type OnnxOutputBinding,
  scaleOf,
  widthOf,
} from "../bindings.ts";
import { assignByName, type Assignment, possibleMeanings } from "./guess.ts";
import type { OnnxOutput, OnnxOutputChoice } from "./manifest.ts";
import { OUTPUTS } from "./meanings.ts";
import { fitsType, formOf, lengthName, showMeaning, showTensor } from "./shapes.ts";
import { type OnnxMatchable, tensorOf } from "./matchable.ts";
import { unitsOf } from "./units.ts";

/** An output and its meaning, before its shape is checked. */
interface Chosen {
  readonly meaning: OnnxOutput | "field";
  readonly field: string | undefined;
  readonly tensor: TensorInfo;
  readonly choice: Omit<OnnxOutputChoice, "tensor">;
  readonly reason: string;
}

/**
 * Returns the energy output of a model that has no forces, so that it can be differentiated. Returns `undefined` if
 * the model has forces, or if no output is known to be the energy. Throws a ModelMismatchError if an output does not
 * fit its stated meaning.
 */
export function energyWithoutForces(model: OnnxMatchable): TensorInfo | undefined {
  const used = chosenOutputs(model);
  if (used.some(isForces)) return undefined;
  return used.find(({ meaning }) => meaning === "energy")?.tensor;
}

/**
 * Returns the energy output of a model; `undefined` if no output is known to be the energy. Throws a
 * ModelMismatchError if an output does not fit its stated meaning.
 */
export function energyOf(model: OnnxMatchable): TensorInfo | undefined {
  return chosenOutputs(model).find(({ meaning }) => meaning === "energy")?.tensor;
}

/**
 * Returns the outputs of forces and stresses, which can also be derived from the energy. Throws a ModelMismatchError if
 * an output does not fit its stated meaning.
 */
export function derivableOutputs(
  model: OnnxMatchable,
): { readonly meaning: OnnxOutput | "field"; readonly tensor: TensorInfo }[] {
  return chosenOutputs(model).filter((one) =>
    isForces(one) || one.meaning === "stress" || one.meaning === "virial"
  );
}

/**
 * Returns whether a model has an output of stresses or virials. Throws a ModelMismatchError if an output does not fit
 * its stated meaning.
 */
export function givesStress(model: OnnxMatchable): boolean {
  return chosenOutputs(model).some(({ meaning }) => meaning === "stress" || meaning === "virial");
}

/**
 * Returns the outputs with their meanings. Throws a ModelMismatchError if there are no forces, or if an output does
 * not fit its meaning.
 */
export function matchOutputs(
  model: OnnxMatchable,
  inputs: readonly OnnxInputBinding[],
): OnnxOutputBinding[] {
  assertForces(model, chosenOutputs(model));
  return bindOutputs(model, inputs);
}

/**
 * Returns the outputs with their meanings. Unlike `matchOutputs`, does not require forces. Throws a
 * ModelMismatchError if an output does not fit its meaning.
 */
export function bindOutputs(
  model: OnnxMatchable,
  inputs: readonly OnnxInputBinding[],
): OnnxOutputBinding[] {
  const used = chosenOutputs(model);
  const nodes = inputs.find(({ meaning }) => meaning === "positions");
  const name = nodes === undefined ? undefined : lengthName(nodes.tensor.shape.at(-2));
  return used.map((one) => bound(model, one, name));
}

function chosenOutputs(model: OnnxMatchable): Chosen[] {
  const chosen = [...addedOutputs(model), ...statedOutputs(model)];
  const known: Assignment<OnnxOutput>[] = chosen.flatMap(({ meaning, tensor, reason }) =>
    meaning === "field" ? [] : [{ meaning, tensor, reason }]
  );
  const left = model.outputs.filter((tensor) => !chosen.some((one) => one.tensor === tensor));
  const before = known.length;
  assignByName(known, left, OUTPUTS);
  assignEnergy(known, left);
  for (const { meaning, tensor, reason } of known.slice(before)) {
    chosen.push({ meaning, tensor, reason, field: undefined, choice: {} });
  }
  return withoutDuplicates(chosen);
}

/** Returns the forces and virials that differentiation has added. They have the unit and the scale of the energy. */
function addedOutputs(model: OnnxMatchable): Chosen[] {
  const { energy } = model.manifest.outputs ?? {};
  const scale = typeof energy === "object" ? energy.scale : undefined;
  return (["forces", "virial"] as const).flatMap((meaning) => {
    const tensor = model.outputs.find(({ name }) => name === model.made?.[meaning]);
    if (tensor === undefined) return [];
    const choice = scale === undefined ? {} : { scale };
    return [{ meaning, field: undefined, tensor, choice, reason: DIFFERENTIATED }];
  });
}

/** Evidence for the meanings of outputs that differentiation has added. */
const DIFFERENTIATED = "by differentiating the energy";

function isForces({ meaning }: Chosen): boolean {
  return meaning === "forces" || meaning === "gradient";
}

function statedOutputs(model: OnnxMatchable): Chosen[] {
  return Object.entries(model.manifest.outputs ?? {}).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const { tensor: wanted, ...choice } = typeof value === "string" ? { tensor: value } : value;
    const tensor = tensorOf(model, "outputs", wanted, `outputs.${name}`);
    const meaning = Object.hasOwn(OUTPUTS, name) ? name as OnnxOutput : "field";
    if (meaning !== "field") assertFits(model, meaning, tensor);
    const reason = `by ${model.by("outputs")}`;
    return [{ meaning, field: meaning === "field" ? name : undefined, tensor, choice, reason }];
  });
}

function assertFits(model: OnnxMatchable, meaning: OnnxOutput, tensor: TensorInfo): void {
  if (fitsType(OUTPUTS[meaning], tensor) && formOf(OUTPUTS[meaning], tensor) !== undefined) return;
  const fitting = model.outputs.filter((one) =>
    possibleMeanings(one, OUTPUTS, []).includes(meaning)
  );
  throw new ModelMismatchError(model.name, {
    expected: `${meaning} must be ${showMeaning(OUTPUTS[meaning])}`,
    found: `the stated tensor is ${showTensor(tensor)}`,
    wouldMap: Object.fromEntries(fitting.map(({ name }) => [name, [meaning]])),
  });
}

/**
 * Assigns the meaning `"energy"` to the only output without a meaning that fits it, if the model has forces and no
 * known energy. Does nothing if several outputs fit.
 */
function assignEnergy(known: Assignment<OnnxOutput>[], left: readonly TensorInfo[]): void {
  const has = (meaning: OnnxOutput) => known.some((one) => one.meaning === meaning);
  if (has("energy") || !(has("forces") || has("gradient"))) return;
  const others = left.filter((tensor) =>
    !known.some((one) => one.tensor === tensor) &&
    possibleMeanings(tensor, OUTPUTS, known).includes("energy")
  );
  if (others.length !== 1) return;
  known.push({ meaning: "energy", tensor: others[0]!, reason: "by its type and shape" });
}

/** Drops gradients if the model has forces, and virials if it has stresses. */
function withoutDuplicates(chosen: readonly Chosen[]): Chosen[] {
  const has = (meaning: OnnxOutput) => chosen.some((one) => one.meaning === meaning);
  return chosen.filter(({ meaning }) =>
    !(meaning === "gradient" && has("forces")) && !(meaning === "virial" && has("stress"))
  );
}

function assertForces(model: OnnxMatchable, used: readonly Chosen[]): void {
  if (used.some(isForces)) return;
  const hasEnergy = used.some(({ meaning }) => meaning === "energy");
  const wouldMap = Object.fromEntries(
    model.outputs.map((tensor) => [
      tensor.name,
      possibleMeanings(tensor, OUTPUTS, []).filter((meaning) =>
        meaning === "forces" || meaning === "gradient" || (meaning === "energy" && !hasEnergy)
      ),
    ]),
  );
  const hasCandidates = Object.values(wouldMap).some(({ length }) => length > 0);
  throw new ModelMismatchError(model.name, {
    expected: "it must give forces, or an energy that can be differentiated",
    found: `its outputs are ${model.outputs.map(showTensor).join(", ") || "empty"}`,
    wouldMap,
    ...(hasCandidates ? {} : { remedy: remedyOf(model, hasEnergy) }),
  });
}

function remedyOf({ manifest }: OnnxMatchable, hasEnergy: boolean): string {
  const way = hasEnergy && manifest.differentiate === false
    ? "leave out { differentiate: false }, or "
    : "";
  return `${way}export it with the gradient of its energy as an output`;
}

function bound(
  model: OnnxMatchable,
  { meaning, field, tensor, choice, reason }: Chosen,
  nodes: string | undefined,
): OnnxOutputBinding {
  const width = choice.width ?? widthOf(meaning, tensor);
  const level = choice.level ?? levelOf(meaning, tensor, nodes);
  const of = field ?? meaning;
  if (width === undefined) {
    throw vague(
      model,
      of,
      tensor,
      `the number of values per row of ${of} must be known`,
      "width: …",
    );
  }
  if (level === undefined && field !== undefined) {
    const expected = `the level of ${of}, atoms or systems, must be known`;
    throw vague(model, of, tensor, expected, 'level: "node"');
  }
  return {
    tensor,
    meaning,
    field,
    level,
    width,
    scale: scaleOf(meaning, unitsOf(model.manifest)) * (choice.scale ?? 1),
    reason,
  };
}

function vague(
  model: OnnxMatchable,
  of: string,
  tensor: TensorInfo,
  expected: string,
  member: string,
): ModelMismatchError {
  return new ModelMismatchError(model.name, {
    expected,
    found: `its tensor is ${showTensor(tensor)}`,
    wouldMap: {},
    remedy: `pass { outputs: { ${of}: { tensor: ${JSON.stringify(tensor.name)}, ${member} } } }`,
  });
}
