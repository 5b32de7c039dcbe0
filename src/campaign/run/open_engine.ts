/**
 * Engines of the stages of recipes.
 *
 * @module
 */

import { ConvergenceHook } from "../../dynamics/convergence/convergence_hook.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import type { DynamicsOptions } from "../../dynamics/engine/dynamics_options.ts";
import type { Model } from "../../models/model.ts";
import type { FullStage } from "../recipe/stages.ts";

/** A stage with an engine. */
export type EngineStage = Exclude<FullStage, { readonly stage: "singlepoint" }>;

/** The parts of an engine besides its stage. */
export interface EngineParts {
  readonly model: Model;
  /** Makes the hooks of the recipe. */
  readonly hooks: () => Promise<readonly object[]>;
  /** Seed of the engine, which differs from stage to stage. */
  readonly seed: number;
  readonly signal: AbortSignal | undefined;
  readonly onWarning: DynamicsOptions["onWarning"];
}

/**
 * Opens the engine of a stage. Only its code is loaded.
 *
 * @throws {TypeError | RangeError} if an option of the stage is not one of the engine, or is invalid
 */
export async function openEngine(stage: EngineStage, parts: EngineParts): Promise<Dynamics> {
  const { model, signal, onWarning, hooks } = parts;
  const engine = await engineOf(stage, parts, {
    model,
    ...signal && { signal },
    ...onWarning && { onWarning },
  });
  for (const hook of await hooks()) engine.hooks.add(hook as never);
  return engine;
}

async function engineOf(
  stage: EngineStage,
  { seed }: EngineParts,
  shared: DynamicsOptions,
): Promise<Dynamics> {
  if (stage.stage === "relax") {
    const hooks = [ConvergenceHook.fromFmax(stage.fmax)];
    return await openOptimizer(stage.optimizer, { ...stage.options, ...shared, hooks });
  }
  const { integrator, options, temperature } = stage;
  // The constructor checks the options, which are plain data of unknown types.
  const given = { ...options, ...shared } as never;
  const warm = { temperature, ...options, ...shared } as never;
  const noisy = { seed, temperature, ...options, ...shared } as never;
  switch (integrator) {
    case "nve":
      return new (await import("../../dynamics/integrators/nve.ts")).NVE(given);
    case "langevin":
      return new (await import("../../dynamics/integrators/nvt_langevin.ts")).NVTLangevin(noisy);
    case "bussi":
      return new (await import("../../dynamics/integrators/nvt_bussi.ts")).NVTBussi(noisy);
    case "nose-hoover":
      return new (await import("../../dynamics/integrators/nvt_nose_hoover.ts")).NVTNoseHoover(
        warm,
      );
    case "npt":
      return new (await import("../../dynamics/integrators/npt.ts")).NPT(warm);
    case "nph":
      return new (await import("../../dynamics/integrators/nph.ts")).NPH(given);
  }
}

async function openOptimizer(
  optimizer: "lbfgs" | "fire" | "fire2",
  options: DynamicsOptions,
): Promise<Dynamics> {
  switch (optimizer) {
    case "lbfgs":
      return new (await import("../../dynamics/relaxers/lbfgs.ts")).LBFGS(options);
    case "fire":
      return new (await import("../../dynamics/relaxers/fire.ts")).FIRE(
        { dt: 0.1, ...options } as never,
      );
    case "fire2":
      return new (await import("../../dynamics/relaxers/fire2.ts")).FIRE2(
        { dt: 0.1, ...options } as never,
      );
  }
}
