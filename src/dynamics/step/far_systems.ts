/**
 * Systems far from the origin, whose positions may be stored relative to an origin near the system.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import { systemName } from "../../batch/store.ts";
import { TOO_FAR } from "../../batch/resident/origins.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import type { RunEngine } from "./run_engine.ts";
import type { WithKernels } from "./step_parts.ts";

/** Returns whether no work in a step depends on the absolute positions of a system. */
export function mayHaveOrigins({ model, loop }: Pick<RunEngine, "model" | "loop">): boolean {
  return model.isInvariant === true && placedHook(loop) === undefined;
}

/**
 * Throws an Error if systems have origins and a hook that needs absolute positions was added. Its kernels would
 * compute wrong results.
 */
export function assertOrigins(
  { origins }: ResidentBatch,
  engine: Pick<RunEngine, "model" | "loop">,
): void {
  if (origins.values === undefined || mayHaveOrigins(engine)) return;
  throw new Error(
    `Hook ${
      placedHook(engine.loop)
    } cannot be added during a run of systems far from the origin, because its kernels need ` +
      `absolute positions. Add it before the run, or move the systems nearer to the origin`,
  );
}

/**
 * Returns the name of the first hook that needs absolute positions on the backend, or `undefined`. It writes
 * positions, or has kernels that may read them.
 */
function placedHook({ hooks }: Loop<DynamicsKind>): string | undefined {
  const isPlaced = (hook: object) => {
    const { writes = [], kernels, isInvariant } = hook as Partial<WithKernels>;
    return isInvariant !== true &&
      (kernels !== undefined || writes.some((key) => fieldName(key as string) === "positions"));
  };
  const found = hooks.enabled().find(isPlaced) as { readonly name?: string } | undefined;
  return found && (found.name ?? found.constructor.name);
}

/**
 * Returns the warning for positions that are too far for float32 from the origin, or from the origin of their system.
 * Returns `undefined` if all positions are near enough.
 */
export function farWarning(
  { batch, backend, origins }: ResidentBatch,
  { model, loop }: Pick<RunEngine, "model" | "loop">,
  positions: NumericArray,
): Error | undefined {
  if (backend.real === "f64") return undefined;
  const at = origins.relative(positions).findIndex((x: number) => Math.abs(x) > TOO_FAR);
  if (at === -1) return undefined;
  const atom = Math.floor(at / 3), system = batch.systemOfNode[atom]!;
  const where = `of atom ${atom - batch.nodeOffsets[system]!} of system ${
    systemName(batch.infos, system)
  }`;
  if (origins.isKept) {
    return new Error(
      `The position ${where} is more than ${TOO_FAR} Å from its first position in this run, and float32 is inexact so far away. ` +
        `Wrap the batch (wrapPositions), or continue with a copy of it (batch.clone())`,
    );
  }
  const why = model.isInvariant === true ? `hook ${placedHook(loop)}` : model.name;
  return new Error(
    `The position ${where} is more than ${TOO_FAR} Å from the origin, so far that float32 is inexact, and ${why} needs ` +
      `absolute positions. Move the system nearer, wrap the batch (wrapPositions), or use device: "reference"`,
  );
}
