/**
 * Saved states of runs, from which unfinished items continue.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import type { SavedDynamics } from "../../dynamics/engine/checkpoint.ts";
import type { CampaignItem } from "../item/item.ts";
import type { StageResult } from "../store/result.ts";

/** State of a stage, as plain data. */
export interface SavedStage {
  /** Indices of the structures that have an outcome. */
  readonly done: readonly number[];
  /** Indices of the structures that were streamed. */
  readonly chosen: readonly number[];
  /** State of the engine; null if the structures without an outcome begin the stage again. */
  readonly dynamics: SavedDynamics | null;
}

/** A structure of a saved run. */
export interface SavedItem {
  /** The item. */
  readonly item: CampaignItem;
  /** Text of the structure with which the stage began. */
  readonly before: string;
  /** Text of the structure with which the stage ended; null if it has not ended. */
  readonly after: string | null;
  /** Stages that have ended. */
  readonly stages: readonly StageResult[];
  /** Reason of a failure; null without one. */
  readonly reason: string | null;
}

/** State of a run, as plain data. */
export interface SavedRun {
  /** Hash of the recipe. */
  readonly recipe: string;
  /** Index of the current stage. */
  readonly stage: number;
  /** The structures that have begun the stage. */
  readonly items: readonly SavedItem[];
  /** State of the stage. */
  readonly state: SavedStage;
}

/** Returns whether plain data is a saved run of a recipe. */
export function isSavedRun(data: unknown, recipe: { readonly hash: string }): data is SavedRun {
  return isObject(data) && data.recipe === recipe.hash && Array.isArray(data.items) &&
    Number.isSafeInteger(data.stage) && isObject(data.state);
}
