/**
 * Training of any ONNX graph: the trainer, its stages, losses, metrics, optimizers, schedules and data.
 *
 * @module
 */

export * from "../../training/mod.ts";
export { Trainer } from "./trainer.ts";
export type {
  CheckpointingOptions,
  ConsoleLoggingOptions,
  HooksConfigOption,
  JsonLoggingOptions,
} from "./trainer_hooks.ts";
