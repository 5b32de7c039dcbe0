/**
 * Fine-tuning of potentials.
 *
 * @module
 */

export type { ElementEnergiesOptions } from "./element_energies.ts";
export { fitElementEnergies } from "./element_energies.ts";
export type { LoraModel, LoraOptions } from "./lora.ts";
export { withLora } from "./lora.ts";
export { fineTune } from "./fine_tune.ts";
export type {
  FineTuned,
  FineTuneOptions,
  FineTuneWeights,
  TuningMetrics,
} from "./fine_tune_options.ts";
