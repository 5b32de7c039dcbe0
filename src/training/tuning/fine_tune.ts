/**
 * Fine-tuning of a potential in one call.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { complaint } from "../../base/show.ts";
import type { DataSource } from "../data/data_source.ts";
import { energyForces } from "../losses/energy_forces.ts";
import { potentialErrors } from "../metrics/potential_errors.ts";
import { matchedPotential, type TrainablePotential } from "../potential/potential.ts";
import { adam } from "../optimizers/named.ts";
import { TrainerCore } from "../trainer.ts";
import {
  FINE_TUNE_OPTIONS,
  type FineTuned,
  type FineTuneOptions,
  TRAINER_OPTIONS,
  type TuningMetrics,
  weightsOf,
} from "./fine_tune_options.ts";
import { type LoraModel, withLora } from "./lora.ts";
import { elementEnergiesOf } from "./tuned_energies.ts";
import { batchesPerStep, dataOf, splitFrames, validationOf } from "./tuning_data.ts";
import { writeTuned } from "./tuned_files.ts";

/**
 * Fine-tunes a potential on frames with energies, forces and stresses. It runs a `Trainer` with suitable data, loss
 * and metrics. The cutoff, the elements and the names of tensors come from the model's manifest. If the model has a
 * reference, it is compared with the reference first, so that nothing is trained with a wrong manifest.
 *
 * The energies of elements are fitted once, before training, and stay fixed while parameters are trained. They are
 * written into the manifest of the tuned model, which therefore reproduces the energies of the data. Frames may lack
 * energies, forces or stresses; missing targets have no weight.
 *
 * @throws {TypeError} if an option is unknown or of the wrong type; also the errors of `Trainer`, `atomsData` and
 * `withLora`
 * @throws {RangeError} if the value of an option is invalid, if the manifest is incomplete, or if the graph has
 * inputs that training data lack; also the errors of `Trainer`, `atomsData` and `withLora`
 * @throws {ModelMismatchError} if the meaning of an input is unknown, or if the results differ from those of the
 * reference
 * @throws {Error} if a step fails (the error of the step), or if a file cannot be written
 *
 * @example Fine-tune the constant of a spring
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { adam, fineTune } from "@hooke/hooke/training";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const g = new GraphBuilder("springs"); // E = k Σ x²
 * const x = g.input("positions", "f32", ["N", 3]), k = g.parameter("k", [0.5], [1]);
 * const systems = g.input("batch_idx", "i64", ["N"]), zeros = g.input("energy0", "f32", ["B"]);
 * const perAtom = g.reduceSum(g.mul(g.mul(x, x), k), [1]);
 * g.output("energy", g.scatterAdd(zeros, systems, perAtom), ["B"]);
 * const frames = [1, 2, 3, 4].map((r) => ({
 *   symbols: ["Ar"],
 *   positions: [[r, 0, 0]],
 *   energy: r * r - 7, // a free atom has −7 eV
 *   forces: [[-2 * r, 0, 0]],
 * }));
 * const { after, elementEnergies } = await fineTune({
 *   model: g.build(),
 *   manifest: { cutoff: 5 },
 *   train: frames,
 *   valid: frames,
 *   elementEnergies: { Ar: -7 },
 *   optimizers: adam({ lr: 0.05 }),
 *   epochs: 100,
 * });
 * assert(after!["val/forcesMAE"]! < 10); // meV/Å
 * assertEquals(elementEnergies, { Ar: -7 });
 * ```
 */
