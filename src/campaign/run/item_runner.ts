/**
 * Runs the recipe of a campaign for items.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { HookWarning } from "../../hooks/protocol/outcome.ts";
import type { CampaignItem } from "../item/item.ts";
import { structureOf, structureText } from "../item/structure_text.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import type { ItemResult, StageResult } from "../store/result.ts";
import { type CampaignModel, openModel } from "./open_model.ts";
import { type HookPermissions, openHooks } from "./recipe_hooks.ts";
import { StageRunner } from "./stage_runner.ts";
import { withoutProgress } from "./stage_input.ts";

/** Options of {@linkcode openItemRunner}. */
export interface ItemRunnerOptions extends HookPermissions {
  /** Largest number of atoms in a batch. It has no effect on results. @default 8192 */
  readonly batchAtoms?: number;
  /** Signal that ends a run after the current step. */
  readonly signal?: AbortSignal;
  /** Receives warnings of engines. @default ignores them */
  readonly onWarning?: (warning: HookWarning) => void;
}

/** An item on its way through the stages. */
interface Progress {
  readonly item: CampaignItem;
  system: System | undefined;
  readonly stages: StageResult[];
  reason: string | undefined;
}

/** Runs the recipe of a campaign. Its model and engines stay open from run to run. */
export class ItemRunner implements AsyncDisposable {
  readonly #recipe: CheckedRecipe;
  readonly #model: CampaignModel;
  readonly #stages: readonly StageRunner[];

  /** Not part of the public API: use {@linkcode openItemRunner}. */
  constructor(recipe: CheckedRecipe, model: CampaignModel, stages: readonly StageRunner[]) {
    this.#recipe = recipe;
    this.#model = model;
    this.#stages = stages;
  }

  /**
   * Runs items in batches, all stages one after another. Calls `ended` with the result of each as soon as it is known.
   * The bytes of a result do not depend on the other items, nor on their order.
   *
   * A structure that the model does not know, or that diverges, has the status `"failed"`. It does not affect others.
   *
   * @returns true if all items have ended; false if the signal was aborted before
   */
  async run(
    items: readonly CampaignItem[],
    ended: (result: ItemResult) => void,
  ): Promise<boolean> {
    let active = items.map((item): Progress => ({
      item,
      system: undefined,
      stages: [],
      reason: undefined,
    }));
    for (const one of active) one.system = structureOf(one.item.input);
    for (const [i, stage] of this.#stages.entries()) {
      const isLast = i === this.#stages.length - 1, running = active;
      const travelers = running.map(({ item, system }) => ({
        noise: item.noise,
        system: system!,
      }));
      const isDone = await stage.run(travelers, (at, outcome) => {
        const one = running[at]!;
        if ("reason" in outcome) one.reason = outcome.reason;
        else {
          one.system = outcome.system;
          one.stages.push(outcome.result);
        }
        if (isLast || one.reason !== undefined) ended(this.#resultOf(one));
      });
      if (!isDone) return false;
      active = active.filter(({ reason }) => reason === undefined);
    }
    return true;
  }

  #resultOf({ item: { id }, system, stages, reason }: Progress): ItemResult {
    if (reason !== undefined) return { id, status: "failed", reason, energy: NaN, stages };
    const hasConverged = stages.every(({ converged }) => converged !== false);
    return {
      id,
      status: hasConverged ? "done" : "not converged",
      energy: stages.at(-1)!.energy,
      stages,
      structure: structureText(this.#finalOf(system!)),
    };
  }

  /** Returns the final structure with the energy, and with the fields that the recipe wants. */
  #finalOf(system: System): System {
    return withoutProgress(system, this.#recipe.outputs.includes("velocities"), [
      "energy",
      ...this.#recipe.outputs,
    ]);
  }

  /** Closes engines and the model. */
  async close(): Promise<void> {
    for (const stage of this.#stages) await stage.close();
    await this.#model[Symbol.asyncDispose]();
  }

  /** Closes the runner as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens the model and the hooks of a recipe.
 *
 * @throws {Error} if the file of the model or of a hook has another hash than the recipe states
 * @throws {TypeError} if the recipe has modules that the options do not allow, or an unknown option of an engine
 * @throws {RangeError} if a hook is not known, or an option of a stage is invalid
 */
export async function openItemRunner(
  recipe: CheckedRecipe,
  options: ItemRunnerOptions = {},
): Promise<ItemRunner> {
  const { batchAtoms = 8192, signal, onWarning = () => {} } = options;
  const hooksOf = await openHooks(recipe, options);
  const model = await openModel(recipe);
  const isAlone = "onnx" in recipe.model || recipe.hooks.length > 0;
  const stages = recipe.stages.map((stage, i) =>
    new StageRunner(stage, i, {
      model: model.model,
      hooks: hooksOf,
      signal,
      onWarning,
      batchAtoms,
      isAlone,
      hasStress: recipe.outputs.includes("stress"),
    })
  );
  const runner = new ItemRunner(recipe, model, stages);
  try {
    for (const stage of stages) await stage.open();
  } catch (error) {
    await runner.close();
    throw error;
  }
  return runner;
}
