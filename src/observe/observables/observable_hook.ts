import { DynamicsStage } from "../../dynamics/stages.ts";
import type { SavedSystems } from "./observed_systems.ts";

/** Statistics of all systems that a hook has sampled. */
export interface SystemStatistics {
  /** Removes all statistics. */
  clear(): void;
  /** Returns the state for a checkpoint as plain data. */
  save(): SavedSystems;
  /** Restores a state that `save` returned. Throws a TypeError for any other value. */
  load(state: unknown): void;
}

/**
 * Base class of hooks that gather statistics of each system. Subclass it for a custom observable.
 *
 * @example
 * ```ts
 * import { DynamicsStage } from "@hooke/hooke/dynamics";
 * import { ObservableHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * let hottest = 0;
 * const statistics = {
 *   clear: () => void (hottest = 0),
 *   save: () => ({ systems: [{ id: 0, hottest }] }),
 *   load: () => {},
 * };
 * const hook = new ObservableHook(statistics);
 * hottest = 300;
 * assertEquals(hook.stage, DynamicsStage.AFTER_STEP);
 * hook.reset();
 * assertEquals(hook.save(), { systems: [{ id: 0, hottest: 0 }] });
 * ```
 */
export class ObservableHook {
  /** Stage at which samples are taken. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  readonly #statistics: SystemStatistics;

  /** Creates the hook. */
  constructor(statistics: SystemStatistics) {
    this.#statistics = statistics;
  }

  /**
   * Removes all statistics. Call it before a run with other systems, because statistics of systems with the same
   * `systemId` are merged.
   */
  reset(): void {
    this.#statistics.clear();
  }

  /** Returns the statistics for a checkpoint as plain data. Called by the engine. */
  save(): SavedSystems {
    return this.#statistics.save();
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the engine. */
  load(state: unknown): void {
    this.#statistics.load(state);
  }
}
