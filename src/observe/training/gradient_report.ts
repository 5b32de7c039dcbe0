/**
 * Reports on the gradients of a step.
 *
 * @module
 */

import type { Histogram, ScalarRow } from "../reporter/scalars.ts";

/** Verdict on gradients. If several apply, the worst one is given: `nonFinite`, then `exploding`, then `vanishing`. */
export type GradientVerdict = "fine" | "vanishing" | "exploding" | "nonFinite";

/** Statistics of the gradient of one parameter. */
export interface LayerGradient {
  /** Name of the parameter. */
  readonly name: string;
  /** Number of elements. */
  readonly size: number;
  /** Square root of the sum of the squares; only with the option `norm`. */
  readonly norm?: number;
  /** Mean of the absolute values. */
  readonly meanAbs: number;
  /** Smallest value. */
  readonly min: number;
  /** Largest value. */
  readonly max: number;
  /** Percentiles `p10`, `p50`, … of the values, with their signs. */
  readonly percentiles: Readonly<Record<string, number>>;
  /** Histogram of 32 bins; only with the option `histogram`. */
  readonly histogram?: Histogram;
  /** Number of values that are NaN or infinite. */
  readonly nonFinite: number;
  /** Verdict on this gradient. */
  readonly verdict: GradientVerdict;
}

/** Report on the gradients of one step. */
export interface GradientReport {
  /** `ctx.stepCount` at the end of the step. */
  readonly step: number;
  /** Norm of the monitored gradients, as the optimizers received them. */
  readonly norm: number;
  /** Norm of all gradients before clipping. */
  readonly gradNorm: number;
  /** Worst verdict on any monitored gradient. */
  readonly verdict: GradientVerdict;
  /** Statistics of each monitored parameter. */
  readonly layers: readonly LayerGradient[];
}

/** Returns a report as named values for logs. */
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
