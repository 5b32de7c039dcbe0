/**
 * Options of `fineTune` from the settings of a training.
 *
 * @module
 */

import type { BatchInput } from "../../batch/batch.ts";
import { adam } from "../../training/optimizers/named.ts";
import type { FineTuneOptions } from "../../training/tuning/fine_tune_options.ts";
import type { Structure } from "../run/structures.ts";
import type { TrainSettings } from "./settings.ts";

/** Returns the options of `fineTune`, without the model. `valid` are frames, or a share of `structures`. */
export function tuneOptions(
  settings: TrainSettings,
  { structures, valid }: {
    readonly structures: readonly Structure[];
    readonly valid: readonly Structure[] | number;
  },
): Omit<FineTuneOptions, "model"> {
  const { energyKey, forcesKey, stressKey, virialKey, stressWeight, device, runtime, threads } =
    settings;
  return {
    train: systemsOf(structures),
    valid: typeof valid === "number" ? valid : systemsOf(valid),
    energy: energyKey,
    forces: forcesKey,
    ...stressWeight > 0 &&
      { stress: stressKey, ...virialKey !== undefined && { virial: virialKey } },
    weights: { energy: settings.energyWeight, forces: settings.forcesWeight, stress: stressWeight },
    elementEnergies: settings.elementEnergies,
    manifest: settings.modelOptions,
    batchSize: settings.batchSize,
    epochs: settings.epochs,
    optimizers: adam({ lr: settings.lr }),
    seed: settings.seed,
    runtime,
    threads,
    ...device !== undefined && { device },
    ...settings.ema && { ema: { decay: settings.emaDecay } },
    ...settings.clipGrad > 0 && { clip: { norm: settings.clipGrad } },
    ...settings.loraRank !== undefined && { lora: { rank: settings.loraRank } },
    ...settings.freeze.length > 0 && { freeze: [...settings.freeze] },
  };
}

function systemsOf(structures: readonly Structure[]): BatchInput {
  return structures.map(({ system }) => system);
}
