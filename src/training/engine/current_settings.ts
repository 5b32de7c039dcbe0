/**
 * The settings that apply to the current step.
 *
 * @module
 */

import type { TrainerSettings } from "../context.ts";
import { type MergedSettings, mergeSettings } from "./merged_settings.ts";
import type { StepHost } from "./step_host.ts";

/** The settings of a trainer, merged with those of its hooks. They are merged again after each change of the hooks. */
export class CurrentSettings {
  readonly #options: TrainerSettings;
  readonly #host: Pick<StepHost, "loop" | "model">;
  readonly #rebuilt: () => void;
  #merged: MergedSettings | undefined;

  /** Creates the settings. `rebuilt` is called after the graphs were rebuilt. */
  constructor(
    options: TrainerSettings,
    host: Pick<StepHost, "loop" | "model">,
    rebuilt: () => void,
  ) {
    this.#options = options;
    this.#host = host;
    this.#rebuilt = rebuilt;
  }

  /** Discards the merged settings, because the hooks have changed. */
  forget(): void {
    this.#merged = undefined;
  }

  /**
   * Returns the settings of the current step. Rebuilds the graphs if the hooks request other terms, patches or points
   * than before. Averages begin with the parameters when they are first requested.
   */
  async get(): Promise<MergedSettings> {
    if (this.#merged === undefined) {
      const { model, loop } = this.#host;
      const settings = mergeSettings(this.#options, loop.hooks.enabled());
      if (await model.follow(settings)) this.#rebuilt();
      if (settings.ema !== undefined && !model.arena.has("ema")) {
        model.updates.copy("parameters", "ema");
      }
      this.#merged = settings;
    }
    return this.#merged;
  }
}
