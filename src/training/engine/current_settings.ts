/**
 * The settings that are in force now.
 *
 * @module
 */

import type { TrainerSettings } from "../context.ts";
import { type MergedSettings, mergeSettings } from "./merged_settings.ts";
import type { StepHost } from "./step_host.ts";

/** The current settings of a trainer and its hooks. They are merged again after a change of the hooks. */
export class CurrentSettings {
  readonly #options: TrainerSettings;
  readonly #host: Pick<StepHost, "loop" | "model">;
  readonly #rebuilt: () => void;
  #merged: MergedSettings | undefined;

  /** `rebuilt` is called after the graphs were rebuilt. */
  constructor(
    options: TrainerSettings,
    host: Pick<StepHost, "loop" | "model">,
    rebuilt: () => void,
  ) {
    this.#options = options;
    this.#host = host;
    this.#rebuilt = rebuilt;
  }

  /** Forgets them, because the hooks have changed. */
  forget(): void {
    this.#merged = undefined;
  }

  /** Returns the settings; rebuilds the graphs if hooks ask for other terms, patches or points than before. */
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
