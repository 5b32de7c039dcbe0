/**
 * Evaluation of models on structures.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import { Batch } from "../batch/batch.ts";
import { evaluateModel, type EvaluateOptions } from "../models/evaluate.ts";
import type { Model } from "../models/model.ts";
import { claim } from "./claims.ts";
import { type Structure, systemFrom } from "./structure.ts";

/** Options of {@linkcode evaluate}. */
export type EvaluationRequest = EvaluateOptions;

/** Results of a model for one structure. */
export interface Evaluation {
  /** Energy, eV. */
  readonly energy: number;
  /** Forces, eV/Å, three numbers per atom. */
  readonly forces: readonly number[];
  /** Virial, eV, nine numbers. */
  readonly virial: readonly number[];
}

/**
 * Evaluates a model on structures as one batch, as an engine does. Throws an Error if a position, cell or force is
 * not finite.
 */
export async function evaluate(
  model: Model,
  structures: readonly Structure[],
  backend: Backend,
  asked: EvaluationRequest = {},
): Promise<Evaluation[]> {
  const batch = Batch.from(structures.map(systemFrom));
  const { energy, forces, virial, diverged } = await evaluateModel(model, batch, backend, asked);
  claim(
    diverged === undefined,
    () => `System ${diverged} has a non-finite position, cell or force`,
  );
  return structures.map((_, s) => ({
    energy: energy[s]!,
    forces: forces.slice(3 * batch.nodeOffsets[s]!, 3 * batch.nodeOffsets[s + 1]!),
    virial: virial.slice(9 * s, 9 * s + 9),
  }));
}
