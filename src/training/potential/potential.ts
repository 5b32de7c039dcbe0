/**
 * A potential in an .onnx file, prepared for training. Its tensors are matched by its manifest, as in `OnnxModel`.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import { decodeModel, encodeModel } from "../../onnx/codec/codec.ts";
import { describeValue } from "../../onnx/codec/value_info.ts";
import { tensorInfo } from "../../onnx/codec/tensor_info.ts";
import { withForces } from "../../onnx/forces/with_forces.ts";
import type { ModelSource } from "../../onnx/session/session_source.ts";
import { bindingsOf, type OnnxInputBinding } from "../../models/onnx/bindings.ts";
import {
  forcesOptions,
  hasOtherFiles,
  matchableOf,
  positionsError,
  stressError,
  withWeights,
} from "../../models/onnx/forces.ts";
import { splitEnergies } from "../../models/onnx/elements/split_energies.ts";
import { matchedModel } from "../../models/onnx/matched_model.ts";
import type { OnnxManifest } from "../../models/onnx/manifest/manifest.ts";
import { withManifest } from "../../models/onnx/manifest/manifest_source.ts";
import { checkInputs, matchInputs } from "../../models/onnx/manifest/match.ts";
import {
  bindOutputs,
  energyOf,
  energyWithoutForces,
  givesStress,
  matchOutputs,
} from "../../models/onnx/manifest/match_outputs.ts";
import type { OnnxMatchable } from "../../models/onnx/manifest/matchable.ts";
import { isInvariantBy, openLoaded } from "../../models/onnx/opened_model.ts";
import { type LoadedOnnx, loadOnnx, type OnnxModelOptions } from "../../models/onnx/options.ts";
import type { StructureModel } from "../../models/onnx/structures/structure.ts";
import { type OutputNames, type WantedOutputs, withPotentialOutputs } from "./potential_outputs.ts";

/** Options of {@linkcode openPotential}: the members of a manifest, and options of `OnnxModel.open`. */
export interface PotentialOptions extends
  OnnxManifest,
  Pick<
    OnnxModelOptions,
    | "name"
    | "manifest"
    | "derived"
    | "externalData"
    | "signal"
    | "download"
    | "onWarning"
    | "passes"
    | "rules"
    | "runtime"
    | "reference"
    | "verify"
    | "threadMemory"
  > {
  /**
   * Number of onnxruntime threads for the comparison with the reference. In Node and in web pages all sessions of a
   * process share one number of threads, so pass the number that the trainer uses.
   *
   * @default 1, as for `Trainer`
   */
  readonly threads?: number;
}

/** Names of the tensors that batches feed and that losses compare. */
export interface PotentialNames extends OutputNames {
  readonly energyTarget: string;
  readonly forcesTarget: string;
  readonly stressTarget: string;
  readonly energyWeight: string;
  readonly forcesWeight: string;
  readonly stressWeight: string;
  /** Name of the input with the number of atoms of each system. */
  readonly atoms: string;
}

/** Values from which a {@linkcode MatchedPotential} is created. */
interface Parts {
  /** The model as read, with all weights. Its graph still adds the energies of free atoms. */
  readonly whole: LoadedOnnx;
  /** The model to train, whose graph does not add the energies of free atoms. */
  readonly loaded: LoadedOnnx;
  readonly matchable: OnnxMatchable;
  readonly inputs: readonly OnnxInputBinding[];
  readonly options: PotentialOptions;
}

/**
 * A potential to train: its graph and its manifest. Pass it as the option `potential` to data, losses and metrics,
 * which then need no names, cutoffs or elements.
 */
export interface TrainablePotential {
  /** Name of the potential in errors. */
  readonly name: string;
  /** Bytes of the graph to train. Pass them as the option `model` of a trainer. */
  readonly model: Uint8Array;
  /** The complete manifest, merged from options and files. */
  readonly manifest: OnnxManifest;
  /** True if the graph takes one system at a time. Batches must then have one system each. */
  readonly isSingle: boolean;
  /**
   * Returns an .onnx file with trained weights, and with the manifest in its metadata.
   *
   * @param trained a result of `Trainer.export`
   * @param manifest members that override those of the potential's manifest, such as other `atomEnergies`
   */
  export(trained: Uint8Array, manifest?: OnnxManifest): Uint8Array<ArrayBuffer>;
}

