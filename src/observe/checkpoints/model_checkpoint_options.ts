/**
 * What a keeper of checkpoints is told.
 *
 * @module
 */

import { wholeFrom } from "../../base/check_number.ts";
import { checkTemplate } from "./checkpoint_name.ts";
import { checkGiven, checkNumber, checkType, isFlag, isOneOf } from "../any/hook_options.ts";
import { checkMonitor, type MonitorOptions } from "../training/monitored.ts";
import { checkTraining, type HookName, isPlace, isText } from "../training/training_options.ts";

/** What a checkpoint holds: all that training needs to go on, the model alone as an .onnx file, or one file of each. */
export type CheckpointWeights = "checkpoint" | "onnx" | "both";

/** What a `ModelCheckpoint` is told. */
export interface ModelCheckpointOptions extends MonitorOptions, HookName {
  /** The folder of its files, which is made where it is not there. */
  readonly dir: string | URL;
  /**
   * So many of the best are kept; −1: all; 0: none.
   *
   * @default 3
   */
  readonly saveTopK?: number;
  /**
   * Whether the latest one is always there as well, as last.hooke.
   *
   * @default true
   */
  readonly saveLast?: boolean;
  /**
   * Whether it looks at the end of each epoch, rather than after each validation.
   *
   * @default false
   */
  readonly saveOnTrainEpochEnd?: boolean;
  /**
   * What files are called, without their ending. Names in braces are metrics, `epoch` (from 0) or `step`; `:.2f` gives
   * two digits behind the point, `:03d` three digits, `:.1e` a power of ten.
   *
   * @default "epoch_{epoch}_loss_{val/loss:.2f}"
   */
  readonly filename?: string;
  /**
   * Whether values stand behind their names: `epoch=3`.
   *
   * @default false
   */
  readonly autoInsertMetricName?: boolean;
  /**
   * It looks in every so many epochs.
   *
   * @default 1
   */
  readonly everyNEpochs?: number;
  /**
   * What is written.
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

/** Throws a TypeError, RangeError or SyntaxError that names the option that is wrong. */
export function checkModelCheckpoint(options: ModelCheckpointOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkGiven(NAME, options, "dir", "the folder of its files");
  checkType(NAME, options, "dir", "a path", isPlace);
  checkMonitor(NAME, options);
  checkNumber(NAME, options, "saveTopK", {
    requirement: "−1 or a whole number from 0 on",
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
