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
import type { SavedItem, SavedRun, SavedStage } from "./saved_run.ts";
import { type StageOutcome, StageRunner } from "./stage_runner.ts";
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
  /** Structure with which the current stage has begun. */
  before: System;
  /** Structure with which it has ended. */
  after: System | undefined;
  readonly stages: StageResult[];
  reason: string | undefined;
}

/** Runs the recipe of a campaign. Its model and engines stay open from run to run. */
export class ItemRunner implements AsyncDisposable {
  readonly #recipe: CheckedRecipe;
  readonly #model: CampaignModel;
  readonly #stages: readonly StageRunner[];
  /** The current stage, and the items that have begun it. */
  #current: { readonly stage: number; readonly running: readonly Progress[] } | undefined;

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
    const begun = items.map((item): Progress => ({
      item,
      before: structureOf(item.input),
      after: undefined,
      stages: [],
      reason: undefined,
    }));
    return await this.#from(0, begun, ended);
  }

  /**
   * Continues a run that `save` has saved, and calls `ended` for the items that had no result then.
   *
   * @throws {TypeError | RangeError} if the state does not fit the recipe
   */
  async resume(saved: SavedRun, ended: (result: ItemResult) => void): Promise<boolean> {
    if (saved.recipe !== this.#recipe.hash) {
      throw new RangeError(
        `Cannot resume the run: it must be one of the recipe ${this.#recipe.hash}; got one of ${saved.recipe}`,
      );
    }
    const begun = saved.items.map(({ item, before, after, stages, reason }): Progress => ({
      item,
      before: structureOf(before),
      after: after === null ? undefined : structureOf(after),
      stages: [...stages],
      reason: reason ?? undefined,
    }));
    return await this.#from(saved.stage, begun, ended, saved.state);
  }

  async #from(
    first: number,
    begun: readonly Progress[],
    ended: (result: ItemResult) => void,
    saved?: SavedStage,
  ): Promise<boolean> {
    let running = begun;
    for (let i = first; i < this.#stages.length; i++) {
      const now = running, isLast = i === this.#stages.length - 1;
      this.#current = { stage: i, running: now };
      const travelers = now.map(({ item, before }) => ({ noise: item.noise, system: before }));
      const end = (at: number, outcome: StageOutcome) => {
        const one = now[at]!;
        if ("reason" in outcome) one.reason = outcome.reason;
        else {
          one.after = outcome.system;
          one.stages.push(outcome.result);
        }
        if (isLast || one.reason !== undefined) ended(this.#resultOf(one));
      };
      const isDone = await this.#stages[i]!.run(travelers, end, i === first ? saved : undefined);
      if (!isDone) return false;
      running = now.filter(({ reason }) => reason === undefined);
      for (const one of running) if (!isLast) [one.before, one.after] = [one.after!, undefined];
    }
    this.#current = undefined;
    return true;
  }

  /**
   * Returns the state of the run as plain data, between two steps, or after it was interrupted: also in the middle of an
   * item. `resume` continues it with the same bytes, on any machine. Returns undefined if nothing runs.
   */
  async save(): Promise<SavedRun | undefined> {
    const current = this.#current;
    if (current === undefined) return undefined;
    let items: SavedItem[] = [];
    const state = await this.#stages[current.stage]!.save(() => {
      items = current.running.map(({ item, before, after, stages, reason }) => ({
        item,
        before: structureText(before),
        after: after === undefined ? null : structureText(after),
        stages: [...stages],
        reason: reason ?? null,
      }));
    });
    return state && { recipe: this.#recipe.hash, stage: current.stage, items, state };
  }

  #resultOf({ item: { id }, after, stages, reason }: Progress): ItemResult {
    if (reason !== undefined) return { id, status: "failed", reason, energy: NaN, stages };
    const hasConverged = stages.every(({ converged }) => converged !== false);
    return {
      id,
      status: hasConverged ? "done" : "not converged",
      energy: stages.at(-1)!.energy,
      stages,
      structure: structureText(this.#finalOf(after!)),
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
 *
 * @example
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { type ItemResult, makeItem, openItemRunner, readRecipe } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "singlepoint" }],
 * });
 * await using runner = await openItemRunner(recipe);
 * const item = await makeItem(fcc({ element: "Ar", a: 5.3 }), recipe);
 * const results: ItemResult[] = [];
 * await runner.run([item], (result) => results.push(result));
 * assertEquals(results.map(({ id, status }) => [id, status]), [[item.id, "done"]]);
 * ```
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