/** A potential with the members that data and losses use. */
export class MatchedPotential implements TrainablePotential {
  readonly name: string;
  readonly model: Uint8Array;
  readonly manifest: OnnxManifest;
  readonly isSingle: boolean;
  /** The matched inputs of the graph. */
  readonly matched: StructureModel;
  /** Names of the tensors that batches feed and that losses compare. */
  readonly names: PotentialNames;
  /**
   * Energy in eV that the original graph adds for each atom, by symbol. Training uses the energy without it.
   * Undefined if the graph adds no such energies.
   */
  readonly own: Readonly<Record<string, number>> | undefined;
  readonly #parts: Parts;

  /** Matches the tensors of a model. Throws the errors of `OnnxModel.open`. */
  constructor(parts: Parts) {
    const { whole, loaded, matchable, inputs } = parts, { manifest } = loaded;
    if (energyOf(matchable) === undefined) matchOutputs(matchable, inputs);
    const bindings = bindingsOf(inputs, bindOutputs(matchable, inputs), manifest);
    checkInputs(matchable, bindings);
    const isInvariant = manifest.invariant ?? isInvariantBy(loaded, bindings);
    this.#parts = parts;
    this.name = loaded.name;
    this.model = loaded.bytes;
    this.manifest = whole.manifest;
    this.isSingle = bindings.batch === "single";
    this.matched = {
      ...matchedModel(loaded, bindings, parts.options.derived ?? {}),
      isInvariant,
    };
    this.names = namesFor(loaded.file);
    this.own = loaded === whole ? undefined : manifest.atomEnergies;
  }

  /** Adds the wanted results, converted to eV and Å, as outputs to a graph of this potential. */
  prepare(file: ModelProto, wanted: WantedOutputs): ModelProto {
    const { loaded, matchable, inputs, options } = this.#parts;
    const manifest = { ...loaded.manifest, stress: wanted.stress };
    const own = { ...matchable, manifest };
    const energy = manifest.differentiate === false ? undefined : energyWithoutForces(own);
    const isMade = energy !== undefined && (wanted.forces || wanted.stress);
    if (wanted.stress && !isMade && !givesStress(own)) throw stressError(this.name);
    let made: OnnxMatchable["made"] | undefined, model = file;
    if (isMade) {
      const positions = inputs.find(({ meaning }) => meaning === "positions")?.tensor.name;
      if (positions === undefined) throw positionsError(own);
      const forces = withForces(
        file,
        forcesOptions(own, inputs, [energy.name, positions], options),
      );
      [made, model] = [forces.report, decodeModel(forces.bytes)];
    }
    const outputs = (model.graph?.output ?? []).map(describeValue)
      .filter(({ type }) => type !== undefined).map((value) => tensorInfo(this.name, value));
    const bound = bindOutputs({ ...own, outputs, ...(made && { made }) }, inputs);
    return withPotentialOutputs(model, bound, this.names, {
      name: this.name,
      isSingle: this.isSingle,
      wanted,
    });
  }

  export(trained: Uint8Array, manifest: OnnxManifest = {}): Uint8Array<ArrayBuffer> {
    const { whole, loaded } = this.#parts;
    const bytes = whole === loaded ? trained : withTensors(whole.bytes, trained);
    return withManifest(this.name, bytes, { ...this.manifest, ...manifest });
  }
}

/**
 * Reads a potential and its manifest in order to train it. It accepts every manifest that `OnnxModel.open` accepts;
 * see {@linkcode OnnxManifest}. If the potential has a reference, it is compared with the reference once, in a
 * session that is closed again; `verify: false` skips the comparison.
 *
 * @throws {SyntaxError} if the model is damaged or the manifest is not JSON
 * @throws {ModelMismatchError} if the meaning of an input is unknown, if a tensor does not fit its stated meaning, or
 * if the results differ from those of the reference
 * @throws {TypeError} if an option or a member of a manifest is unknown or of the wrong type
 * @throws {RangeError} if a value is invalid, or if a cutoff is missing
 * @throws {Error} if a file cannot be read
 *
 * @example Train a potential by its manifest
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { atomsData, energyForces, openPotential, potentialErrors } from "@hooke/hooke/training";
 * import { adam, Trainer } from "@hooke/hooke/training";
 * import { assert } from "@std/assert";
 *
 * const g = new GraphBuilder("springs"); // E = k Σ x², in kcal/mol
 * const x = g.input("coords", "f32", ["N", 3]), k = g.parameter("k", [10], [1]);
 * g.output("energies", g.reduceSum(g.mul(g.mul(x, x), k), [1]), ["N"]); // of atoms
 *
 * const potential = await openPotential(g.build(), {
 *   energyUnit: "kcal/mol",
 *   outputs: { energy: "energies" },
 * });
 * const frames = [1, 2, 3].map((r) => ({
 *   symbols: ["Ar"], positions: [[r, 0, 0]],
 *   energy: r * r, forces: [[-2 * r, 0, 0]], // eV
 * }));
 * await using trainer = new Trainer({
 *   model: potential.model,
 *   data: atomsData(frames, { potential, batchSize: 1 }),
 *   loss: energyForces({ potential }),
 *   metrics: potentialErrors({ potential }),
 *   optimizers: adam({ lr: 1 }),
 *   epochs: 60,
 * });
 * await trainer.train();
 * assert(Math.abs((await trainer.parameter("k"))[0]! - 23.06) < 0.5);
 * const tuned = potential.export(await trainer.export()); // has the manifest in it
 * console.log(tuned.length > 0);
 * ```
 */
