/**
 * Forces of models that have only an energy output. The graph is differentiated once, when the model is opened, for
 * all devices.
 *
 * @module
 */

import { decodeModel, encodeModel } from "../../onnx/codec/codec.ts";
import { loadExternalData } from "../../onnx/codec/external_data.ts";
import { showForces } from "../../onnx/forces/forces_report.ts";
import { loadModel } from "../../onnx/session/session_model.ts";
import { tensorInfo } from "../../onnx/codec/tensor_info.ts";
import { describeValue } from "../../onnx/codec/value_info.ts";
import type { StrainedValues } from "../../onnx/forces/strained_values.ts";
import type { WithForcesOptions } from "../../onnx/forces/with_forces.ts";
import { cachedForces } from "./made/cached_forces.ts";
import { portableOptions, processorForces, showProcessorPasses } from "./made/processor_forces.ts";
import { ModelMismatchError } from "./model_mismatch_error.ts";
import { bindingsOf, type OnnxInputBinding } from "./bindings.ts";
import { matchInputs } from "./manifest/match.ts";
import { energyWithoutForces, givesStress } from "./manifest/match_outputs.ts";
import type { OnnxMatchable } from "./manifest/matchable.ts";
import type { OnnxInput } from "./manifest/manifest.ts";
import type { LoadedOnnx, OnnxModelOptions } from "./options.ts";
import { showTensor } from "./manifest/shapes.ts";

/** A model's file with forces, and a description of the forces that were added. */
export interface LoadedForces {
  /** The file, to which forces were added if it had no forces. */
  readonly loaded: LoadedOnnx;
  /** The file as onnxruntime runs it on the processor, possibly with passes that do not suit WebGPU. */
  readonly onProcessor: LoadedOnnx;
  /** Names of the added outputs; `undefined` if no forces were added. */
  readonly made: OnnxMatchable["made"];
  /** Descriptions of the nodes on the path of the added forces at which a derivative may be infinite. */
  readonly steep: readonly string[];
  /** Lines about the added forces for `describe()`. */
  readonly text: readonly string[];
}

/**
 * Loads the weights that a model stores in other files, and returns the model with these weights in its bytes. Throws
 * the errors of `OnnxModel.open`.
 */
export async function withWeights(
  loaded: LoadedOnnx,
  { externalData, signal, download }: OnnxModelOptions,
): Promise<LoadedOnnx> {
  const { name, bytes, url } = loaded;
  const { external } = await loadModel(url ?? bytes, {
    name,
    ...(externalData === undefined ? {} : { externalData }),
    ...(signal === undefined ? {} : { signal }),
    ...(download === undefined ? {} : { download }),
  });
  const file = decodeModel(bytes, { name });
  await loadExternalData(file, (location) => external[location]!);
  return { ...loaded, file, bytes: encodeModel(file) };
}

/** Returns whether some weights of a model are in other files. */
export function hasOtherFiles({ file }: LoadedOnnx): boolean {
  return file.graph?.initializer.some((tensor) => tensor.dataLocation === 1) ?? false;
}

/**
 * Adds forces to a model that has an energy output and no forces. Throws a RangeError if stresses are requested and
 * cannot be added, a ModelMismatchError if tensors do not fit their stated meanings, and the errors of `withForces`.
 */
export async function withMadeForces(
  loaded: LoadedOnnx,
  options: OnnxModelOptions,
): Promise<LoadedForces> {
  const { name, manifest } = loaded;
  const model = matchableOf(loaded, Object.keys(options.derived ?? {}));
  const energy = manifest.differentiate === false ? undefined : energyWithoutForces(model);
  if (energy === undefined) {
    if (manifest.stress === true && !givesStress(model)) throw stressError(name);
    return { loaded, onProcessor: loaded, made: undefined, steep: [], text: [] };
  }
  const inputs = matchInputs(model);
  const positions = inputs.find(({ meaning }) => meaning === "positions");
  if (positions === undefined) throw positionsError(model);
  const whole = hasOtherFiles(loaded) || options.externalData !== undefined
    ? await withWeights(loaded, options)
    : loaded;
  const wanted = forcesOptions(model, inputs, [energy.name, positions.tensor.name], options);
  const { forces, kept } = await cachedForces(whole, portableOptions(wanted), options.cache);
  const { bytes, report } = forces;
  const processor = await processorForces(whole, bytes, wanted, options.cache);
  const made = { ...loaded, bytes, file: decodeModel(bytes, { name }) };
  return {
    loaded: made,
    onProcessor: processor === undefined ? made : { ...made, bytes: processor.bytes },
    made: report,
    steep: report.warnings.map(({ node, op, why }) => `the ${op} ${node}: ${why}`),
    text: [
      showForces(report),
      ...kept,
      ...showProcessorPasses(processor),
      ...differentiationWarnings(inputs),
    ],
  };
}

