/**
 * What is found of the gradients of a step.
 *
 * @module
 */

import type { Histogram, ScalarRow } from "../reporter/scalars.ts";

/** What is to be thought of gradients: `nonFinite` before `exploding` before `vanishing`. */
export type GradientVerdict = "fine" | "vanishing" | "exploding" | "nonFinite";

/** The gradient of one parameter in a few numbers. */
export interface LayerGradient {
  /** The parameter. */
  readonly name: string;
  /** How many numbers. */
  readonly size: number;
  /** The square root of the sum of their squares; only with `norm`. */
  readonly norm?: number;
  /** The mean of their absolute values. */
  readonly meanAbs: number;
  /** The least. */
  readonly min: number;
  /** The most. */
  readonly max: number;
  /** `p10`, `p50`, … of the numbers, with their signs. */
  readonly percentiles: Readonly<Record<string, number>>;
  /** How they are spread over 32 bins; only with `histogram`. */
  readonly histogram?: Histogram;
  /** How many are NaN or infinite. */
  readonly nonFinite: number;
  /** What is to be thought of them. */
  readonly verdict: GradientVerdict;
}

/** The gradients of one step. */
export interface GradientReport {
  /** The step. */
  readonly step: number;
  /** The norm of those that are monitored, as the optimizers got them. */
  readonly norm: number;
  /** The norm of all gradients before they were clipped. */
  readonly gradNorm: number;
  /** The worst that is to be thought of any of them. */
  readonly verdict: GradientVerdict;
  /** Parameter by parameter. */
  readonly layers: readonly LayerGradient[];
}

/** A report as numbers with names, for logs. */
export function rowOf(
  source: string,
  { step, norm, gradNorm, verdict, layers }: GradientReport,
): ScalarRow {
  const values = Object.fromEntries(
    layers.flatMap(({ name, norm, meanAbs, min, max, percentiles }) =>
      Object.entries({ ...(norm !== undefined && { norm }), meanAbs, min, max, ...percentiles })
        .map(([what, value]) => [`gradients/${name}/${what}`, value])
    ),
  );
  const histograms = Object.fromEntries(
    layers.flatMap(({ name, histogram }) =>
      histogram === undefined ? [] : [[`gradients/${name}`, histogram] as const]
    ),
  );
  const bad = layers.filter((layer) => layer.verdict !== "fine");
  const note = bad.map((layer) => `${layer.verdict}: ${layer.name}`).join(", ");
  return {
    source,
    step,
    values: { "gradients/norm": norm, "gradients/gradNorm": gradNorm, ...values },
    ...(Object.keys(histograms).length > 0 && { histograms }),
    ...(verdict !== "fine" && { note }),
  };
}