export async function fineTune(options: FineTuneOptions): Promise<FineTuned> {
  checkOptions("fine-tune a potential", options, FINE_TUNE_OPTIONS);
  const { references = 2 } = options;
  // Without new references, those of an overwritten file would stay beside the new model.
  if (!Number.isSafeInteger(references) || references < 1) {
    const wanted = "references must be a positive integer";
    throw new RangeError(complaint("fine-tune a potential", wanted, references));
  }
  const { train, valid } = splitFrames(options);
  const { derived, device, runtime, verify, signal, threads, threadMemory } = options;
  const opening = {
    ...options.manifest,
    ...(derived && { derived }),
    ...(signal && { signal }),
    ...(runtime !== undefined && { runtime }),
    ...(verify !== undefined && { verify }),
    ...(threads !== undefined && { threads }),
    ...(threadMemory !== undefined && { threadMemory }),
    ...(device === "reference" && { runtime: "evaluator" as const }),
  };
  const tunesStress = weightsOf(options).stress !== 0;
  const potential = await matchedPotential(options.model, opening, tunesStress);
  checkShards(potential, options.group);
  const elementEnergies = await elementEnergiesOf(potential, train, options);
  const lora = options.lora && withLora(potential.model, {
    ...(options.freeze !== undefined && { freeze: options.freeze }),
    ...options.lora,
  });
  const trainer = trainerOf(options, {
    potential,
    lora,
    data: dataOf(potential, options, train, elementEnergies),
    validation: valid.length === 0
      ? undefined
      : validationOf(potential, options, valid, elementEnergies),
  });
  try {
    const trained = await trainedBy(trainer, valid.length > 0, options.prepare);
    const bytes = await trainer.export(options.ema === undefined ? "parameters" : "ema");
    const { parameters } = trainer;
    const more = elementEnergies && { atomEnergies: elementEnergies };
    const manifest = { ...potential.manifest, ...more };
    const tuned = potential.export(lora?.merge(bytes) ?? bytes, more);
    if (options.out !== undefined) {
      const frames = (valid.length > 0 ? valid : train).slice(0, references);
      const said = { manifest, derived, frames, hasStress: tunesStress };
      await writeTuned(options.out, tuned, said);
    }
    return { model: tuned, manifest, elementEnergies, parameters, ...trained };
  } finally {
    await trainer.close();
  }
}

/** Throws a RangeError if batches are to be divided, but the graph takes one system at a time. */
function checkShards({ isSingle, name }: TrainablePotential, group: FineTuneOptions["group"]) {
  const { shards = 1 } = group ?? {};
  if (!isSingle || shards === 1) return;
  throw new RangeError(
    `Cannot fine-tune a potential: shards must be 1, because ${name} takes one system at a time, so that its ` +
      `batches cannot be divided; got ${shards}. Export it for batches of systems`,
  );
}

/** Trains the model, and validates it before and after training if there are validation data. */
async function trainedBy(
  trainer: TrainerCore,
  validates: boolean,
  prepare: FineTuneOptions["prepare"],
): Promise<Pick<FineTuned, "before" | "after" | "epochs" | "outcome">> {
  const epochs: { epoch: number; metrics: TuningMetrics }[] = [];
  trainer.hooks.add({
    name: "epochs of fineTune",
    onEpochEnd: ({ epoch, metrics }: { epoch: number; metrics: TuningMetrics }) => {
      epochs.push({ epoch, metrics: { ...metrics } });
    },
  });
  const before = validates ? await trainer.validate() : undefined;
  await prepare?.(trainer);
  const outcome = await trainer.train();
  const after = validates ? await trainer.validate() : undefined;
  return { before, after, epochs, outcome };
}

/** Arguments of the trainer in addition to the options. */
interface Parts {
  readonly potential: TrainablePotential;
  readonly lora: LoraModel | undefined;
  readonly data: DataSource;
  readonly validation: DataSource | undefined;
}

function trainerOf(
  options: FineTuneOptions,
  { potential, lora, data, validation }: Parts,
): TrainerCore {
  const { stressUnit = "meV/Å³", parameters, optimizers = adam({ lr: 1e-4 }), hooks = [] } =
    options;
  const { verifyHooks: verify } = options;
  const { energy, forces, stress } = weightsOf(options);
  const given = TRAINER_OPTIONS.filter((name) => options[name] !== undefined);
  const trained = lora === undefined
    ? parameters
    : [...lora.parameters, ...[parameters ?? []].flat()];
  return new TrainerCore({
    ...Object.fromEntries(given.map((name) => [name, options[name]])),
    ...(verify !== undefined && { verify }),
    model: lora?.model ?? potential.model,
    accumulate: batchesPerStep(potential, options),
    loss: energyForces({ energy, forces, stress, perAtom: true, weighted: true, potential }),
    metrics: potentialErrors({
      energy: energy !== 0,
      forces: forces !== 0,
      stress: stress !== 0 && stressUnit,
      weighted: true,
      potential,
    }),
    optimizers,
    data,
    hooks,
    ...(options.ema !== undefined && { ema: { validate: true, ...options.ema } }),
    ...(validation !== undefined && { validation }),
    ...(trained !== undefined && { parameters: trained }),
  });
}
