import type { Batch } from "../../batch/batch.ts";
import type { DynamicsKind } from "../../dynamics/engine/dynamics_options.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import type { HookInput } from "../../hooks/registry/hook_set.ts";
import type { Model } from "../../models/model.ts";

/**
 * Returns a list with a hook by which the engine computes the stress of the last step; an empty list if the model has
 * no stress or no system has a cell.
 */
export function stressHook({ gives }: Model, batch: Batch): HookInput<DynamicsKind>[] {
  if (!gives.includes("stress") || !batch.get("pbc").includes(1)) return [];
  return [{
    name: "stress",
    stage: DynamicsStage.AFTER_STEP,
    frequency: 2 ** 30,
    atEnd: true,
    reads: ["stress"],
    call: () => {},
  }];
}