/** Returns the options of `withForces` for a model. */
export function forcesOptions(
  model: OnnxMatchable,
  inputs: readonly OnnxInputBinding[],
  [energy, positions]: readonly [energy: string, positions: string],
  { passes, rules }: OnnxModelOptions,
): WithForcesOptions {
  const used = new Set([...model.inputs, ...model.outputs].map((tensor) => tensor.name));
  const needsStress = model.manifest.stress === true && !givesStress(model);
  return {
    name: model.name,
    energy,
    positions,
    forces: freeName("forces", used),
    stress: needsStress && strainedOf(model, inputs, freeName("virial", used)),
    ...(passes === undefined ? {} : { passes }),
    ...(rules === undefined ? {} : { rules }),
  };
}

/** Returns a model with the tensors that its file declares, before a session is opened. */
export function matchableOf(
  { name, file, manifest, by }: LoadedOnnx,
  derived: string[],
): OnnxMatchable {
  const { input = [], output = [], initializer = [] } = file.graph ?? {};
  const initial = new Set(initializer.map((tensor) => tensor.name));
  const infos = (values: typeof input) =>
    values.map(describeValue).filter(({ type }) => type !== undefined)
      .map((value) => tensorInfo(name, value));
  const inputs = infos(input.filter((value) => !initial.has(value.name)));
  return { name, inputs, outputs: infos(output), manifest, by, derived };
}

/**
 * Returns the names of the inputs that change with a strain, and of the inputs that contain the system of each atom
 * and edge. Throws a RangeError if stresses cannot be derived.
 */
function strainedOf(
  model: OnnxMatchable,
  inputs: readonly OnnxInputBinding[],
  output: string,
): StrainedValues {
  const { batch, rules } = bindingsOf(inputs, [], model.manifest);
  if (rules.hasMatrix) {
    throw new RangeError(
      `Cannot open ${model.name}: stresses cannot be derived for models of neighbor matrices. Leave out stress, or ` +
        "export the model with a stress as an output",
    );
  }
  const named = (list: string | undefined, ...meanings: readonly OnnxInput[]) =>
    inputs.find((one) => one.list === list && meanings.includes(one.meaning as OnnxInput))
      ?.tensor.name;
  const pairs = (list?: string) => ({
    shifts: named(list, "shifts"),
    edgeBatch: named(list, "edgeBatchIndex"),
    edges: named(list, "edges", "edgeSources"),
  });
  const lists = rules.others.map(({ name }) => pairs(name));
  const found = {
    ...pairs(),
    cell: named(undefined, "cell"),
    batch: named(undefined, "batchIndex"),
    lists: lists.flatMap(({ shifts, ...list }) =>
      shifts === undefined ? [] : [{ shifts, ...list }]
    ),
  };
  if (batch === "joined" && found.batch === undefined) {
    throw new RangeError(
      `Cannot open ${model.name}: stresses of many systems require an input that gives the system of ` +
        `each atom (batchIndex); its inputs are ${
          inputs.map(({ tensor }) => tensor.name).join(", ")
        }`,
    );
  }
  // Undefined members are passed on, so that no input is chosen by its usual name: it may have another meaning.
  return { ...found, output };
}

/**
 * Returns warnings about the inputs through which the energy may depend on positions in a way that the derivative
 * does not contain.
 */
function differentiationWarnings(inputs: readonly OnnxInputBinding[]): string[] {
  return inputs.filter(({ meaning, tensor }) =>
    meaning === "derived" && tensor.dtype.startsWith("float")
  ).map(({ tensor }) =>
    `  mind ${tensor.name}: a custom function computes it. If it depends on positions, forces lack that contribution`
  );
}

function freeName(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let i = 2; used.has(free); i++) free = `${name}_${i}`;
  return free;
}

export function stressError(name: string): RangeError {
  return new RangeError(
    `Cannot open ${name}: stress: true derives stresses only together with forces, from an energy; ` +
      "this model has an output of forces, or no energy. Leave out stress",
  );
}

export function positionsError(model: OnnxMatchable): ModelMismatchError {
  return new ModelMismatchError(model.name, {
    expected: "positions must be among its inputs, so that its energy can be differentiated",
    found: `its inputs are ${model.inputs.map(showTensor).join(", ") || "empty"}`,
    wouldMap: {},
  });
}