export function openPotential(
  source: ModelSource,
  options: PotentialOptions = {},
): Promise<TrainablePotential> {
  return matchedPotential(source, options, false);
}

/**
 * Opens a potential as `openPotential` does. If `comparesStress` is true, stresses by differentiation are also
 * compared with the reference.
 */
export async function matchedPotential(
  source: ModelSource,
  options: PotentialOptions,
  comparesStress: boolean,
): Promise<MatchedPotential> {
  const read = await loadOnnx(source, options);
  const compared = comparesStress
    ? { ...read, manifest: { ...read.manifest, stress: true } }
    : read;
  await compare(compared, options);
  const whole = hasOtherFiles(read) ? await withWeights(read, options) : read;
  const names = Object.keys(options.derived ?? {});
  // Energies of free atoms in the manifest are not split off, because training writes new ones.
  const { atomEnergies: _, ...manifest } = whole.manifest;
  const bare = { ...whole, manifest };
  const split = splitEnergies(bare, names);
  const loaded = split === bare ? whole : split;
  const matchable = matchableOf(loaded, names);
  energyOf(matchable); // throws errors of outputs before those of inputs, as in `OnnxModel.open`
  return new MatchedPotential({
    whole,
    loaded,
    matchable,
    options,
    inputs: matchInputs(matchable),
  });
}

/** Compares a model with its reference, if it has one. Throws a ModelMismatchError if the results differ. */
async function compare(read: LoadedOnnx, options: PotentialOptions): Promise<void> {
  if (read.found === undefined) return;
  // Adding forces changes the decoded graph, so another copy is decoded here: the graph to train must not change.
  const file = decodeModel(read.bytes, { name: read.name });
  const { opened } = await openLoaded({ ...read, file }, {
    ...options,
    threads: options.threads ?? 1,
  });
  await opened.session.dispose();
}

/** Returns the potential that an option holds. Throws a TypeError for any other value. */
export function potentialIn(action: string, value: TrainablePotential): MatchedPotential {
  if (value instanceof MatchedPotential) return value;
  throw new TypeError(
    complaint(action, "potential must be a result of openPotential()", value),
  );
}

/** Chooses names for the tensors that training adds to a graph. The graph does not use these names yet. */
function namesFor(file: ModelProto): PotentialNames {
  const { graph } = file;
  const taken = new Set([
    ...[...graph?.input ?? [], ...graph?.initializer ?? []].map(({ name }) => name),
    ...(graph?.node ?? []).flatMap(({ output }) => output),
  ]);
  const free = (name: string): string => taken.has(name) ? free(`${name}_`) : name;
  return {
    energy: free("energy_of_systems"),
    forces: free("forces_of_atoms"),
    stress: free("stress_of_systems"),
    systemOfAtom: free("system_of_atom"),
    zeros: free("zeros_of_systems"),
    cell: free("cell_of_systems"),
    energyTarget: free("energy_target"),
    forcesTarget: free("forces_target"),
    stressTarget: free("stress_target"),
    energyWeight: free("energy_weight"),
    forcesWeight: free("forces_weight"),
    stressWeight: free("stress_weight"),
    atoms: free("atoms_of_systems"),
  };
}

/** Returns the bytes of `model`, in which each tensor that `trained` also has is replaced by the trained one. */
function withTensors(model: Uint8Array, trained: Uint8Array): Uint8Array<ArrayBuffer> {
  const file = decodeModel(model), { initializer } = file.graph!;
  const tensors = new Map(
    decodeModel(trained).graph!.initializer.map((tensor) => [tensor.name, tensor]),
  );
  for (const [i, { name }] of initializer.entries()) {
    initializer[i] = tensors.get(name) ?? initializer[i]!;
  }
  return encodeModel(file);
}
