/**
 * Sources of batches.
 *
 * @module
 */

export { atomsData } from "./atoms_data.ts";
export type { AtomsManifest } from "./atoms_inputs.ts";
export type { AtomsDataOptions, AtomsName, AtomsReplay, AtomsTarget } from "./atoms_options.ts";
export type { AtomsLoaderOptions } from "./atoms_loader.ts";
export { atomsLoader } from "./atoms_loader.ts";
export type { BatchesOfOptions, BatchLike } from "./batches_of.ts";
export { batchesOf } from "./batches_of.ts";
export type { BatchingOptions } from "./batch_plan.ts";
export type { DataLoaderOptions, Dataset, IndexedDataset } from "./data_loader.ts";
export { dataLoader } from "./data_loader.ts";
export type { DataSource, TrainingBatch, TrainingFeeds } from "./data_source.ts";
export type { BatchesLike, InterleaveOptions } from "./interleave.ts";
export { interleave } from "./interleave.ts";
export type { NamedBatch, NamedData, NamedSource } from "./named_data.ts";
export { splitBatch } from "./split_batch.ts";
export { splitDataset } from "./split_dataset.ts";
export type { Sample, SampleValue } from "./stack_samples.ts";
export { stackSamples } from "./stack_samples.ts";
export { tensorData } from "./tensor_data.ts";
export type { NormalNumbersOptions } from "./normal_numbers.ts";
export { normalNumbers } from "./normal_numbers.ts";
