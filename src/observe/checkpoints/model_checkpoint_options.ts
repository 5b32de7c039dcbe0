/**
 * Options of {@linkcode ModelCheckpoint}, and their checks.
 *
 * @module
 */

import { wholeFrom } from "../../base/check_number.ts";
import { checkTemplate } from "./checkpoint_name.ts";
import { checkNumber, checkRequired, checkType, isFlag, isOneOf } from "../any/hook_options.ts";
import { checkMonitor, type MonitorOptions } from "../training/monitored.ts";
import { checkTraining, type HookName, isPath, isText } from "../training/training_options.ts";

/**
 * Content of a checkpoint: `"checkpoint"` is everything needed to resume, `"onnx"` the model alone as an .onnx file,
 * `"both"` one file of each.
 */
export type CheckpointWeights = "checkpoint" | "onnx" | "both";

/** Options of `ModelCheckpoint`. */
export interface ModelCheckpointOptions extends MonitorOptions, HookName {
  /** Folder for the checkpoints. It is created if it does not exist. */
  readonly dir: string | URL;
  /**
   * Number of best checkpoints to keep. −1 keeps all checkpoints, 0 keeps no checkpoint.
   *
   * @default 3
   */
  readonly saveTopK?: number;
  /**
   * Keeps the latest checkpoint as last.hooke, too.
   *
   * @default true
   */
  readonly saveLast?: boolean;
  /**
   * Checks the metric at the end of each epoch, instead of after each validation.
   *
   * @default false
   */
  readonly saveOnTrainEpochEnd?: boolean;
  /**
   * Template of the file names, without extension. Names in braces are metrics, `epoch` (from 0) or `step`; `:.2f`
   * gives two decimals, `:03d` three digits, `:.1e` scientific notation.
   *
   * @default "epoch_{epoch}_loss_{val/loss:.2f}"
   */
  readonly filename?: string;
  /**
   * Writes the name of each value before it in file names, as in `epoch=3`.
   *
   * @default false
   */
  readonly autoInsertMetricName?: boolean;
  /**
   * Number of epochs between two checks.
   *
   * @default 1
   */
  readonly everyNEpochs?: number;
  /**
   * Content of the files.
   *
   * @default "checkpoint"
   */
  readonly weights?: CheckpointWeights;
}

const NAME = "ModelCheckpoint";
const OPTIONS = [
  "dir",
  "saveTopK",
  "monitor",
  "mode",
  "saveLast",
  "saveOnTrainEpochEnd",
  "filename",
  "autoInsertMetricName",
  "everyNEpochs",
  "weights",
  "name",
];

/** Throws a TypeError, RangeError or SyntaxError if an option is not valid; the message names the option. */
export function checkModelCheckpoint(options: ModelCheckpointOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkRequired(NAME, options, "dir", "the folder for the checkpoints");
  checkType(NAME, options, "dir", "a path", isPath);
  checkMonitor(NAME, options);
  checkNumber(NAME, options, "saveTopK", {
    requirement: "−1, 0 or a positive integer",
    holds: (x) => Number.isSafeInteger(x) && x >= -1,
  });
  for (const member of ["saveLast", "saveOnTrainEpochEnd", "autoInsertMetricName"]) {
    checkType(NAME, options, member, "true or false", isFlag);
  }
  checkNumber(NAME, options, "everyNEpochs", wholeFrom(1));
  checkType(NAME, options, "filename", "a template", isText);
  if (options.filename !== undefined) checkTemplate(options.filename);
  const isWeights = isOneOf("checkpoint", "onnx", "both");
  checkType(NAME, options, "weights", '"checkpoint", "onnx" or "both"', isWeights);
}
