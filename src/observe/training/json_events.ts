/**
 * Content of the lines of a JSON log.
 *
 * @module
 */

import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { TrainingBase } from "../../training/stages.ts";

/** Returns the facts of a run: model, device, hooks, parameters and optimizers. */
export function factsOf(
  { state, trainer, workflow, optimizers }: TrainingBase,
): Record<string, unknown> {
  const { model, device, modelParams: model_params, currentEpoch } = state;
  return {
    model,
    device,
    model_params,
    epoch: currentEpoch + 1,
    hooks: workflow.hooks.list().map(({ name, enabled, stages, frequency }) => ({
      name,
      enabled,
      stages,
      frequency,
    })),
    parameters: trainer.parameters.map(({ name, dims, size, optimizer }) => ({
      name,
      dims,
      size,
      optimizer,
    })),
    optimizers: optimizers.map(({ name, groups }) => ({
      name,
      groups: groups.map(({ lr, weightDecay, momentum }) => ({ lr, weightDecay, momentum })),
    })),
  };
}

/** Renames metrics: `"train/loss"` becomes `loss`, `"val/loss"` becomes `val_loss`. */
export function flat(metrics: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [
      name.replace(/^train\//, "").replace(/^val\//, "val_"),
      value,
    ]),
  );
}

/** Returns the status of a finished run as the log has it: `"error"` for a failed run. */
export function statusOf({ status }: Outcome): "completed" | "stopped" | "error" {
  return status === "failed" ? "error" : status;
}
