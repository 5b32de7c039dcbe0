/**
 * Reports of the scalars of a run as OpenTelemetry metrics, through the API that the process has registered.
 *
 * @module
 */

import { registry, type ScalarGauge, type ScalarMeter } from "./open_telemetry.ts";
import type { ReporterTimes, ScalarReporter } from "./scalar_reporter.ts";

/** Options of {@linkcode openTelemetryReporter}. */
export interface OpenTelemetryReporterOptions extends ReporterTimes {
  /**
   * Meter that creates the gauges.
   *
   * @default the meter of the registered API, such as Deno's with `OTEL_DENO=true`; without a registered API
   * nothing is recorded
   */
  readonly meter?: ScalarMeter;
  /**
   * Prefix of the name of each scalar.
   *
   * @default "hooke."
   */
  readonly prefix?: string;
}

/**
 * Returns a reporter that records the scalars of a run by OpenTelemetry: one gauge for each scalar and one for
 * `hooke.step`, with the name of the engine as attribute `hooke.engine`. Values that are not finite are not recorded.
 *
 * @example
 * ```ts
 * import { openTelemetryReporter } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const recorded: unknown[] = [];
 * const meter = { createGauge: (name: string) => ({ record: (x: number) => void recorded.push([name, x]) }) };
 * const reporter = openTelemetryReporter({ meter });
 * reporter.open!();
 * const at = { time: 1e9, stage: "dynamics/AFTER_STEP", engine: "FIRE" };
 * reporter.report({ step: 4, ...at, scalars: { fmax: 0.5, energy: NaN } });
 * assertEquals(recorded, [["hooke.step", 4], ["hooke.fmax", 0.5]]);
 * ```
 */
export function openTelemetryReporter(
  options: OpenTelemetryReporterOptions = {},
): ScalarReporter {
  const { meter: given, prefix = "hooke.", ...times } = options;
  const gauges = new Map<string, ScalarGauge>();
  let meter = given;
  const gaugeOf = (name: string): ScalarGauge | undefined => {
    if (meter === undefined) return undefined;
    let gauge = gauges.get(name);
    if (gauge === undefined) gauges.set(name, gauge = meter.createGauge(prefix + name));
    return gauge;
  };
  return {
    name: "opentelemetry",
    ...times,
    open() {
      meter = given ?? registry()?.metrics?.getMeter("@hooke/hooke");
    },
    report({ step, engine, scalars }) {
      for (const [name, value] of Object.entries({ step, ...scalars })) {
        if (Number.isFinite(value)) gaugeOf(name)?.record(value, { "hooke.engine": engine });
      }
    },
  };
}
