/**
 * Energies, forces and stresses of a batch without an engine.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import { evaluateModel } from "../../models/evaluate.ts";
import type { Model } from "../../models/model.ts";

/**
 * Evaluates a model, and sets energies, forces and, if the model has them and a system is periodic, stresses of a
 * batch. The stress of a system without a volume is 0. Returns the first system with a value that is not finite.
 */
export async function evaluateBatch(
  batch: Batch,
  model: Model,
  backend: Backend,
): Promise<number | undefined> {
  const wanted = { energy: true, stress: model.gives.includes("stress") };
  const { energy, forces, virial, diverged } = await evaluateModel(model, batch, backend, {
    wanted,
  });
  batch.set("energy", energy);
  batch.set("forces", forces);
  if (!wanted.stress || !batch.get("pbc").includes(1)) return diverged;
  const volumes = energy.map((_, i) => volumeOf(batch.get("cell"), 9 * i));
  batch.set(
    "stress",
    virial.map((x, i) => {
      const volume = volumes[Math.floor(i / 9)]!;
      return volume > 0 ? -x / volume : 0;
    }),
  );
  return diverged;
}

function volumeOf(h: ArrayLike<number>, at: number): number {
  const x = (i: number) => h[at + i]!;
  return Math.abs(
    x(0) * (x(4) * x(8) - x(5) * x(7)) - x(1) * (x(3) * x(8) - x(5) * x(6)) +
      x(2) * (x(3) * x(7) - x(4) * x(6)),
  );
}
