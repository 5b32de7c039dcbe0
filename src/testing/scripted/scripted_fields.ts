/**
 * Fields that hooks read and write in a scripted trainer.
 *
 * @module
 */

import type { StateSource } from "../../hooks/run/reads.ts";
import { fits, parseGlob } from "../../onnx/taps/glob.ts";
import type { Activation, ActivationStatistics, TrainerState } from "../../training/context.ts";

/** State of a trainer with writable members. */
export type ScriptedState = { -readonly [K in keyof TrainerState]: TrainerState[K] };

/** State of the trainer at one moment. */
export interface ScriptedMoment {
  readonly loss: number;
  readonly gradNorm: number;
  readonly lr: number;
  readonly optimizers: unknown;
  readonly parameters: ReadonlyMap<string, Float32Array>;
  readonly gradients: ReadonlyMap<string, Float32Array>;
  readonly activations: ReadonlyMap<string, Activation>;
}

const PLAIN = ["loss", "gradNorm", "lr", "optimizers"] as const;
const NAMED = ["parameters", "gradients", "optimizerState"] as const;
const PATTERN = /^(parameters|gradients|optimizerState|activations|statistics):(.+)$/;

/**
 * Returns the fields of a scripted trainer. They are those of a `Trainer`, in host memory. Its optimizers have no
 * state.
 */
export function scriptedFields(moment: ScriptedMoment): StateSource {
  const value = (field: string): unknown => {
    const plain = PLAIN.find((name) => name === field);
    if (plain !== undefined) return moment[plain];
    const [, kind = field, pattern = "*"] = PATTERN.exec(field) ?? [];
    const glob = parseGlob(pattern);
    const found = new Map(
      [...namedOf(moment, kind)].filter(([name]) => fits(glob, name)),
    );
    if (found.size > 0 || pattern === "*") return found;
    throw new RangeError(
      `Cannot read ${field}: no name matches its pattern. The names are ${
        [...namedOf(moment, kind).keys()].join(", ") || "none"
      }`,
    );
  };
  return {
    fields: [...PLAIN, ...NAMED],
    has: (field) => PATTERN.test(field),
    plan: () => ({ live: true, value }),
    writable: value,
  };
}

function namedOf(moment: ScriptedMoment, kind: string): ReadonlyMap<string, unknown> {
  switch (kind) {
    case "parameters":
      return moment.parameters;
    case "gradients":
      return moment.gradients;
    case "activations":
      return moment.activations;
    case "statistics":
      return new Map(
        [...moment.activations].map(([name, tensor]) => [name, statisticsOf(tensor)]),
      );
    default:
      return new Map();
  }
}

function statisticsOf({ data }: Activation): ActivationStatistics {
  const numbers = [...data], n = numbers.length;
  const mean = numbers.reduce((sum, x) => sum + x, 0) / n;
  const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n;
  return {
    mean,
    std: Math.sqrt(variance),
    min: Math.min(...numbers),
    max: Math.max(...numbers),
  };
}
